/*
 * The rules of functions in this program, whose call frame information is written as assembly here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elf/cfi.h"
#include "util/array.h"

#if defined(__x86_64__) || defined(__aarch64__)

#ifdef __x86_64__
#define PRESERVED 3 /* rbx */
#else
#define PRESERVED 19 /* x19 */
#endif

/* Register numbers are DWARF's, so that it is the same on each machine. */
__asm__(".text\n"
	".globl cfi_sample_cfa, cfi_sample_saved, cfi_sample_again, cfi_sample_expression\n"
	".globl cfi_sample_first, cfi_sample_signal, cfi_sample_none\n"
	".cfi_startproc\n"
	"cfi_sample_cfa: .cfi_def_cfa 7, 48\n nop\n"
	"cfi_sample_saved: .cfi_offset 3, -24\n .cfi_register 6, 12\n .cfi_val_offset 13, 32\n "
	"nop\n"
	".cfi_offset 3, -32\n nop\n"
	"cfi_sample_again: .cfi_offset 3, -24\n nop\n"
	/* CFA: breg7 8, deref; register 3: at breg7 16 */
	"cfi_sample_expression: .cfi_escape 0x0f, 3, 0x77, 8, 0x06\n"
	".cfi_escape 0x10, 3, 2, 0x77, 16\n nop\n"
	".cfi_endproc\n"
	".cfi_startproc\n"
#ifdef __x86_64__
	"cfi_sample_first: .cfi_undefined 16\n nop\n"
#else
	"cfi_sample_first: .cfi_undefined 30\n nop\n"
#endif
	".cfi_endproc\n"
	".cfi_startproc\n .cfi_signal_frame\n"
	"cfi_sample_signal: nop\n"
	".cfi_endproc\n"
	"cfi_sample_none: nop\n");

extern const char cfi_sample_cfa[], cfi_sample_saved[], cfi_sample_again[], cfi_sample_expression[];
extern const char cfi_sample_first[], cfi_sample_signal[], cfi_sample_none[];

/* Where an address of this program is in its file. */
static uint64_t offset_of(const char *address)
{
	char line[4096], path[2048] = "", self[2048] = "";
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset;
	uint64_t found = 0;

	assert_non_null(file);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %2047[^\n]", &start, &end, &offset,
			   path) == 4 &&
		    (uintptr_t)address >= start && (uintptr_t)address < end) {
			assert_string_equal(path, self);
			found = (uintptr_t)address - start + offset;
		}
	}
	fclose(file);
	assert_int_not_equal(found, 0);
	return found;
}

static struct cfi *open_self(void)
{
	struct err err = ERR_INIT;
	struct cfi *cfi;

	assert_int_equal(cfi_open("/proc/self/exe", &cfi, &err), 0);
	return cfi;
}

static const struct cfi_value *find_saved(const struct cfi_rule *rule, unsigned reg)
{
	for (size_t i = 0; i < rule->saved_nr; i++) {
		if (rule->saved[i].reg == reg)
			return &rule->saved[i];
	}
	return NULL;
}

static void expect(const struct cfi_value *value, enum cfi_kind kind, unsigned base, int64_t offset)
{
	assert_non_null(value);
	assert_int_equal(value->kind, kind);
	assert_int_equal(value->base, base);
	assert_int_equal(value->offset, offset);
}

static void cfi_find__rules__are_those_of_the_file(void **state)
{
	struct cfi *cfi = open_self();
	const struct cfi_rule *rule;

	(void)state;
	rule = cfi_find(cfi, offset_of(cfi_sample_cfa));
	expect(&rule->cfa, CFI_PLUS, 7, 48);
	assert_null(find_saved(rule, 3));
	assert_false(rule->undefined >> PRESERVED & 1);
	assert_false(rule->signal || rule->outermost);
	rule = cfi_find(cfi, offset_of(cfi_sample_saved));
	expect(&rule->cfa, CFI_PLUS, 7, 48);
	expect(find_saved(rule, 3), CFI_AT, CFI_BASE_CFA, -24);
	expect(find_saved(rule, 6), CFI_PLUS, 12, 0);
	expect(find_saved(rule, 13), CFI_PLUS, CFI_BASE_CFA, 32);
	assert_ptr_equal(rule, cfi_find(cfi, offset_of(cfi_sample_again)));
	assert_ptr_not_equal(rule, cfi_find(cfi, offset_of(cfi_sample_cfa)));
	cfi_free(cfi);
}

