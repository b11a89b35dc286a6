#include "trace/perf/perf_tracing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/strbuf.h"

static void perf_tracing__cut_anywhere__keeps_what_is_whole(void **state)
{
	static const char head[] = "\x17\x08\x44tracing0.6\0\0\x08\0\x10\0\0"
				   "header_page\0\2\0\0\0\0\0\0\0??"
				   "header_event\0\0\0\0\0\0\0\0\0"
				   "\0\0\0\0\1\0\0\0syscalls\0\2\0\0\0";
	static const char format[] =
		"name: sys_a\nID: 5\nformat:\n\tfield:int ret;\toffset:16;\tsize:8;\tsigned:1;\n";
	struct strbuf sb = STRBUF_INIT;
	uint64_t size = sizeof(format) - 1;

	(void)state;
	strbuf_add(&sb, head, sizeof(head) - 1);
	for (int i = 0; i < 2; i++) {
		strbuf_add(&sb, &size, sizeof(size));
		strbuf_add(&sb, format, size);
	}
	for (size_t nr = 0; nr <= sb.len; nr++) {
		struct perf_tracing tracing;
		struct err err = ERR_INIT;
		size_t expected = nr == sb.len ? 2 : nr + size + 8 >= sb.len ? 1 : 0;

		perf_tracing_init(&tracing);
		assert_int_equal(perf_tracing_parse(&tracing, (unsigned char *)sb.buf, nr, &err),
				 nr == sb.len ? 0 : -1);
		assert_int_equal(tracing.nr, expected);
		assert_int_equal(err.code, nr == sb.len ? ERR_NONE : ERR_CORRUPT);
		if (expected) {
			assert_string_equal(perf_tracing_find(&tracing, 5)->system, "syscalls");
			assert_null(perf_tracing_find(&tracing, 6));
		}
		err_clear(&err);
		perf_tracing_release(&tracing);
	}
	strbuf_release(&sb);
}

#define COMMON \
	"	field:unsigned short common_type;	offset:0;	size:2;	signed:0;\n" \
	"	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;\n" \
	"	field:unsigned char common_preempt_count;	offset:3;	size:1;	" \
	"signed:0;\n" \
	"	field:int common_pid;	offset:4;	size:4;	signed:1;\n" \
	"\n"

/* /sys/kernel/tracing/events/syscalls/sys_enter_mprotect/format of Linux 6.18 on x86-64. */
static const char mprotect[] =
	"name: sys_enter_mprotect\n"
	"ID: 705\n"
	"format:\n" COMMON "	field:int __syscall_nr;	offset:8;	size:4;	signed:1;\n"
	"	field:unsigned long start;	offset:16;	size:8;	signed:0;\n"
	"	field:size_t len;	offset:24;	size:8;	signed:0;\n"
	"	field:unsigned long prot;	offset:32;	size:8;	signed:0;\n"
	"\n"
	"print fmt: \"start: 0x%08lx, len: 0x%08lx, prot: 0x%08lx\", "
	"((unsigned long)(REC->start)), ((unsigned long)(REC->len)), "
	"((unsigned long)(REC->prot))\n";

/* The kinds of declarations that kernels have. */
static const char declarations[] =
	"name: odd\n"
	"ID: 1\n"
	"format:\n"
	"	field:char comm[16];	offset:8;	size:16;	signed:1;\n"
	"	field:__data_loc char[] filename;	offset:24;	size:4;	signed:1;\n"
	"	field:const char *const * argv;	offset:32;	size:8;	signed:0;\n"
	"	field:const char *name;	offset:40;	size:8;\n"
	"	field:__u8 saddr [28] ;	offset:48;	size:28;	signed:0;	more:7;\n"
	"print fmt: \"name: ID: field:;\n"
	"field:\n";

static void parse(const char *text, struct tracepoint_format *format)
{
	struct err err = ERR_INIT;

	assert_int_equal(tracepoint_format_parse(text, strlen(text), format, &err), 0);
	assert_null(err.msg);
}

