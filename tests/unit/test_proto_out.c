#include "report/proto_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"

static void expect(struct strbuf *sb, const char *bytes, size_t nr)
{
	assert_int_equal(sb->len, nr);
	assert_memory_equal(sb->buf, bytes, nr);
	strbuf_release(sb);
}

/* The values are those of "Encoding" in the documentation of Protocol Buffers, and the ends of the range. */
static void proto_int__values__encoded(void **state)
{
	static const struct {
		uint32_t field;
		int64_t value;
		const char *bytes;
		size_t nr;
	} cases[] = {
		{ 1, 150, "\x08\x96\x01", 3 },
		{ 1, 0, "\x08\x00", 2 },
		{ 1, 127, "\x08\x7f", 2 },
		{ 1, 128, "\x08\x80\x01", 3 },
		{ 16, 1, "\x80\x01\x01", 3 },
		{ 135, 1, "\xb8\x08\x01", 3 },
		{ 1, -2, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
		{ 1, INT64_MAX, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		proto_int(&sb, cases[i].field, cases[i].value);
		expect(&sb, cases[i].bytes, cases[i].nr);
	}
}

static void proto_message__nested_and_empty__have_lengths(void **state)
{
	struct strbuf sb = STRBUF_INIT, inner = STRBUF_INIT;

	(void)state;
	proto_message(&sb, 2, &inner);
	proto_int(&inner, 1, 150);
	proto_message(&sb, 3, &inner);
	expect(&sb, "\x12\x00\x1a\x03\x08\x96\x01", 7);
	strbuf_release(&inner);
}

static void proto_text__not_utf8__replaced(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	proto_text(&sb, 2, "testing");
	proto_text(&sb, 2, "");
	proto_text(&sb, 2, "a\xff");
	expect(&sb,
	       "\x12\x07testing\x12\x00\x12\x04"
	       "a\xef\xbf\xbd",
	       17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proto_int__values__encoded),
		cmocka_unit_test(proto_message__nested_and_empty__have_lengths),
		cmocka_unit_test(proto_text__not_utf8__replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
