/*
 * Stage 1 compilers of a few kinds, compiled for the purpose, in a build directory like bootstrap's.
 */
#include "record/compiler_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/child.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define LONG      (120 * NS_PER_S)
#define FUNCTIONS 80

struct place {
	char *temp, *source;
};

/* Functions that are large enough to be looked at, and keep something over a call. */
static void write_source(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	strbuf_adds(&text, "__attribute__((noinline, noclone)) int outside(int *, int);\n");
	for (int i = 0; i < FUNCTIONS; i++) {
		strbuf_addf(&text, "int f%d(int *v, int n)\n{\n\tint s = n;\n", i);
		for (int k = 0; k < 14; k++)
			strbuf_addf(&text, "\ts += outside(v + s, v[%d] * s);\n", k + i);
		strbuf_adds(&text, "\treturn s;\n}\n");
	}
	strbuf_adds(&text, "int outside(int *v, int n)\n{\n\treturn v[n];\n}\n"
			   "int main(void)\n{\n\treturn 0;\n}\n");
	assert_int_equal(fs_write_atomic(path, text.buf, text.len, &err), 0);
	strbuf_release(&text);
}

static int setup(void **state)
{
	struct place *place = xmalloc(sizeof(*place));
	struct err err = ERR_INIT;

	place->temp = fs_temp_dir(&err);
	assert_non_null(place->temp);
	place->source = fs_join(place->temp, "compiler.c");
	write_source(place->source);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	int rc = fs_remove_tree(place->temp, &err);

	free(place->temp);
	free(place->source);
	free(place);
	return rc;
}

/* Compile the source with these words to a path below the temporary directory. */
static void compile(const struct place *place, const char *flags, const char *name)
{
	char *path = fs_join(place->temp, name), *dir = fs_dirname(path);
	char *script = xasprintf("${CC:-cc} -w -O1 %s -o '%s' '%s'", flags, path, place->source);
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	assert_int_equal(fs_mkdir_all(dir, &err), 0);
	strvec_push(&argv, "sh");
	strvec_push(&argv, "-c");
	strvec_push(&argv, script);
	assert_int_equal(child_capture(&argv, place->temp, LONG, &output, &exit_code, &err), 0);
	if (exit_code)
		fail_msg("%s: %s", script, output.buf);
	strbuf_release(&output);
	strvec_release(&argv);
	free(script);
	free(dir);
	free(path);
}

static struct finding_list check(const struct place *place)
{
	struct finding_list findings = FINDING_LIST_INIT;
	char *dir = fs_join(place->temp, "build");

	compiler_check(dir, &findings);
	free(dir);
	return findings;
}

static bool says(const struct finding_list *findings, enum finding_level level, const char *words)
{
	for (size_t i = 0; i < findings->nr; i++) {
		if (findings->v[i].level == level && strstr(findings->v[i].what, words))
			return true;
	}
	return false;
}

static void print(const struct finding_list *findings)
{
	for (size_t i = 0; i < findings->nr; i++)
		print_message("%d: %s\n", findings->v[i].level, findings->v[i].what);
}

#define STAGE1   "build/x86_64-unknown-linux-gnu/stage1/"
#define FRAMES   "-fno-omit-frame-pointer"
#define NOFRAMES "-fomit-frame-pointer"

static void compiler_check__each_kind__is_reported(void **state)
{
	static const struct {
		const char *flags;
		enum finding_level level;
		const char *words;
		size_t findings;
	} cases[] = {
		{ "-g1 " FRAMES, FINDING_OK, "has symbols, lines and frame pointers", 1 },
		{ "-g1 -gz " FRAMES, FINDING_OK, "has symbols, lines and frame pointers", 1 },
		{ "-g0 " FRAMES, FINDING_WARNING, "no line information", 1 },
		{ "-g1 -s " FRAMES, FINDING_WARNING, "no symbols", 1 },
		{ "-g1 " NOFRAMES, FINDING_WARNING, "set up a frame pointer", 1 },
		{ "-g0 " NOFRAMES, FINDING_WARNING, "set up a frame pointer", 2 },
	};
	struct place *place = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct finding_list findings;

		compile(place, cases[i].flags, STAGE1 "bin/rustc");
		findings = check(place);
		if (!says(&findings, cases[i].level, cases[i].words) ||
		    findings.nr != cases[i].findings) {
			print(&findings);
			fail_msg("%s: not said: %s", cases[i].flags, cases[i].words);
		}
		finding_list_release(&findings);
	}
}