static void expect_field(const struct tracepoint_format *format, const char *name, uint32_t offset,
			 uint32_t size, bool is_signed)
{
	const struct tracepoint_field *field = tracepoint_format_field(format, name);

	assert_non_null(field);
	assert_string_equal(field->name, name);
	assert_int_equal(field->offset, offset);
	assert_int_equal(field->size, size);
	assert_int_equal(field->is_signed, is_signed);
}

static void tracepoint_format_parse__kernel_text__all_fields(void **state)
{
	struct tracepoint_format format;

	(void)state;
	parse(mprotect, &format);
	assert_string_equal(format.name, "sys_enter_mprotect");
	assert_int_equal(format.id, 705);
	assert_int_equal(format.nr, 8);
	expect_field(&format, "common_type", 0, 2, false);
	expect_field(&format, "common_pid", 4, 4, true);
	expect_field(&format, "start", 16, 8, false);
	expect_field(&format, "len", 24, 8, false);
	expect_field(&format, "prot", 32, 8, false);
	assert_null(tracepoint_format_field(&format, "le"));
	assert_null(tracepoint_format_field(&format, ""));
	tracepoint_format_release(&format);
	assert_null(format.fields);
	assert_null(format.name);
}

static void tracepoint_format_parse__declarations__name_is_the_last_word(void **state)
{
	struct tracepoint_format format;

	(void)state;
	parse(declarations, &format);
	assert_int_equal(format.nr, 5);
	expect_field(&format, "comm", 8, 16, true);
	expect_field(&format, "filename", 24, 4, true);
	expect_field(&format, "argv", 32, 8, false);
	expect_field(&format, "name", 40, 8, false);
	expect_field(&format, "saddr", 48, 28, false);
	tracepoint_format_release(&format);
}

static void tracepoint_format_parse__end__is_nr_or_nul(void **state)
{
	static const char text[] =
		"name: a\nID: 2\nfield:int b; offset:8; size:4; signed:1;\0ID: x";
	struct tracepoint_format format;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(tracepoint_format_parse(text, sizeof(text), &format, &err), 0);
	expect_field(&format, "b", 8, 4, true);
	tracepoint_format_release(&format);
	/* cut before the end of the size, before the size, behind the ID */
	assert_int_equal(tracepoint_format_parse(text, strlen(text) - 11, &format, &err), 0);
	expect_field(&format, "b", 8, 4, false);
	tracepoint_format_release(&format);
	assert_int_equal(tracepoint_format_parse(text, strlen(text) - 18, &format, &err), -1);
	err_clear(&err);
	assert_int_equal(tracepoint_format_parse(text, 14, &format, &err), -1);
	err_clear(&err);
}

static void tracepoint_format_parse__no_format__says_what(void **state)
{
#define HEAD  "name: a\nID: 2\n"
#define FIELD "field:int b;offset:8;size:4;signed:1;\n"
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "the format has no 'name:'" },
		{ "ID: 2\n" FIELD, "the format has no 'name:'" },
		{ "name: a\n" FIELD, "the format has no 'ID:'" },
		{ HEAD "format:\n", "the format has no 'field:'" },
		{ HEAD "print fmt: 1\n" FIELD, "the format has no 'field:'" },
		{ "name:\nID: 2\n" FIELD, "line 1 of the format is damaged" },
		{ "name: a\nname: b\nID: 2\n" FIELD, "line 2 of the format is damaged" },
		{ "name: a\nID: two\n" FIELD, "line 2 of the format is damaged" },
		{ "name: a\nID:\n" FIELD, "line 2 of the format is damaged" },
		{ "name: a\nID: -2\n" FIELD, "line 2 of the format is damaged" },
		{ "name: a\nID: 2147483648\n" FIELD, "line 2 of the format is damaged" },
		{ HEAD "ID: 3\n" FIELD, "line 3 of the format is damaged" },
		{ HEAD FIELD "field:int b;offset:8;\n", "line 4 of the format is damaged" },
		{ HEAD FIELD "field:int b;size:8;\n", "line 4 of the format is damaged" },
		{ HEAD "field:;offset:8;size:4;\n", "line 3 of the format is damaged" },
		{ HEAD "field:int *;offset:8;size:4;\n", "line 3 of the format is damaged" },
		{ HEAD "field:[4];offset:8;size:4;\n", "line 3 of the format is damaged" },
		{ HEAD "field:int b;offset:4294967296;size:4;\n",
		  "line 3 of the format is damaged" },
		{ HEAD "field:int b;offset:99999999999999999999;size:4;\n",
		  "line 3 of the format is damaged" },
		{ HEAD "field:int b;offset:8;size:4;signed:2;\n",
		  "line 3 of the format is damaged" },
	};
	struct tracepoint_format format;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(tracepoint_format_parse(cases[i].text, strlen(cases[i].text),
							 &format, &err),
				 -1);
		assert_int_equal(err.code, ERR_CORRUPT);
		assert_string_equal(err.msg, cases[i].message);
		assert_int_equal(format.nr, 0);
		assert_null(format.fields);
		err_clear(&err);
	}
}

