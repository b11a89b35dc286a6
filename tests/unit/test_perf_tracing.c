#include "trace/perf/perf_tracing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_tracing__cut_anywhere__keeps_what_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
