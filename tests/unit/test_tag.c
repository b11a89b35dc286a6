/*
 * The cases are data: the head of tests/data/tag-cases.txt says how to read and add one. Run from the
 * project's root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tag/argv.h"
#include "tag/path.h"
#include "tag/tag.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/strbuf.h"
#include "util/text.h"

#define CASES "tests/data/tag-cases.txt"

enum key {
	KEY_CASE,
	KEY_EXE,
	KEY_ARGV,
	KEY_STAGE,
	KEY_PACKAGE,
	KEY_TARGET_DIR,
	KEY_CWD,
	KEY_PARENT,
	KEY_BEFORE,
	KEY_NUMBERING,
	KEY_RULE,
	KEY_FORKED,
	KEY_LOST,
	KEY_TAG,
	KEY_WHY,
	KEY_SHOWS,
	KEY_COUNT
};

static const char *const key_names[KEY_COUNT] = {
	[KEY_CASE] = "case",       [KEY_EXE] = "exe",
	[KEY_ARGV] = "argv",       [KEY_STAGE] = "stage",
	[KEY_PACKAGE] = "package", [KEY_TARGET_DIR] = "target-dir",
	[KEY_CWD] = "cwd",         [KEY_PARENT] = "parent",
	[KEY_BEFORE] = "before",   [KEY_NUMBERING] = "numbering",
	[KEY_RULE] = "rule",       [KEY_FORKED] = "forked",
	[KEY_LOST] = "lost",       [KEY_TAG] = "tag",
	[KEY_WHY] = "why",         [KEY_SHOWS] = "shows",
};

struct tag_case {
	char *text[KEY_COUNT];
};

struct case_list {
	struct tag_case *v;
	size_t nr, alloc;
};

/* {B}: the build directory; {T}: the triple. */
static char *expand(const char *s)
{
	struct strbuf out = STRBUF_INIT;

	for (; *s; s++) {
		if (text_starts_with(s, "{B}"))
			strbuf_adds(&out, "/b/rust/build");
		else if (text_starts_with(s, "{T}"))
			strbuf_adds(&out, "x86_64-unknown-linux-gnu");
		else {
			strbuf_addc(&out, *s);
			continue;
		}
		s += 2;
	}
	return strbuf_detach(&out);
}

static void add_prefix(char **text, const char *prefix)
{
	char *whole = xasprintf("%s%s", prefix, *text);

	free(*text);
	*text = whole;
}

static void add_line(struct case_list *list, const char *line, int number)
{
	const char *colon = strchr(line, ':');
	enum key key = 0;

	while (colon && key < KEY_COUNT &&
	       (strlen(key_names[key]) != (size_t)(colon - line) ||
		strncmp(key_names[key], line, (size_t)(colon - line)) != 0))
		key++;
	if (!colon || key == KEY_COUNT)
		fail_msg("%s:%d: not a key of a case", CASES, number);
	if (key == KEY_CASE) {
		ARRAY_GROW(list->v, list->nr + 1, list->alloc);
		list->v[list->nr++] = (struct tag_case){ { NULL } };
	}
	if (!list->nr || list->v[list->nr - 1].text[key])
		fail_msg("%s:%d: key out of place", CASES, number);
	list->v[list->nr - 1].text[key] = expand(colon + 1 + strspn(colon + 1, " "));
	if (key == KEY_CASE)
		add_prefix(&list->v[list->nr - 1].text[key], "tag_process__");
}

static void read_cases(struct case_list *list)
{
	static char line[64 * 1024];
	FILE *file = fopen(CASES, "rb");
	int number = 0;

	if (!file) {
		fprintf(stderr, "cannot open '%s': run from the project's root\n", CASES);
		exit(1);
	}
	while (fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (*line && *line != '#')
			add_line(list, line, number);
	}
	fclose(file);
}

static void release_cases(struct case_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		for (size_t key = 0; key < KEY_COUNT; key++)
			free(list->v[i].text[key]);
	free(list->v);
}