static void tracepoint_field_get__sizes_and_signs__give_values(void **state)
{
	static const unsigned char raw[] = { 0x80, 0x01, 0xff, 0xfe, 0x00, 0x00, 0x00, 0x80, 0x7f };
	static const struct {
		struct tracepoint_field field;
		uint64_t value;
	} cases[] = {
		{ { NULL, 0, 1, false, 0 }, 0x80 },
		{ { NULL, 0, 1, true, 0 }, UINT64_C(0xffffffffffffff80) },
		{ { NULL, 8, 1, true, 0 }, 0x7f },
		{ { NULL, 0, 2, false, 0 }, 0x0180 },
		{ { NULL, 0, 2, true, 0 }, 0x0180 },
		{ { NULL, 2, 2, true, 0 }, UINT64_C(0xfffffffffffffeff) },
		{ { NULL, 1, 4, false, 0 }, UINT64_C(0x00feff01) },
		{ { NULL, 4, 4, true, 0 }, UINT64_C(0xffffffff80000000) },
		{ { NULL, 0, 8, true, 0 }, UINT64_C(0x80000000feff0180) },
		{ { NULL, 1, 8, false, 0 }, UINT64_C(0x7f80000000feff01) },
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(tracepoint_field_get(&cases[i].field, raw, sizeof(raw), &value));
		assert_int_equal(value, cases[i].value);
	}
}

static void tracepoint_field_get__not_whole__fails(void **state)
{
	static const unsigned char raw[16];
	static const struct tracepoint_field cases[] = {
		{ NULL, 9, 8, false, 0 },  { NULL, 16, 1, false, 0 },
		{ NULL, 17, 1, false, 0 }, { NULL, UINT32_MAX, 8, false, 0 },
		{ NULL, 0, 0, false, 0 },  { NULL, 0, 3, false, 0 },
		{ NULL, 0, 16, false, 0 }, { NULL, 0, UINT32_MAX, false, 0 },
	};
	const struct tracepoint_field last = { NULL, 8, 8, false, 0 };
	uint64_t value = 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_false(tracepoint_field_get(&cases[i], raw, sizeof(raw), &value));
	assert_int_equal(value, 1);
	assert_false(tracepoint_field_get(&last, NULL, 0, &value));
	assert_true(tracepoint_field_get(&last, raw, sizeof(raw), &value));
	assert_int_equal(value, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_tracing__cut_anywhere__keeps_what_is_whole),
		cmocka_unit_test(tracepoint_format_parse__kernel_text__all_fields),
		cmocka_unit_test(tracepoint_format_parse__declarations__name_is_the_last_word),
		cmocka_unit_test(tracepoint_format_parse__end__is_nr_or_nul),
		cmocka_unit_test(tracepoint_format_parse__no_format__says_what),
		cmocka_unit_test(tracepoint_field_get__sizes_and_signs__give_values),
		cmocka_unit_test(tracepoint_field_get__not_whole__fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
