#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "platform/fs.h"
#include "symbol/elf/elf_symbols.h"
#include "util/array.h"
#include "util/strbuf.h"

int elf_target_first(int x);
int elf_target_second(int x);
int __elf_target_alias(int x) __attribute__((alias("elf_target_first")));
int elf_target_the_weak_name(int x) __attribute__((weak, alias("elf_target_first")));

__attribute__((noinline)) int elf_target_first(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) int elf_target_second(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

static __attribute__((noinline, used)) int elf_target_static(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x - 7;
}

/* A section of code that begins with a function of unknown size, as .init does, and another one behind it. */
extern const char elf_target_unsized[];

__asm__(".pushsection elf_target_section, \"ax\"\n"
	".globl elf_target_unsized\n"
	".type elf_target_unsized, %function\n"
	"elf_target_unsized: .skip 16\n"
	".popsection\n"
	".pushsection elf_target_section_behind, \"ax\"\n"
	".skip 16\n"
	".popsection");

static int open_symbols(const char *path, const char *debug_path, struct elf_symbols **symbols,
			struct err *err)
{
	const struct module module = { .path = (char *)(uintptr_t)path };

	return elf_symbols_open(&module, module.path, debug_path, symbols, err);
}

static struct elf_symbols *open_self(void)
{
	struct elf_symbols *symbols;
	struct err err = ERR_INIT;

	assert_int_equal(open_symbols(SELF, NULL, &symbols, &err), 0);
	return symbols;
}

static void elf_symbols_find__own_functions__by_file_offset(void **state)
{
	static const struct {
		int (*code)(int);
		const char *name;
	} cases[] = {
		{ elf_target_first, "elf_target_first" },
		{ elf_target_second, "elf_target_second" },
		{ elf_target_static, "elf_target_static" },
	};
	struct elf_symbols *symbols = open_self();

	(void)state;
	assert_true(elf_symbols_nr(symbols) > 20);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct elf_place place = elf_place_of((const void *)(uintptr_t)cases[i].code);
		struct symbol symbol;
		uint64_t address = 0;

		assert_true(elf_symbols_find(symbols, place.offset, &symbol));
		assert_string_equal(symbol.name, cases[i].name);
		assert_int_equal(symbol.start, place.offset);
		assert_true(symbol.end > symbol.start);
		assert_true(elf_symbols_find(symbols, symbol.end - 1, &symbol));
		assert_string_equal(symbol.name, cases[i].name);
		assert_true(elf_symbols_address(symbols, place.offset, &address));
		assert_int_equal(address, place.address);
	}
	elf_symbols_free(symbols);
}

static void elf_symbols_find__no_size__ends_with_its_section(void **state)
{
	struct elf_symbols *symbols = open_self();
	struct elf_place place = elf_place_of(elf_target_unsized);
	struct symbol symbol;

	(void)state;
	assert_true(elf_symbols_find(symbols, place.offset + 15, &symbol));
	assert_string_equal(symbol.name, "elf_target_unsized");
	assert_int_equal(symbol.end - symbol.start, 16);
	assert_true(!elf_symbols_find(symbols, place.offset + 16, &symbol) ||
		    strcmp(symbol.name, "elf_target_unsized"));
	elf_symbols_free(symbols);
}

static bool has_name(const struct symbol *symbol, const char *name)
{
	for (size_t i = 0; i < symbol->also_nr; i++) {
		if (!strcmp(symbol->also[i], name))
			return true;
	}
	return false;
}

static void elf_symbols_find__aliases__global_one_stands_for_all(void **state)
{
	struct elf_symbols *symbols = open_self();
	struct elf_place place = elf_place_of((const void *)(uintptr_t)elf_target_first);
	struct symbol symbol;

	(void)state;
	assert_true(elf_symbols_find(symbols, place.offset, &symbol));
	assert_string_equal(symbol.name, "elf_target_first");
	assert_int_equal(symbol.also_nr, 2);
	assert_true(has_name(&symbol, "__elf_target_alias"));
	assert_true(has_name(&symbol, "elf_target_the_weak_name"));
	elf_symbols_free(symbols);
}

static void elf_symbols_find__no_code__is_not_found(void **state)
{
	struct elf_symbols *symbols = open_self();
	struct symbol symbol;
	uint64_t address;

	(void)state;
	assert_false(elf_symbols_find(symbols, 0, &symbol));
	assert_false(elf_symbols_find(symbols, UINT64_MAX, &symbol));
	assert_false(elf_symbols_address(symbols, UINT64_C(1) << 50, &address));
	elf_symbols_free(symbols);
}

