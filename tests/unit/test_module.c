#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/module.h"
#include "util/alloc.h"
#include "util/array.h"

static int set_up(void **state)
{
	struct module_table *table = xmalloc(sizeof(*table));

	module_table_init(table);
	*state = table;
	return 0;
}

static int tear_down(void **state)
{
	module_table_release(*state);
	free(*state);
	return 0;
}

static struct trace_map map_of(const char *path, const char *id)
{
	struct trace_map map = { .address = 0x7000, .length = 0x1000, .offset = 0x200 };

	map.path = path;
	map.id_length = (uint8_t)strlen(id);
	memcpy(map.id, id, strlen(id));
	return map;
}

static uint32_t intern(struct module_table *table, const char *path, const char *id)
{
	struct trace_map map = map_of(path, id);

	return module_table_intern(table, &map);
}

static void module_table_init__new__has_the_unknown_one(void **state)
{
	struct module_table *table = *state;

	assert_int_equal(table->nr, 1);
	assert_int_equal(table->v[MODULE_ID_UNKNOWN].kind, MODULE_UNKNOWN);
	assert_string_equal(table->v[MODULE_ID_UNKNOWN].name, "[unknown]");
}

static void module_table_intern__same_file__is_one_module(void **state)
{
	struct module_table *table = *state;
	uint32_t a = intern(table, "/usr/lib/a.so", "");

	assert_int_not_equal(a, MODULE_ID_UNKNOWN);
	assert_int_equal(intern(table, "/usr/lib/a.so", ""), a);
	assert_int_equal(intern(table, "/usr/lib/a.so (deleted)", ""), a);
	assert_int_not_equal(intern(table, "/opt/lib/a.so", ""), a);
	assert_int_not_equal(intern(table, "/usr/lib/a", ""), a);
	assert_string_equal(table->v[a].path, "/usr/lib/a.so");
	assert_string_equal(table->v[a].name, "a.so");
}

static void module_table_intern__build_id__distinguishes_files(void **state)
{
	struct module_table *table = *state;
	uint32_t one = intern(table, "/build/stage1/rustc", "one");
	uint32_t two = intern(table, "/build/stage1/rustc (deleted)", "two");

	assert_int_not_equal(one, two);
	assert_int_not_equal(intern(table, "/build/stage1/rustc", ""), one);
	assert_int_equal(intern(table, "/build/stage2/rustc", "one"), one);
	assert_string_equal(table->v[one].path, "/build/stage1/rustc");
	assert_string_equal(table->v[two].path, "/build/stage1/rustc");
	assert_int_equal(table->v[two].id_length, 3);
	assert_memory_equal(table->v[two].id, "two", 3);
}

/* One id in 256 ends with a zero, which symbols/ has not; old kernels pad short ones. */
static void module_table_intern__zeros_at_the_end_of_an_id__do_not_count(void **state)
{
	struct module_table *table = *state;
	struct trace_map whole = map_of("/lib/a.so", "one"), none = map_of("/lib/b.so", "");
	uint32_t module;

	whole.id_length = 20;
	module = intern(table, "/lib/a.so", "one");
	assert_int_equal(module_table_intern(table, &whole), module);
	whole.path = "/lib/c.so";
	memcpy(whole.id, "two", 3);
	module = module_table_intern(table, &whole);
	assert_int_equal(table->v[module].id_length, 20);
	assert_int_equal(intern(table, "/lib/d.so", "two"), module);
	none.id_length = 20;
	assert_int_equal(module_table_intern(table, &none), intern(table, "/lib/b.so", ""));
}

static void module_table_intern__id_too_long__is_cut(void **state)
{
	struct module_table *table = *state;
	struct trace_map map = map_of("/a", "0123456789012345678");
	uint32_t module;

	map.id_length = 255;
	module = module_table_intern(table, &map);
	assert_int_equal(table->v[module].id_length, MODULE_ID_MAX);
}

static void module_table_intern__paths__have_kind_name_and_offset(void **state)
{
	static const struct {
		const char *path;
		enum module_kind kind;
		const char *name;
		uint64_t offset;
	} cases[] = {
		{ "/lib/x.so", MODULE_FILE, "x.so", 0x200 },
		{ "relative", MODULE_FILE, "relative", 0x200 },
		{ "C:\\rust\\rustc.exe", MODULE_FILE, "rustc.exe", 0x200 },
		{ "/usr/bin/[", MODULE_FILE, "[", 0x200 },
		{ "[vdso]", MODULE_VDSO, "[vdso]", 0x200 },
		{ "//anon", MODULE_ANON, "//anon", 0x7000 },
		{ "", MODULE_ANON, "//anon", 0x7000 },
		{ "[heap]", MODULE_ANON, "[heap]", 0x7000 },
		{ "[stack]", MODULE_ANON, "[stack]", 0x7000 },
		{ "/dev/zero (deleted)", MODULE_ANON, "/dev/zero", 0x7000 },
		{ "/memfd:jit (deleted)", MODULE_ANON, "/memfd:jit", 0x7000 },
		{ "/SYSV00000000", MODULE_ANON, "/SYSV00000000", 0x7000 },
		{ " (deleted)", MODULE_FILE, " (deleted)", 0x200 },
	};
	struct module_table *table = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_map map = map_of(cases[i].path, "");
		uint32_t module = module_table_intern(table, &map);

		assert_int_equal(table->v[module].kind, cases[i].kind);
		assert_string_equal(table->v[module].name, cases[i].name);
		assert_int_equal(module_table_offset(table, module, &map), cases[i].offset);
	}
}

