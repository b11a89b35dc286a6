#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "symbol/elf/source_lines.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

extern const char place_inner[], place_outer[];

int lines_target(int x);

/* clang-format off */
enum { INNER_LINE = __LINE__ + 3 };
static inline __attribute__((always_inline)) int lines_inner(int x)
{
	__asm__ volatile(".globl place_inner\nplace_inner: nop" : "+r"(x));
	return x;
}

enum { MIDDLE_LINE = __LINE__ + 3 };
static inline __attribute__((always_inline)) int lines_middle(int x)
{
	return lines_inner(x + 1);
}

enum { CALL_LINE = __LINE__ + 3, OUTER_LINE };
__attribute__((noinline)) int lines_target(int x)
{
	x = lines_middle(x);
	__asm__ volatile(".globl place_outer\nplace_outer: nop" : "+r"(x));
	return x;
}
/* clang-format on */

struct found {
	struct strbuf sb;
	size_t nr;
};

/* "index function:line<function:line..." */
static void take(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	struct found *found = data;

	strbuf_addf(&found->sb, "%zu", index);
	for (size_t i = 0; i < nr; i++) {
		assert_non_null(lines[i].file);
		assert_int_equal(lines[i].file[0], '/');
		assert_true(text_ends_with(lines[i].file, "tests/unit/posix/test_source_lines.c"));
		strbuf_addf(&found->sb, "%s%s:%u", i ? "<" : " ", lines[i].function,
			    (unsigned)lines[i].line);
	}
	strbuf_addc(&found->sb, '\n');
	found->nr++;
}

/* NULL where the tests are built without line numbers. */
static struct source_lines *open_self(const char *debug_path)
{
	struct source_lines *lines = NULL;
	struct err err = ERR_INIT;

	if (source_lines_open(SELF, debug_path, &lines, &err)) {
		assert_int_equal(err.code, ERR_NOT_FOUND);
		err_clear(&err);
	}
	return lines;
}

static void expect(struct source_lines *lines, const uint64_t *addresses, size_t nr,
		   const char *expected)
{
	struct found found = { STRBUF_INIT, 0 };

	source_lines_find(lines, addresses, nr, NULL, (struct line_sink){ &found, take });
	assert_string_equal(found.sb.buf, expected);
	strbuf_release(&found.sb);
}

static void source_lines_find__inlined__innermost_first(void **state)
{
	struct source_lines *lines = open_self(NULL);
	const uint64_t inner = elf_place_of(place_inner).address;
	const uint64_t outer = elf_place_of(place_outer).address;
	const uint64_t all[] = { 0, inner, outer, outer, UINT64_MAX };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	if (!lines)
		skip();
	assert_true(inner < outer);
	strbuf_addf(&sb, "1 lines_inner:%d<lines_middle:%d<lines_target:%d\n", INNER_LINE,
		    MIDDLE_LINE, CALL_LINE);
	strbuf_addf(&sb, "2 lines_target:%d\n3 lines_target:%d\n", OUTER_LINE, OUTER_LINE);
	expect(lines, all, ARRAY_SIZE(all), sb.buf);
	expect(lines, all, ARRAY_SIZE(all), sb.buf);
	expect(lines, all, 0, "");
	source_lines_free(lines);

	lines = open_self("/nonexistent");
	expect(lines, all, ARRAY_SIZE(all), sb.buf);
	source_lines_free(lines);
	lines = open_self(SELF);
	expect(lines, all, ARRAY_SIZE(all), sb.buf);
	source_lines_free(lines);
	strbuf_release(&sb);
}

struct counted {
	size_t times[1000];
	uint32_t lines[1000];
};

static void count(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	struct counted *counted = data;

	counted->times[index]++;
	counted->lines[index] = lines[nr - 1].line;
}

/* All of the test's own code, which is of several compilation units. */
static void source_lines_find__two_threads__find_the_same(void **state)
{
	struct source_lines *lines = open_self(NULL);
	const uint64_t middle = elf_place_of(place_inner).address;
	struct counted counted[2] = { { .times = { 0 } }, { .times = { 0 } } };
	struct helper *helper = helper_new(2);
	uint64_t addresses[1000];
	size_t nr = 0;

	(void)state;
	if (!lines)
		skip();
	for (uint64_t i = 0; i < 1000; i++)
		addresses[i] = middle - 1000 + i * 16;
	for (int i = 0; i < 2; i++)
		source_lines_find(lines, addresses, 1000, i ? helper : NULL,
				  (struct line_sink){ &counted[i], count });
	helper_free(helper);
	for (int i = 0; i < 1000; i++)
		nr += counted[0].times[i];
	assert_true(nr > 256);
	assert_memory_equal(&counted[0], &counted[1], sizeof(counted[0]));
	source_lines_free(lines);
}

static void source_lines_open__no_lines__says_so(void **state)
{
	struct source_lines *lines = NULL;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(source_lines_open("/nonexistent", NULL, &lines, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	assert_int_equal(source_lines_open("/etc/passwd", NULL, &lines, &err), -1);
	assert_int_equal(err.code, ERR_CORRUPT);
	err_clear(&err);
	source_lines_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_lines_find__inlined__innermost_first),
		cmocka_unit_test(source_lines_find__two_threads__find_the_same),
		cmocka_unit_test(source_lines_open__no_lines__says_so),
	};

	lines_target(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
