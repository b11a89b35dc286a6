#include "rundir/scrub.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/alloc.h"
#include "util/array.h"

static const struct {
	const char *from, *to;
} cases[] = {
	{ "", "" },
	{ "nothing here", "nothing here" },
	{ "/home/alice/rust", "/home/xxxxx/rust" },
	{ "-L/home/alice", "-L/home/xxxxx" },
	{ "\"/HOME/Alice\"", "\"/home/xxxxx\"" },
	{ "/home/alice2/rust", "/home/alice2/rust" },
	{ "/home/alice-old", "/home/xxxxx-old" },
	{ "2f686f6d652f616c6963652f72", "2f686f6d652f78787878782f72" },
	{ "/srv/alice/x", "/srv/xxxxx/x" },
	{ "/srv/alice", "/srv/xxxxx" },
	{ "C:\\Users\\alice\\x", "C:\\Users\\xxxxx\\x" },
	{ "/srv/alice-crate-1.0/x", "/srv/alice-crate-1.0/x" },
	{ "/srv/alice.rs", "/srv/alice.rs" },
	{ "--crate-name alice", "--crate-name alice" },
	{ "USER=alice", "USER=xxxxx" },
	{ "\"LOGNAME\": \"alice\",", "\"LOGNAME\": \"xxxxx\"," },
	{ "{\"USERNAME\":\"alice\"}", "{\"USERNAME\":\"xxxxx\"}" },
	{ "alice@build7: ~", "xxxxx@hostxx: ~" },
	{ "malice@x", "malice@x" },
	{ "build7.corp.example.com", "hostxxxxxxxxxxxxxxxxxxx" },
	{ "BUILD7 up", "hostxx up" },
	{ "rebuild7 build71 build7_x", "rebuild7 build71 build7_x" },
	{ "build7build7", "build7build7" },
	{ "build7-build7", "hostxx-hostxx" },
};

static struct scrub *new_scrub(void)
{
	return scrub_new("build7.corp.example.com", "alice", "/home/alice/");
}

static void scrub_text__cases__keep_their_length(void **state)
{
	struct scrub *scrub = new_scrub();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_adds(&text, cases[i].from);
		scrub_text(scrub, &text);
		if (strcmp(text.buf, cases[i].to) != 0)
			fail_msg("'%s' became '%s'", cases[i].from, text.buf);
		strbuf_release(&text);
	}
	scrub_free(scrub);
}

static void widen(struct strbuf *wide, const char *text)
{
	for (; *text; text++) {
		strbuf_addc(wide, *text);
		strbuf_addc(wide, '\0');
	}
}

static void scrub_text__utf16__is_found_at_any_offset(void **state)
{
	struct scrub *scrub = new_scrub();

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct strbuf text = STRBUF_INIT, expected = STRBUF_INIT;

		/* Hexadecimal is a thing of JSON. */
		if (!strncmp(cases[i / 2].from, "2f", 2))
			continue;
		strbuf_pad(&text, '\0', 2 + i % 2);
		strbuf_pad(&expected, '\0', 2 + i % 2);
		widen(&text, cases[i / 2].from);
		widen(&expected, cases[i / 2].to);
		scrub_text(scrub, &text);
		assert_int_equal(text.len, expected.len);
		assert_memory_equal(text.buf, expected.buf, text.len);
		strbuf_release(&text);
		strbuf_release(&expected);
	}
	scrub_free(scrub);
}

static void scrub_text__windows_home__is_found_in_each_spelling(void **state)
{
	static const char *const pairs[][2] = {
		{ "C:\\Users\\Bob Roe\\x", "C:\\Users\\xxxxxxx\\x" },
		{ "\"C:\\\\Users\\\\Bob Roe\\\\x\"", "\"C:\\\\Users\\\\xxxxxxx\\\\x\"" },
		{ "c:/users/bob roe/x", "C:/Users/xxxxxxx/x" },
	};
	struct scrub *scrub = scrub_new(NULL, NULL, "C:\\Users\\Bob Roe");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_adds(&text, pairs[i][0]);
		scrub_text(scrub, &text);
		assert_string_equal(text.buf, pairs[i][1]);
		strbuf_release(&text);
	}
	scrub_free(scrub);
}

static void scrub_new__names_of_nobody__replace_nothing(void **state)
{
	static const char text[] = "localhost /root / // /x localhost.localdomain";
	static const char *const given[][3] = {
		{ NULL, NULL, NULL },
		{ "localhost", "", "/" },
		{ "localhost.localdomain", NULL, "" },
		{ "", NULL, "root" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		struct scrub *scrub = scrub_new(given[i][0], given[i][1], given[i][2]);
		struct strbuf sb = STRBUF_INIT;

		strbuf_adds(&sb, text);
		scrub_text(scrub, &sb);
		assert_string_equal(sb.buf, text);
		strbuf_release(&sb);
		scrub_free(scrub);
	}
}

/* `text` through scrub_part() in pieces of `piece` bytes, as a stream is. */
static void scrub_in_pieces(const struct scrub *scrub, const struct strbuf *text, size_t piece,
			    struct strbuf *result)
{
	struct strbuf window = STRBUF_INIT;
	size_t done = 0, given = 0;

	for (size_t at = 0; at <= text->len; at += piece) {
		size_t len = text->len - at < piece ? text->len - at : piece;
		size_t drop = done > SCRUB_CONTEXT ? done - SCRUB_CONTEXT : 0;

		strbuf_add(&window, text->buf + at, len);
		memmove(window.buf, window.buf + drop, window.len - drop);
		strbuf_set_len(&window, window.len - drop);
		given = done - drop;
		done = scrub_part(scrub, window.buf, given, window.len, at + len == text->len);
		strbuf_add(result, window.buf + given, done - given);
		if (at + len == text->len)
			break;
	}
	strbuf_release(&window);
}

static void scrub_part__any_piece_size__is_as_a_whole(void **state)
{
	struct strbuf text = STRBUF_INIT, whole = STRBUF_INIT;
	struct scrub *scrub = new_scrub();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_adds(&text, cases[i].from);
		strbuf_addc(&text, '\n');
		widen(&text, cases[i].from);
		widen(&text, "\n");
	}
	strbuf_add(&whole, text.buf, text.len);
	scrub_text(scrub, &whole);
	for (size_t piece = 1; piece < 200; piece++) {
		struct strbuf result = STRBUF_INIT;

		scrub_in_pieces(scrub, &text, piece, &result);
		assert_int_equal(result.len, whole.len);
		assert_memory_equal(result.buf, whole.buf, whole.len);
		strbuf_release(&result);
	}
	strbuf_release(&text);
	strbuf_release(&whole);
	scrub_free(scrub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scrub_text__cases__keep_their_length),
		cmocka_unit_test(scrub_text__utf16__is_found_at_any_offset),
		cmocka_unit_test(scrub_text__windows_home__is_found_in_each_spelling),
		cmocka_unit_test(scrub_new__names_of_nobody__replace_nothing),
		cmocka_unit_test(scrub_part__any_piece_size__is_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
