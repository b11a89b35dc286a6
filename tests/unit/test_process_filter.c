#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/process_filter.h"
#include "util/array.h"

static void add(struct process_list *list, int64_t pid, const char *exe, enum role role,
		const char *crate, const char *part, int64_t start_s, int64_t end_s)
{
	struct process *process = process_list_add(list);

	process->pid = pid;
	process->exe = xstrdup(exe);
	process->tag.role = role;
	process->tag.crate = xstrdup_or_null(crate);
	process->tag.part = xstrdup_or_null(part);
	process->start_ns = start_s * INT64_C(1000000000);
	process->end_ns = end_s < 0 ? PROCESS_UNKNOWN : end_s * INT64_C(1000000000);
}

static void fill(struct process_list *list)
{
	add(list, 1, "/usr/bin/python3", ROLE_X_PY, NULL, NULL, 0, -1);
	add(list, 2, "/b/cargo", ROLE_CARGO, NULL, "stage1-std", 1, 100);
	add(list, 3, "/b/rustc", ROLE_RUSTC, "serde", "stage1-std", 2, 10);
	add(list, 4, "/b/rustc", ROLE_RUSTC, "serde_derive", "stage2-rustc", 10, 20);
	strvec_push(&list->v[2]->argv, "/b/stage1/bin/my-rustc");
	add(list, 5, "C:\\b\\Link.EXE", ROLE_LINK, "serde_derive", "stage2-rustc", 15, 15);
}

/* The pids that match, as text. */
static void expect(const struct process_filter *filter, const char *pids)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct strbuf found = STRBUF_INIT;

	fill(&list);
	for (size_t i = 0; i < list.nr; i++) {
		if (process_filter_match(filter, list.v[i]))
			strbuf_addf(&found, "%d ", (int)list.v[i]->pid);
	}
	assert_string_equal(found.buf, pids);
	strbuf_release(&found);
	process_list_release(&list);
}