static void module_table_intern__kernel__has_its_base(void **state)
{
	static const struct {
		const char *path;
		uint64_t address, offset;
		const char *name;
		uint64_t base, first;
	} cases[] = {
		{ "[kernel.kallsyms]_text", 0x81000000, 0x81000000, "[kernel.kallsyms]", 0x81000000,
		  0 },
		{ "[ext4]", 0xc0000000, 0, "[ext4]", 0xc0000000, 0 },
		{ "/lib/modules/6.1/btrfs.ko", 0xc1000000, 0, "btrfs.ko", 0xc1000000, 0 },
	};
	struct module_table *table = *state;
	struct trace_map low = { .address = 0, .path = "[kernel.kallsyms]_stext", .kernel = true };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_map map = { .address = cases[i].address,
					 .length = 0x1000,
					 .offset = cases[i].offset,
					 .path = cases[i].path,
					 .kernel = true };
		uint32_t module = module_table_intern(table, &map);

		assert_int_equal(table->v[module].kind, MODULE_KERNEL);
		assert_string_equal(table->v[module].name, cases[i].name);
		assert_int_equal(table->v[module].base, cases[i].base);
		assert_int_equal(module_table_offset(table, module, &map), cases[i].first);
	}
	assert_int_equal(module_table_intern(table, &low), 1);
	low.offset = 0x81000000;
	assert_true(module_table_offset(table, 1, &low) == UINT64_C(0) - 0x81000000);
	low.kernel = false;
	assert_int_not_equal(module_table_intern(table, &low), 1);
}

static void module_table_intern__pe_image__is_a_file_in_the_kernel_too(void **state)
{
	struct module_table *table = *state;
	struct trace_map map = { .address = UINT64_C(0xfffff80021489000),
				 .path = "C:\\Windows\\system32\\ntoskrnl.exe",
				 .debug_path = "ntkrnlmp.pdb",
				 .kernel = true,
				 .pe = true };
	uint32_t module = module_table_intern(table, &map);

	assert_int_equal(table->v[module].kind, MODULE_FILE);
	assert_string_equal(table->v[module].name, "ntoskrnl.exe");
	assert_string_equal(table->v[module].debug_path, "ntkrnlmp.pdb");
	assert_true(table->v[module].kernel);
	assert_int_equal(module_table_offset(table, module, &map), 0);
	map.address += 0x10000;
	assert_int_equal(module_table_intern(table, &map), module);
	assert_int_equal(module_table_offset(table, module, &map), 0);
	map.path = "C:\\a.dll";
	map.kernel = false;
	map.debug_path = NULL;
	module = module_table_intern(table, &map);
	assert_false(table->v[module].kernel);
	assert_null(table->v[module].debug_path);
}

static void module_table_intern__many__are_found_again(void **state)
{
	struct module_table *table = *state;
	char path[32];

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 1000; i++) {
			snprintf(path, sizeof(path), "/lib/%u.so", (unsigned)i);
			assert_int_equal(intern(table, path, ""), i + 1);
		}
	assert_int_equal(table->nr, 1001);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void module_id_equal__zeros_at_the_end__are_no_difference(void **state)
{
	static const struct {
		const char *a, *b;
		size_t a_nr, b_nr;
		bool equal;
	} cases[] = {
		{ "\1\2\3", "\1\2\3", 3, 3, true },
		{ "\1\2\3", "\1\2\3\0\0", 3, 5, true },
		{ "\1\2\3\0", "\1\2\3", 4, 3, true },
		{ "\1\2\3", "\1\2\4", 3, 3, false },
		{ "\1\2\3", "\1\2\3\4", 3, 4, false },
		{ "", "", 0, 0, false },
		{ "", "\0", 0, 1, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(module_id_equal((const uint8_t *)cases[i].a, cases[i].a_nr,
						 (const uint8_t *)cases[i].b, cases[i].b_nr),
				 cases[i].equal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(module_table_init__new__has_the_unknown_one),
		TEST(module_table_intern__same_file__is_one_module),
		TEST(module_table_intern__build_id__distinguishes_files),
		TEST(module_table_intern__zeros_at_the_end_of_an_id__do_not_count),
		TEST(module_table_intern__id_too_long__is_cut),
		TEST(module_table_intern__paths__have_kind_name_and_offset),
		TEST(module_table_intern__kernel__has_its_base),
		TEST(module_table_intern__pe_image__is_a_file_in_the_kernel_too),
		TEST(module_table_intern__many__are_found_again),
		TEST(module_id_equal__zeros_at_the_end__are_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
