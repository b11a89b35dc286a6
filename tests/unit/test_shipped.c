#include "config/shipped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/program.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"

/* Relative to this program, where each of the directories can be created. */
static void shipped_find__each_place__is_found(void **state)
{
	static const char *const places[] = { "test-shipped", "../share/stagetrace/test-shipped",
					      "../test-shipped", "../../test-shipped" };
	char *program = executable_path(), *here = fs_dirname(program);
	struct err err = ERR_INIT;

	(void)state;
	assert_null(shipped_find("test-shipped/file"));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *dir = xasprintf("%s/%s", here, places[i]), *file = fs_join(dir, "file"),
		     *found, *wanted;

		assert_int_equal(fs_mkdir_all(dir, &err), 0);
		assert_int_equal(fs_write_atomic(file, places[i], strlen(places[i]), &err), 0);
		found = shipped_find("test-shipped/file");
		wanted = fs_absolute(file);
		assert_int_equal(fs_remove_tree(dir, &err), 0);
		assert_non_null(found);
		assert_string_equal(found, wanted);
		free(found);
		free(wanted);
		free(file);
		free(dir);
	}
	free(here);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_find__each_place__is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