static void process_filter_match__names__exact_glob_and_any_of_several(void **state)
{
	static const struct {
		size_t offset;
		const char *values[3];
		const char *pids;
	} cases[] = {
		{ offsetof(struct process_filter, roles), { "rustc" }, "3 4 " },
		{ offsetof(struct process_filter, roles), { "rustc", "link" }, "3 4 5 " },
		{ offsetof(struct process_filter, roles), { "*" }, "1 2 3 4 5 " },
		{ offsetof(struct process_filter, parts), { "stage1-std" }, "2 3 " },
		{ offsetof(struct process_filter, parts), { "stage?-*" }, "2 3 4 5 " },
		{ offsetof(struct process_filter, crates), { "serde" }, "3 " },
		{ offsetof(struct process_filter, crates), { "serde*" }, "3 4 5 " },
		{ offsetof(struct process_filter, crates), { "Serde" }, "" },
		{ offsetof(struct process_filter, processes), { "rustc" }, "3 4 " },
		{ offsetof(struct process_filter, processes), { "4" }, "4 " },
		{ offsetof(struct process_filter, processes), { "link" }, "5 " },
		{ offsetof(struct process_filter, processes), { "link.exe" }, "5 " },
		{ offsetof(struct process_filter, processes), { "LINK*" }, "5 " },
		{ offsetof(struct process_filter, processes), { "py*", "cargo" }, "1 2 " },
		{ offsetof(struct process_filter, processes), { "my-rustc" }, "3 " },
		{ offsetof(struct process_filter, processes), { "" }, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct process_filter filter = PROCESS_FILTER_INIT;
		struct strvec *values = (struct strvec *)((char *)&filter + cases[i].offset);

		for (size_t j = 0; cases[i].values[j]; j++)
			strvec_push(values, cases[i].values[j]);
		expect(&filter, cases[i].pids);
		process_filter_release(&filter);
	}
}

static void process_filter_match__several_filters__narrow(void **state)
{
	struct process_filter filter = PROCESS_FILTER_INIT;

	(void)state;
	strvec_push(&filter.roles, "rustc");
	strvec_push(&filter.parts, "stage2-rustc");
	expect(&filter, "4 ");
	process_filter_release(&filter);
}

static void process_filter_match__time__overlap(void **state)
{
	static const struct {
		const char *time;
		const char *pids;
	} cases[] = {
		{ "..", "1 2 3 4 5 " }, { "0..1", "1 " },         { "..2", "1 2 " },
		{ "5s..6s", "1 2 3 " }, { "10..11", "1 2 4 " },   { "9.5s..10.5", "1 2 3 4 " },
		{ "14..15", "1 2 4 " }, { "15..16", "1 2 4 5 " }, { "15001ms..16", "1 2 4 " },
		{ "1m40s..", "1 " },    { "99..3h", "1 2 " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct process_filter filter = PROCESS_FILTER_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(process_filter_set_time(&filter, cases[i].time, &err), 0);
		expect(&filter, cases[i].pids);
		process_filter_release(&filter);
	}
}

#define FORM "A..B, as in 12.5s..3m20s (the larger unit first, seconds after minutes below 60)"

static void process_filter_set_time__mistakes__fail(void **state)
{
	static const struct {
		const char *time;
		const char *msg;
	} cases[] = {
		{ "12", "'12' is not a time range " FORM },
		{ "", "'' is not a time range " FORM },
		{ "a..b", "'a..b' is not a time range " FORM },
		{ "1..2..3", "'1..2..3' is not a time range " FORM },
		{ "-1..2", "'-1..2' is not a time range " FORM },
		{ "3..2", "the time range '3..2' ends before it begins" },
		{ "3..3s", "the time range '3..3s' is empty" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct process_filter filter = PROCESS_FILTER_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(process_filter_set_time(&filter, cases[i].time, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_string_equal(err.msg, cases[i].msg);
		err_clear(&err);
	}
}

static void process_filter_check_roles__unknown__suggests(void **state)
{
	static const struct {
		const char *role;
		const char *msg;
	} cases[] = {
		{ "rust", "unknown role 'rust' (did you mean 'rustc'?)" },
		{ "linker-of-things",
		  "unknown role 'linker-of-things': there are other, rustc, rustc-shim, rustdoc, "
		  "cargo, bootstrap, x.py, build-script, link, cc, ar, cmake, probe" },
		{ "x.pyy*", "unknown role 'x.pyy*' (did you mean 'x.py'?)" },
		{ "rustc*", NULL },
		{ "x.py", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct process_filter filter = PROCESS_FILTER_INIT;
		struct err err = ERR_INIT;
		int ret;

		strvec_push(&filter.roles, cases[i].role);
		ret = process_filter_check_roles(&filter, &err);
		assert_int_equal(ret, cases[i].msg ? -1 : 0);
		if (cases[i].msg)
			assert_string_equal(err.msg, cases[i].msg);
		err_clear(&err);
		process_filter_release(&filter);
	}
}

static void expect_notes(const struct process_filter *filter, const char *expected)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct strbuf notes = STRBUF_INIT;

	fill(&list);
	process_filter_explain(filter, &list, &notes);
	assert_string_equal(notes.buf, expected);
	strbuf_release(&notes);
	process_list_release(&list);
}

static void process_filter_explain__nothing_found__says_which_and_what_is_near(void **state)
{
	struct process_filter filter = PROCESS_FILTER_INIT;

	(void)state;
	strvec_push(&filter.roles, "cmake");
	strvec_push(&filter.crates, "serde");
	strvec_push(&filter.crates, "serd_derive");
	strvec_push(&filter.processes, "77");
	expect_notes(&filter, "no process matches --role 'cmake'\n"
			      "no process matches --crate 'serd_derive' (did you mean "
			      "'serde_derive'?)\n"
			      "no process matches --process '77'\n");
	process_filter_release(&filter);
}

static void process_filter_explain__found_each_but_not_together__says_so(void **state)
{
	struct process_filter filter = PROCESS_FILTER_INIT;

	(void)state;
	strvec_push(&filter.roles, "cargo");
	strvec_push(&filter.crates, "serde");
	expect_notes(&filter, "no process matches all filters together\n");
	process_filter_release(&filter);
}

static void process_filter_explain__all_found__is_silent(void **state)
{
	struct process_filter filter = PROCESS_FILTER_INIT;

	(void)state;
	expect_notes(&filter, "");
	strvec_push(&filter.roles, "rustc");
	expect_notes(&filter, "");
	process_filter_release(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_filter_match__names__exact_glob_and_any_of_several),
		cmocka_unit_test(process_filter_match__several_filters__narrow),
		cmocka_unit_test(process_filter_match__time__overlap),
		cmocka_unit_test(process_filter_set_time__mistakes__fail),
		cmocka_unit_test(process_filter_check_roles__unknown__suggests),
		cmocka_unit_test(
			process_filter_explain__nothing_found__says_which_and_what_is_near),
		cmocka_unit_test(process_filter_explain__found_each_but_not_together__says_so),
		cmocka_unit_test(process_filter_explain__all_found__is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