static char *word_or_null(const char *word)
{
	return strcmp(word, "-") != 0 ? xstrdup(word) : NULL;
}

/* "rustc 1 stage2-rustc rustc_hir lib x86_64-unknown-linux-gnu", "-" where there is none. */
static void parse_tag(const char *text, struct tag *tag)
{
	struct strvec words = STRVEC_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(quote_split(text, &words, &err), 0);
	while (words.nr < 6)
		strvec_push(&words, "-");
	if (!role_parse(words.v[0], &tag->role))
		fail_msg("no role '%s'", words.v[0]);
	tag->built_by = strcmp(words.v[1], "-") != 0 ? atoi(words.v[1]) : STAGE_UNKNOWN;
	tag->part = word_or_null(words.v[2]);
	tag->crate = word_or_null(words.v[3]);
	tag->crate_type = word_or_null(words.v[4]);
	tag->target = word_or_null(words.v[5]);
	strvec_release(&words);
}

static void add_word(struct strbuf *sb, const char *word)
{
	strbuf_addc(sb, ' ');
	strbuf_adds(sb, word ? word : "-");
}

static char *show_tag(const struct tag *tag)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, role_name(tag->role));
	if (tag->built_by == STAGE_UNKNOWN)
		strbuf_adds(&sb, " -");
	else
		strbuf_addf(&sb, " %d", tag->built_by);
	add_word(&sb, tag->part);
	add_word(&sb, tag->crate);
	add_word(&sb, tag->crate_type);
	add_word(&sb, tag->target);
	return strbuf_detach(&sb);
}

static enum tag_numbering parse_numbering(const char *text)
{
	if (!text || !strcmp(text, "unknown"))
		return NUMBERING_UNKNOWN;
	return !strcmp(text, "old") ? NUMBERING_OLD : NUMBERING_NEW;
}

static void parse_rules(const char *text, struct tag_rules *rules)
{
	struct strvec words = STRVEC_INIT;
	struct err err = ERR_INIT;
	enum role role;

	assert_int_equal(quote_split(text, &words, &err), 0);
	for (size_t i = 0; i + 1 < words.nr; i += 2) {
		assert_true(role_parse(words.v[i], &role));
		tag_rules_add(rules, role, words.v[i + 1]);
	}
	strvec_release(&words);
}

static void check_tag(const struct tag_case *c, const struct tag *tag)
{
	struct tag want = TAG_INIT;
	char *shown = show_tag(tag), *wanted;

	parse_tag(c->text[KEY_TAG], &want);
	wanted = show_tag(&want);
	assert_string_equal(shown, wanted);
	if (tag->role == ROLE_OTHER)
		assert_non_null(tag->why);
	else
		assert_null(tag->why);
	if (c->text[KEY_WHY])
		assert_string_equal(tag->why, c->text[KEY_WHY]);
	tag_release(&want);
	free(shown);
	free(wanted);
}

static void tag_process__case_of_the_table__is_tagged(void **state)
{
	const struct tag_case *c = *state;
	struct tag tag = TAG_INIT, parent = TAG_INIT, before = TAG_INIT;
	struct tag_rules rules = TAG_RULES_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	struct tag_input in = {
		.exe = c->text[KEY_EXE],
		.argv = &argv,
		.rustc_stage = c->text[KEY_STAGE],
		.package = c->text[KEY_PACKAGE],
		.target_dir = c->text[KEY_TARGET_DIR],
		.cwd = c->text[KEY_CWD],
		.argv_lost = c->text[KEY_LOST],
		.exec_seen = !c->text[KEY_FORKED],
		.numbering = parse_numbering(c->text[KEY_NUMBERING]),
	};

	if (c->text[KEY_ARGV])
		assert_int_equal(quote_split(c->text[KEY_ARGV], &argv, &err), 0);
	if (c->text[KEY_PARENT]) {
		parse_tag(c->text[KEY_PARENT], &parent);
		in.parent = &parent;
	}
	if (c->text[KEY_BEFORE]) {
		parse_tag(c->text[KEY_BEFORE], &before);
		in.before_exec = &before;
	}
	if (c->text[KEY_RULE])
		parse_rules(c->text[KEY_RULE], &rules);
	tag_process(&rules, &in, &tag);
	check_tag(c, &tag);
	if (c->text[KEY_SHOWS])
		assert_int_equal(tag_detect_numbering(&in), parse_numbering(c->text[KEY_SHOWS]));
	tag_release(&tag);
	tag_release(&parent);
	tag_release(&before);
	tag_rules_release(&rules);
	strvec_release(&argv);
}

