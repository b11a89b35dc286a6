#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "platform/fs.h"
#include "symbol/elf/elf_file.h"
#include "util/alloc.h"

struct fixture {
	char *dir, *file; /* the file is not there: only its name matters */
	uint8_t id[64];
	size_t id_nr;
	uint32_t crc;
};

static uint32_t sum_slowly(const char *bytes, size_t nr)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < nr; i++) {
		crc ^= (unsigned char)bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ UINT32_C(0xedb88320) : crc >> 1;
	}
	return ~crc;
}

static int set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct err err = ERR_INIT;
	struct elf_file self;
	const uint8_t *id;

	fixture->dir = fs_temp_dir(&err);
	fixture->file = xasprintf("%s/bin/prog", fixture->dir);
	assert_int_equal(elf_file_open(SELF, &self, &err), 0);
	elf_file_id(&self, &id, &fixture->id_nr);
	assert_in_range(fixture->id_nr, 2, sizeof(fixture->id));
	memcpy(fixture->id, id, fixture->id_nr);
	fixture->crc = sum_slowly(self.map.data, self.map.size);
	elf_file_close(&self);
	*state = fixture;
	return 0;
}

static int take_down(void **state)
{
	struct fixture *fixture = *state;
	struct err err = ERR_INIT;

	assert_int_equal(fs_remove_tree(fixture->dir, &err), 0);
	free(fixture->file);
	free(fixture->dir);
	free(fixture);
	return 0;
}

/* This program, as the file DIR/`name`. */
static char *put(const struct fixture *fixture, const char *name)
{
	char *path = fs_join(fixture->dir, name), *dir = fs_dirname(path);
	struct err err = ERR_INIT;

	assert_int_equal(fs_mkdir_all(dir, &err), 0);
	assert_int_equal(fs_copy(SELF, path, &err), 0);
	free(dir);
	return path;
}

static void expect(const struct fixture *fixture, const struct debug_want *want,
		   const char *expected)
{
	char *found = debug_file_find(fixture->dir, want);

	if (expected)
		assert_string_equal(found ? found : "(nothing)", expected);
	else
		assert_null(found);
	free(found);
}

static void debug_file_find__build_id__below_root(void **state)
{
	struct fixture *fixture = *state;
	struct debug_want want = { fixture->file, fixture->id, fixture->id_nr, NULL, 0 };
	char name[160] = ".build-id/", *path;
	size_t at = strlen(name);

	expect(fixture, &want, NULL);
	for (size_t i = 0; i < fixture->id_nr; i++)
		at += (size_t)sprintf(name + at, i ? "%02x" : "%02x/", fixture->id[i]);
	strcpy(name + at, ".debug");
	path = put(fixture, name);
	expect(fixture, &want, path);
	free(path);
}

static void debug_file_find__link__each_place(void **state)
{
	struct fixture *fixture = *state;
	struct debug_want want = { fixture->file, fixture->id, fixture->id_nr, "prog.debug", 0 };
	char *below = xasprintf("%s/bin/prog.debug", fixture->dir + 1), *path;

	expect(fixture, &want, NULL);
	path = put(fixture, below);
	expect(fixture, &want, path);
	free(path);
	path = put(fixture, "bin/.debug/prog.debug");
	expect(fixture, &want, path);
	free(path);
	path = put(fixture, "bin/prog.debug");
	expect(fixture, &want, path);
	free(path);
	free(below);
}

static void debug_file_find__not_that_file__is_refused(void **state)
{
	struct fixture *fixture = *state;
	struct debug_want want = { fixture->file, fixture->id, fixture->id_nr, "prog.debug", 0 };
	char *path = put(fixture, "bin/prog.debug");

	expect(fixture, &want, path);
	fixture->id[0] ^= 1;
	expect(fixture, &want, NULL);
	want.id_nr = 0;
	expect(fixture, &want, NULL);
	want.crc = fixture->crc;
	expect(fixture, &want, path);
	want.crc ^= 1;
	expect(fixture, &want, NULL);
	want.crc ^= 1;
	want.path = path; /* it is its own debug file: of no use */
	expect(fixture, &want, NULL);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(debug_file_find__build_id__below_root, set_up,
						take_down),
		cmocka_unit_test_setup_teardown(debug_file_find__link__each_place, set_up,
						take_down),
		cmocka_unit_test_setup_teardown(debug_file_find__not_that_file__is_refused, set_up,
						take_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
