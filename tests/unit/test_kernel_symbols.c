#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/kernel_symbols.h"
#include "util/alloc.h"
#include "util/array.h"

static const char list[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000040 t do_local\n"
			   "ffffffff81000100 W weak_read_with_a_long_name\n"
			   "ffffffff81000100 T __x64_sys_read\n"
			   "ffffffff81000200 r a_table\n"
			   "ffffffff81000300 D a_variable\n"
			   "damaged line\n"
			   "ffffffffc0201010 t ext4_read\t[ext4]\n"
			   "ffffffffc0201800 t ext4_write\t[ext4]\n";

static struct kernel_symbols *parse(const char *text)
{
	struct kernel_symbols *symbols;
	struct err err = ERR_INIT;

	assert_int_equal(kernel_symbols_parse(xstrdup(text), strlen(text), &symbols, &err), 0);
	return symbols;
}

static void kernel_symbols_find__list__by_offset_from_text(void **state)
{
	static const struct {
		const char *module;
		uint64_t base, offset;
		const char *expected;
		uint64_t start;
	} cases[] = {
		{ "[kernel.kallsyms]_text", UINT64_C(0xffffffff81000000), 0x41, "do_local", 0x40 },
		{ "[kernel.kallsyms]_text", UINT64_C(0xffffffff9f000000), 0x41, "do_local", 0x40 },
		{ "[kernel.kallsyms]", 0, 0x1ff, "__x64_sys_read", 0x100 },
		{ "vmlinux-6.1", 0, 0x2ff, "__x64_sys_read", 0x100 },
		{ "[kernel.kallsyms]", 0, 0x301, "a_variable", 0x300 },
		{ "[ext4]", UINT64_C(0xffffffffc0201000), 0x20, "ext4_read", 0x10 },
		{ "ext4.ko", UINT64_C(0xffffffffc0201000), 0x800, "ext4_write", 0x800 },
		{ "[ext4]", UINT64_C(0xffffffffc0201000), 0x1000, NULL, 0 },
		{ "[kernel.kallsyms]", 0, 0x1300, NULL, 0 },
	};
	struct kernel_symbols *symbols = parse(list);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct module module = { .kind = MODULE_KERNEL,
					 .name = cases[i].module,
					 .base = cases[i].base };
		struct symbol symbol;
		bool found = kernel_symbols_find(symbols, &module, cases[i].offset, &symbol);

		assert_int_equal(found, cases[i].expected != NULL);
		if (!found)
			continue;
		assert_string_equal(symbol.name, cases[i].expected);
		assert_int_equal(symbol.start, cases[i].start);
	}
	kernel_symbols_free(symbols);
}

static void kernel_symbols_find__aliases__are_all_there(void **state)
{
	struct kernel_symbols *symbols = parse(list);
	struct module module = { .kind = MODULE_KERNEL, .name = "[kernel.kallsyms]" };
	struct symbol symbol;

	(void)state;
	assert_true(kernel_symbols_find(symbols, &module, 0x100, &symbol));
	assert_string_equal(symbol.name, "__x64_sys_read");
	assert_int_equal(symbol.also_nr, 1);
	assert_string_equal(symbol.also[0], "weak_read_with_a_long_name");
	assert_int_equal(symbol.end, 0x300);
	kernel_symbols_free(symbols);
}

static void kernel_symbols_parse__nothing_to_read__says_why(void **state)
{
	static const struct {
		const char *text;
		enum err_code code;
	} cases[] = {
		{ "0000000000000000 T _text\n0000000000000000 T _stext\n", ERR_UNSUPPORTED },
		{ "", ERR_CORRUPT },
		{ "\n\n", ERR_CORRUPT },
		{ "no list\n", ERR_CORRUPT },
		{ "ffffffff81000000 T no_line_end", ERR_UNSUPPORTED },
		{ "fffffffff81000000000 T too_long\n", ERR_UNSUPPORTED },
		{ "ffffffff81000000\nffffffff81000000 \nffffffff81000000 T\n"
		  "ffffffff81000000 T \n",
		  ERR_UNSUPPORTED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kernel_symbols *symbols = NULL;
		struct err err = ERR_INIT;

		assert_int_equal(kernel_symbols_parse(xstrdup(cases[i].text), strlen(cases[i].text),
						      &symbols, &err),
				 -1);
		assert_int_equal(err.code, cases[i].code);
		err_clear(&err);
	}
}

static void kernel_symbols_read__no_file__fails(void **state)
{
	struct kernel_symbols *symbols = NULL;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(kernel_symbols_read("/nonexistent", &symbols, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
}

/* Four bytes of the words in turn. */
static void kernel_notes_id__notes__gnu_build_id(void **state)
{
	static const struct {
		uint32_t words[12];
		size_t nr;
		size_t id_nr;
		uint32_t id;
	} cases[] = {
		{ { 0 }, 0, 0, 0 },
		{ { 4, 4, 3, 0x554e47, 0x12345678 }, 20, 4, 0x12345678 },
		{ { 4, 4, 3, 0x554e47, 0x12345678 }, 19, 0, 0 },
		{ { 4, 4, 4, 0x554e47, 0x12345678 }, 20, 0, 0 },
		{ { 4, 4, 3, 0x6e6558, 0x12345678 }, 20, 0, 0 },
		{ { 6, 1, 3, 0x756e694c, 0x78, 1, 4, 4, 3, 0x554e47, 0x12345678 },
		  44,
		  4,
		  0x12345678 },
		{ { 4, 24, 3, 0x554e47, 1, 2, 3, 4, 5, 6 }, 40, 0, 0 },
		{ { UINT32_MAX, UINT32_MAX, 3, 0x554e47, 1 }, 20, 0, 0 },
		{ { 4, UINT32_MAX - 4, 3, 0x554e47, 1 }, 20, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t id[MODULE_ID_MAX];

		assert_int_equal(kernel_notes_id(cases[i].words, cases[i].nr, id), cases[i].id_nr);
		if (cases[i].id_nr)
			assert_memory_equal(id, &cases[i].id, sizeof(cases[i].id));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_symbols_find__list__by_offset_from_text),
		cmocka_unit_test(kernel_symbols_find__aliases__are_all_there),
		cmocka_unit_test(kernel_symbols_parse__nothing_to_read__says_why),
		cmocka_unit_test(kernel_symbols_read__no_file__fails),
		cmocka_unit_test(kernel_notes_id__notes__gnu_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