static void tag_process__input_points_to_result__is_safe(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct tag tag = { .role = ROLE_RUSTC_SHIM, .built_by = 1, .crate = xstrdup("core") };
	struct tag_input in = { .exe = "/usr/bin/rustc",
				.argv = &argv,
				.exec_seen = true,
				.parent = &tag,
				.before_exec = &tag };

	(void)state;
	tag_process(NULL, &in, &tag);
	assert_int_equal(tag.role, ROLE_RUSTC);
	assert_int_equal(tag.built_by, 1);
	assert_string_equal(tag.crate, "core");
	tag_release(&tag);
}

static void tag_process__numbering_learnt_later__changes_the_part(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct tag tag = TAG_INIT;
	struct tag_input in = { .argv = &argv, .exec_seen = true };

	(void)state;
	strvec_push(&argv, "D:\\build\\host\\stage1-rustc\\release\\build\\psm-922c9b2b40668fd4"
			   "\\build-script-build.exe");
	tag_process(NULL, &in, &tag);
	assert_string_equal(tag.part, "stage1-rustc");
	assert_int_equal(tag.built_by, 0);
	in.numbering = NUMBERING_OLD;
	tag_process(NULL, &in, &tag);
	assert_string_equal(tag.part, "stage2-rustc");
	assert_int_equal(tag.built_by, 1);
	tag_release(&tag);
	strvec_release(&argv);
}

/* Each child takes them from its parent. */
static void tag_process__text_longer_than_a_file_name__is_none(void **state)
{
	char name[TAG_TEXT_MAX + 2] = "";
	struct strvec argv = STRVEC_INIT;
	struct tag_input in = { .exe = "/b/rustc", .argv = &argv, .exec_seen = true };
	struct tag tag = TAG_INIT;

	(void)state;
	memset(name, 'a', TAG_TEXT_MAX);
	for (int i = 0; i < 2; i++) {
		strvec_push(&argv, "rustc");
		strvec_pushf(&argv, "--crate-name=%s", name);
		strvec_pushf(&argv, "--crate-type=%s", name);
		strvec_pushf(&argv, "--target=%s", name);
		tag_process(NULL, &in, &tag);
		assert_int_equal(tag.role, ROLE_RUSTC);
		assert_int_equal(!tag.crate, i);
		assert_int_equal(!tag.crate_type, i);
		assert_int_equal(!tag.target, i);
		strvec_clear(&argv);
		name[TAG_TEXT_MAX] = 'a';
	}
	tag_release(&tag);
	strvec_release(&argv);
}

static void tag_copy__onto_another__is_deep(void **state)
{
	struct tag from = { .role = ROLE_RUSTC, .built_by = 1, .crate = xstrdup("core") };
	struct tag to = { .role = ROLE_LINK, .part = xstrdup("stage1-std") };

	(void)state;
	tag_copy(&to, &from);
	assert_string_equal(to.crate, "core");
	assert_ptr_not_equal(to.crate, from.crate);
	assert_null(to.part);
	tag_copy(&to, &to);
	assert_string_equal(to.crate, "core");
	tag_release(&from);
	tag_release(&to);
	assert_int_equal(to.built_by, STAGE_UNKNOWN);
}

