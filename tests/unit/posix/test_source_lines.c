#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "platform/fs.h"
#include "symbol/elf/elf_file.h"
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

/*
 * A unit whose function has its name in another file. What names that file is replaced in a copy of this program; it leads
 * to a FIFO as it is.
 */
#define ALT_LENGTH 100
#define ALT_FIFO   "alt-fifo"

extern const char place_alt[];

/* clang-format off */
__asm__(".text\n"
	".globl place_alt\n"
	"place_alt: nop\nnop\n.Lalt_end:\n"
	".section .gnu_debugaltlink,\"\",%progbits\n"
	".string \"/proc/self/cwd/" ALT_FIFO "\"\n"
	".fill 120 - 24, 1, 0x41\n"
	".section .debug_abbrev,\"\",%progbits\n"
	".Lalt_abbrev:\n"
	".uleb128 1, 0x11\n.byte 1\n" /* compile_unit: low_pc, high_pc */
	".uleb128 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".uleb128 2, 0x2e\n.byte 0\n" /* subprogram: GNU_strp_alt name, low_pc, high_pc, decl_line */
	".uleb128 0x03, 0x1f21, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".byte 0\n"
	".section .debug_info,\"\",%progbits\n"
	".4byte .Lalt_unit_end - .Lalt_unit\n"
	".Lalt_unit:\n"
	".2byte 4\n.4byte .Lalt_abbrev\n.byte 8\n"
	".uleb128 1\n.8byte place_alt, .Lalt_end - place_alt\n"
	".uleb128 2\n.4byte 0\n.8byte place_alt, .Lalt_end - place_alt\n"
	".byte 0\n"
	".Lalt_unit_end:\n"
	".text\n");
/* clang-format on */

static void take_name(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	const char **name = data;

	(void)index;
	assert_int_equal(nr, 1);
	*name = lines[0].function ? "named" : "unknown";
}

/* Whether the function of `path` whose name is in another file has a name. */
static const char *ask_alt(const char *path)
{
	const uint64_t address = elf_place_of(place_alt).address;
	struct source_lines *lines;
	struct err err = ERR_INIT;
	const char *name = "no function";

	assert_int_equal(source_lines_open(path, NULL, &lines, &err), 0);
	source_lines_find(lines, &address, 1, NULL, (struct line_sink){ &name, take_name });
	source_lines_free(lines);
	return name;
}

/* A copy of this program, whose alternative file is itself if `right`; else it has another build id. */
static char *put_alt(const char *dir, bool right)
{
	struct strbuf sb = STRBUF_INIT, name = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct elf_file self;
	const uint8_t *id;
	char *path;
	size_t nr;

	strbuf_addf(&name, "%s/", dir);
	while (name.len < 99)
		strbuf_addc(&name, right ? 'r' : 'w');
	path = strbuf_detach(&name);
	assert_int_equal(elf_file_open(SELF, &self, &err), 0);
	elf_file_id(&self, &id, &nr);
	assert_int_equal(nr, 20);
	strbuf_add(&sb, self.map.data, self.map.size);
	for (size_t i = 0; i + 120 < sb.len; i++) {
		if (memcmp(sb.buf + i, "/proc/self/cwd/" ALT_FIFO "\0AAAA", 28) != 0)
			continue;
		memcpy(sb.buf + i, path, 100);
		memcpy(sb.buf + i + 100, id, nr);
		sb.buf[i + 100] ^= !right;
	}
	elf_file_close(&self);
	assert_int_equal(fs_write_atomic(path, sb.buf, sb.len, &err), 0);
	strbuf_release(&sb);
	return path;
}

static void source_lines_find__alternative_file__only_a_file_of_its_id(void **state)
{
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *right = put_alt(dir, true), *wrong = put_alt(dir, false);
	char *before = fs_absolute("."), *fifo = fs_join(dir, ALT_FIFO);

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(chdir(dir), 0);
	alarm(20);
	assert_string_equal(ask_alt(right), "named");
	assert_string_equal(ask_alt(wrong), "unknown");
	assert_string_equal(ask_alt(SELF), "unknown");
	alarm(0);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(fifo);
	free(before);
	free(wrong);
	free(right);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_lines_find__inlined__innermost_first),
		cmocka_unit_test(source_lines_find__two_threads__find_the_same),
		cmocka_unit_test(source_lines_find__alternative_file__only_a_file_of_its_id),
		cmocka_unit_test(source_lines_open__no_lines__says_so),
	};

	lines_target(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
