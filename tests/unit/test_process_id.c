#include "platform/process_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/child.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/err.h"
#include "util/strvec.h"
#include "util/text.h"

/* One that lives for as long as it is not let go. */
static struct child start_held(struct strvec *argv)
{
	struct child_options options = { .argv = argv };
	struct err err = ERR_INIT;
	struct child child;

	strvec_push(argv, "hostname");
	assert_int_equal(child_start(&options, &child, &err), 0);
	return child;
}

static void end(struct child *child, struct strvec *argv)
{
	child_signal(child, CHILD_KILL);
	assert_true(child_wait(child, 30 * NS_PER_S));
	strvec_release(argv);
}

static void process_id__of_one_that_ends__lives_until_then(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct child child = start_held(&argv);
	char *id = process_id(child.pid), *again = process_id(child.pid);

	(void)state;
	assert_non_null(id);
	assert_string_equal(id, again);
	assert_int_equal(strtoll(id, NULL, 10), child.pid);
	assert_true(process_id_lives(id));
	end(&child, &argv);
	assert_false(process_id_lives(id));
	assert_null(process_id(child.pid));
	free(again);
	free(id);
}

static void process_id_lives__same_number_but_another_start__no(void **state)
{
	static const char *const starts[] = { "", "@", "@0", "@1", "x" };
	struct strvec argv = STRVEC_INIT;
	struct child child = start_held(&argv);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		char *id = xasprintf("%lld%s", (long long)child.pid, starts[i]);

		assert_false(process_id_lives(id));
		free(id);
	}
	end(&child, &argv);
}

static void process_id_lives__no_process__no(void **state)
{
	(void)state;
	assert_false(process_id_lives(""));
	assert_false(process_id_lives("0@0"));
	assert_false(process_id_lives("-1@0"));
	assert_false(process_id_lives("init"));
	assert_null(process_id(0));
	assert_null(process_id(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_id__of_one_that_ends__lives_until_then),
		cmocka_unit_test(process_id_lives__same_number_but_another_start__no),
		cmocka_unit_test(process_id_lives__no_process__no),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