/* Nearly all of the compiler is in the driver; rustc itself is a stub. */
static void compiler_check__driver_library__is_what_is_looked_at(void **state)
{
	struct place *place = *state;
	struct finding_list findings;

	compile(place, "-g0 -s " NOFRAMES, STAGE1 "bin/rustc");
	compile(place, "-g1 -shared -fPIC " FRAMES,
		STAGE1 "lib/librustc_driver-0123456789abcdef.so");
	findings = check(place);
	if (!says(&findings, FINDING_OK, "has symbols, lines and frame pointers"))
		print(&findings);
	assert_int_equal(findings.nr, 1);
	assert_int_equal(findings.v[0].level, FINDING_OK);
	finding_list_release(&findings);
	compile(place, "-g1 -shared -fPIC " NOFRAMES,
		STAGE1 "lib/librustc_driver-0123456789abcdef.so");
	findings = check(place);
	assert_true(says(&findings, FINDING_WARNING, "librustc_driver-0123456789abcdef.so"));
	finding_list_release(&findings);
}

static void compiler_check__no_stage1__is_an_error(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	struct finding_list findings = check(place);
	char *dir = fs_join(place->temp, "build/x/stage1/bin"), *rustc = fs_join(dir, "rustc");

	assert_true(says(&findings, FINDING_ERROR, "no stage 1 compiler"));
	finding_list_release(&findings);
	/* One that can't be run is none. */
	assert_int_equal(fs_mkdir_all(dir, &err), 0);
	assert_int_equal(fs_write_atomic(rustc, "x", 1, &err), 0);
	findings = check(place);
	assert_true(says(&findings, FINDING_ERROR, "no stage 1 compiler"));
	finding_list_release(&findings);
	free(rustc);
	free(dir);
}

/* A stage 1 for another host, of which "host" is a link to ours. */
static void compiler_check__link_to_the_host__is_not_taken_twice(void **state)
{
	struct place *place = *state;
	struct finding_list findings;
	char *link = fs_join(place->temp, "build/host");

	compile(place, "-g1 " FRAMES, STAGE1 "bin/rustc");
	assert_int_equal(symlink("x86_64-unknown-linux-gnu", link), 0);
	findings = check(place);
	assert_int_equal(findings.nr, 1);
	assert_int_equal(findings.v[0].level, FINDING_OK);
	finding_list_release(&findings);
	free(link);
}

/* Cut anywhere, as after a full disk: something is said or nothing, but it is not read past its end. */
static void compiler_check__damaged_file__is_survived(void **state)
{
	struct place *place = *state;
	char *path = fs_join(place->temp, STAGE1 "bin/rustc");
	struct strbuf whole = STRBUF_INIT;
	struct err err = ERR_INIT;

	compile(place, "-g1 " FRAMES, STAGE1 "bin/rustc");
	assert_int_equal(fs_read(path, 16 << 20, &whole, &err), 0);
	for (size_t i = 0; i <= 64; i++) {
		struct finding_list findings;

		assert_int_equal(fs_write_atomic(path, whole.buf, whole.len * i / 64, &err), 0);
		assert_int_equal(fs_set_executable(path, &err), 0);
		findings = check(place);
		finding_list_release(&findings);
	}
	for (size_t i = 16; i < 64; i++) {
		char *data = xmalloc(whole.len);
		struct finding_list findings;

		/* The file's header with one byte of it damaged. */
		memcpy(data, whole.buf, whole.len);
		data[i] = (char)~data[i];
		assert_int_equal(fs_write_atomic(path, data, whole.len, &err), 0);
		assert_int_equal(fs_set_executable(path, &err), 0);
		findings = check(place);
		finding_list_release(&findings);
		free(data);
	}
	strbuf_release(&whole);
	free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(compiler_check__each_kind__is_reported),
		TEST(compiler_check__driver_library__is_what_is_looked_at),
		TEST(compiler_check__no_stage1__is_an_error),
		TEST(compiler_check__link_to_the_host__is_not_taken_twice),
		TEST(compiler_check__damaged_file__is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