static void elf_symbols_open__debug_file__gives_more(void **state)
{
	struct elf_symbols *symbols;
	struct symbol symbol;
	struct elf_place place = elf_place_of((const void *)(uintptr_t)elf_target_second);
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(open_symbols(SELF, SELF, &symbols, &err), 0);
	assert_true(elf_symbols_find(symbols, place.offset, &symbol));
	assert_string_equal(symbol.name, "elf_target_second");
	elf_symbols_free(symbols);
	assert_int_equal(open_symbols(SELF, "/nonexistent.debug", &symbols, &err), 0);
	assert_true(elf_symbols_find(symbols, place.offset, &symbol));
	elf_symbols_free(symbols);
}

static void elf_symbols_open__another_build_id__is_not_read(void **state)
{
	struct module module = { .path = (char *)(uintptr_t)SELF };
	struct elf_symbols *symbols = open_self();
	struct err err = ERR_INIT;
	const uint8_t *id;
	size_t nr;

	(void)state;
	elf_symbols_id(symbols, &id, &nr);
	assert_in_range(nr, 1, MODULE_ID_MAX);
	memcpy(module.id, id, nr);
	module.id_length = (uint8_t)nr;
	elf_symbols_free(symbols);
	assert_int_equal(elf_symbols_open(&module, module.path, NULL, &symbols, &err), 0);
	assert_non_null(symbols);
	elf_symbols_free(symbols);
	module.id[0] ^= 1;
	assert_int_equal(elf_symbols_open(&module, module.path, NULL, &symbols, &err), 0);
	assert_null(symbols);
}

static void elf_symbols_open__no_elf_file__says_so(void **state)
{
	struct elf_symbols *symbols = NULL;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(open_symbols("/nonexistent", NULL, &symbols, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	assert_int_equal(open_symbols("/etc/passwd", NULL, &symbols, &err), -1);
	assert_int_equal(err.code, ERR_CORRUPT);
	err_clear(&err);
	assert_int_equal(open_symbols("/dev/null", NULL, &symbols, &err), -1);
	err_clear(&err);
}

/* Ask all over the file; what it says does not matter. */
static void try_bytes(const char *path, const char *bytes, size_t len)
{
	struct elf_symbols *symbols;
	struct symbol symbol;
	const uint8_t *id;
	uint32_t crc;
	size_t nr;
	struct err err = ERR_INIT;

	assert_int_equal(fs_write_atomic(path, bytes, len, &err), 0);
	if (open_symbols(path, path, &symbols, &err)) {
		err_clear(&err);
		return;
	}
	for (uint64_t offset = 0; offset < len; offset += 61) {
		if (elf_symbols_find(symbols, offset, &symbol)) {
			assert_true(strlen(symbol.name) > 0);
			assert_true(offset >= symbol.start && offset < symbol.end);
		}
	}
	elf_symbols_id(symbols, &id, &nr);
	elf_symbols_debuglink(symbols, &crc);
	elf_symbols_free(symbols);
}

static void elf_symbols_open__damaged_anywhere__does_not_crash(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "damaged");
	uint32_t seed = 1;

	(void)state;
	assert_int_equal(fs_read(SELF, INT64_C(1) << 30, &sb, &err), 0);
	for (size_t cut = 0; cut < sb.len && cut < 128; cut += 3)
		try_bytes(path, sb.buf, cut);
	for (int i = 0; i < 24; i++) {
		Elf64_Ehdr *ehdr = (Elf64_Ehdr *)(void *)sb.buf;
		size_t headers = (size_t)ehdr->e_shoff, at;
		char kept;

		seed = seed * 1103515245u + 12345u;
		at = i % 2 ? headers + (seed >> 8) % (sb.len - headers) : (seed >> 8) % 512;
		kept = sb.buf[at];
		sb.buf[at] = (char)(seed >> 16);
		try_bytes(path, sb.buf, sb.len);
		sb.buf[at] = kept;
	}
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	strbuf_release(&sb);
	free(path);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elf_symbols_find__own_functions__by_file_offset),
		cmocka_unit_test(elf_symbols_find__no_size__ends_with_its_section),
		cmocka_unit_test(elf_symbols_find__aliases__global_one_stands_for_all),
		cmocka_unit_test(elf_symbols_find__no_code__is_not_found),
		cmocka_unit_test(elf_symbols_open__debug_file__gives_more),
		cmocka_unit_test(elf_symbols_open__another_build_id__is_not_read),
		cmocka_unit_test(elf_symbols_open__no_elf_file__says_so),
		cmocka_unit_test(elf_symbols_open__damaged_anywhere__does_not_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