static void cfi_find__expressions__are_kept(void **state)
{
	struct cfi *cfi = open_self();
	const struct cfi_rule *rule = cfi_find(cfi, offset_of(cfi_sample_expression));
	const struct cfi_value *saved = find_saved(rule, 3);
	const Dwarf_Op *ops = rule->cfa.ops;

	(void)state;
	assert_int_equal(rule->cfa.kind, CFI_EXPRESSION);
	assert_int_equal(rule->cfa.ops_nr, 2);
	assert_int_equal(ops[0].atom, DW_OP_breg7);
	assert_int_equal(ops[0].number, 8);
	assert_int_equal(ops[1].atom, DW_OP_deref);
	assert_non_null(saved);
	assert_int_equal(saved->kind, CFI_AT_EXPRESSION);
	ops = saved->ops;
	assert_int_equal(ops[saved->ops_nr - 1].atom, DW_OP_breg7);
	assert_int_equal(ops[saved->ops_nr - 1].number, 16);
	cfi_free(cfi);
}

static void cfi_find__kinds_of_frames__are_distinguished(void **state)
{
	struct cfi *cfi = open_self();

	(void)state;
	assert_true(cfi_find(cfi, offset_of(cfi_sample_first))->outermost);
	assert_false(cfi_find(cfi, offset_of(cfi_sample_first))->signal);
	assert_true(cfi_find(cfi, offset_of(cfi_sample_signal))->signal);
	assert_false(cfi_find(cfi, offset_of(cfi_sample_signal))->outermost);
	cfi_free(cfi);
}

static void cfi_find__no_rule__is_undefined(void **state)
{
	struct cfi *cfi = open_self();

	(void)state;
	assert_int_equal(cfi_find(cfi, offset_of(cfi_sample_none))->cfa.kind, CFI_UNDEFINED);
	assert_int_equal(cfi_find(cfi, UINT64_MAX)->cfa.kind, CFI_UNDEFINED);
	assert_int_equal(cfi_find(cfi, 0)->cfa.kind, CFI_UNDEFINED);
	cfi_free(cfi);
}

static int find_linker(struct dl_phdr_info *info, size_t size, void *path)
{
	(void)size;
	if (strstr(info->dlpi_name, "/ld-"))
		strcpy(path, info->dlpi_name);
	return 0;
}

static void cfi_find__entry_of_the_dynamic_linker__is_the_outermost(void **state)
{
	struct err err = ERR_INIT;
	char path[4096] = "";
	const struct cfi_rule *rule;
	ElfW(Ehdr) header;
	struct cfi *cfi;
	FILE *file;

	(void)state;
	dl_iterate_phdr(find_linker, path);
	file = fopen(path, "rb");
	if (!file)
		skip();
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	fclose(file);
	assert_int_equal(cfi_open(path, &cfi, &err), 0);
	rule = cfi_find(cfi, header.e_entry + 3); /* it is linked at its offsets */
	assert_true(rule->outermost);
	cfi_free(cfi);
}

static void cfi_open__not_elf__fails(void **state)
{
	static const struct {
		const char *path;
		enum err_code code;
	} cases[] = {
		{ "/etc/passwd", ERR_CORRUPT },
		{ "/nonexistent", ERR_NOT_FOUND },
		{ "/", ERR_UNSUPPORTED },
	};
	struct cfi *cfi;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(cfi_open(cases[i].path, &cfi, &err), -1);
		if (cases[i].code != ERR_NOT_FOUND)
			assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.msg, cases[i].path));
		err_clear(&err);
	}
}

/* A copy of this program, damaged anywhere: rules or none, but no crash. */
static void cfi_find__damaged_file__survives(void **state)
{
	FILE *file = fopen("/proc/self/exe", "rb");
	char path[] = "/tmp/test_cfi.XXXXXX";
	static unsigned char data[16 << 20];
	size_t size = fread(data, 1, sizeof(data), file);
	uint64_t offset = offset_of(cfi_sample_saved), seed = 7;
	int fd = mkstemp(path);

	(void)state;
	fclose(file);
	assert_true(fd >= 0);
	for (int round = 0; round < 60; round++) {
		struct err err = ERR_INIT;
		struct cfi *cfi;

		assert_int_equal(pwrite(fd, data, size, 0), size);
		for (int i = 0; i < 2000; i++) {
			size_t at;

			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			/* each second time the header and what follows it, too */
			at = (seed >> 33) % (i % 2 || round % 2 ? size : 1024) + 16;
			if (at < size)
				assert_int_equal(pwrite(fd, &seed, 1, (off_t)at), 1);
		}
		if (cfi_open(path, &cfi, &err)) {
			err_clear(&err);
			continue;
		}
		for (uint64_t i = 0; i < 4096; i += 16)
			cfi_find(cfi, offset + i);
		cfi_free(cfi);
	}
	close(fd);
	unlink(path);
}

#endif

int main(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cfi_find__rules__are_those_of_the_file),
		cmocka_unit_test(cfi_find__expressions__are_kept),
		cmocka_unit_test(cfi_find__kinds_of_frames__are_distinguished),
		cmocka_unit_test(cfi_find__no_rule__is_undefined),
		cmocka_unit_test(cfi_find__entry_of_the_dynamic_linker__is_the_outermost),
		cmocka_unit_test(cfi_open__not_elf__fails),
		cmocka_unit_test(cfi_find__damaged_file__survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	return 0;
#endif
}