static void role_parse__every_name__comes_back(void **state)
{
	enum role role;

	(void)state;
	for (int i = 0; i < ROLE_COUNT; i++) {
		assert_true(role_parse(role_name((enum role)i), &role));
		assert_int_equal(role, i);
	}
	assert_false(role_parse("linker", &role));
	assert_false(role_parse("", &role));
}

static void path_file__both_separators__gives_the_name(void **state)
{
	static const char *const table[][2] = {
		{ "C:\\b\\rustc.exe", "rustc" },
		{ "/usr/bin/cc", "cc" },
		{ "cc", "cc" },
		{ "d:/b\\LINK.EXE", "LINK" },
		{ "/b/rustc (deleted)", "rustc" },
		{ "/b/", "" },
		{ "", "" },
		{ ".exe", ".exe" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct span image = path_file(table[i][0]);

		assert_int_equal(image.len, strlen(table[i][1]));
		assert_memory_equal(image.s, table[i][1], image.len);
	}
}

static void rustc_is_sequential__units_and_threads__the_last_ones_count(void **state)
{
	static const struct {
		const char *words[8];
		bool sequential;
	} cases[] = {
		{ { "rustc", "a.rs" }, false },
		{ { "rustc", "-C", "codegen-units=1", "a.rs" }, true },
		{ { "rustc", "-Ccodegen-units=1" }, true },
		{ { "rustc", "--codegen", "codegen-units=1" }, true },
		{ { "rustc", "--codegen=codegen-units=1" }, true },
		{ { "rustc", "-C", "codegen-units=16" }, false },
		{ { "rustc", "-Ccodegen-units=16", "-Ccodegen-units=1" }, true },
		{ { "rustc", "-Ccodegen-units=1", "-Ccodegen-units=16" }, false },
		{ { "rustc", "-Ccodegen-units=1", "-C", "opt-level=3" }, true },
		{ { "rustc", "-Ccodegen-units=1", "-Zthreads=8" }, false },
		{ { "rustc", "-Ccodegen-units=1", "-Z", "threads=1" }, true },
		{ { "rustc", "-C", "codegen-units=1", "-Z", "unstable-options" }, true },
		{ { "codegen-units=1", "-C" }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec argv = STRVEC_INIT;

		for (size_t k = 0; cases[i].words[k]; k++)
			strvec_push(&argv, cases[i].words[k]);
		assert_int_equal(rustc_is_sequential(&argv, 1), cases[i].sequential);
		strvec_release(&argv);
	}
}

int main(void)
{
	static const struct CMUnitTest own[] = {
		cmocka_unit_test(rustc_is_sequential__units_and_threads__the_last_ones_count),
		cmocka_unit_test(tag_process__input_points_to_result__is_safe),
		cmocka_unit_test(tag_process__numbering_learnt_later__changes_the_part),
		cmocka_unit_test(tag_process__text_longer_than_a_file_name__is_none),
		cmocka_unit_test(tag_copy__onto_another__is_deep),
		cmocka_unit_test(role_parse__every_name__comes_back),
		cmocka_unit_test(path_file__both_separators__gives_the_name),
	};
	struct case_list list = { NULL, 0, 0 };
	struct CMUnitTest *tests;
	int failed;

	read_cases(&list);
	tests = xcalloc(list.nr + ARRAY_SIZE(own), sizeof(*tests));
	for (size_t i = 0; i < list.nr; i++)
		tests[i] = (struct CMUnitTest){
			.name = list.v[i].text[KEY_CASE],
			.test_func = tag_process__case_of_the_table__is_tagged,
			.initial_state = &list.v[i],
		};
	memcpy(tests + list.nr, own, sizeof(own));
	failed = _cmocka_run_group_tests("tag", tests, list.nr + ARRAY_SIZE(own), NULL, NULL);
	release_cases(&list);
	free(tests);
	return failed ? 1 : 0;
}
