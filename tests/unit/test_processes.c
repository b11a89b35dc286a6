#include "rundir/processes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"

static void fill_rustc(struct process *process)
{
	process->pid = 4711;
	process->ppid = 4700;
	process->start_ns = 1000;
	process->end_ns = 5000;
	process->exit_code = 137;
	process->signal = 9;
	process->exe = xstrdup("/home/alice/rust/build/host/stage1/bin/rustc");
	strvec_push(&process->argv, "rustc");
	strvec_push(&process->argv, "--crate-name");
	strvec_push(&process->argv, "caf\xe9");
	strvec_push(&process->argv, "");
	process->cwd = xstrdup("/home/alice/\xff");
	strvec_push(&process->env, "RUSTC_STAGE=1");
	strvec_push(&process->env, "EMPTY=");
	process->cpu_ns = 3999;
	process->peak_rss_bytes = INT64_C(6000000000);
	process->peak_commit_bytes = INT64_C(7000000000);
	process->exec_seen = true;
	process->tag.role = ROLE_RUSTC;
	process->tag.built_by = 1;
	process->tag.crate = xstrdup("rustc_middle");
	process->tag.crate_type = xstrdup("lib");
	process->tag.part = xstrdup("stage2-rustc");
	process->tag.target = xstrdup("x86_64-unknown-linux-gnu");
}

static void fill_extras(struct process *process)
{
	ARRAY_GROW(process->execs, 1, process->execs_alloc);
	process->execs[process->execs_nr++] =
		(struct process_exec){ 900, xstrdup("/bin/sh"), STRVEC_INIT };
	strvec_push(&process->execs[0].argv, "sh");
	ARRAY_GROW(process->responses, 1, process->responses_alloc);
	process->responses[process->responses_nr++] =
		(struct response_file){ xstrdup("/tmp/args"), xstrdup("-o\n\"a b\"\n\xfe") };
}

static void fill(struct process_list *list)
{
	struct process *process = process_list_add(list);

	process->pid = 4700;
	process->ppid = 1;
	process->start_ns = -20;
	process->argv_lost = true;
	process->tag.why = "no command line";
	process = process_list_add(list);
	fill_rustc(process);
	fill_extras(process);
	process = process_list_add(list);
	process->pid = 4712;
	process->start_ns = 2000;
}

static char *text_of(const struct process_list *list)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < list->nr; i++) {
		char *line = processes_line(list->v[i]);

		assert_null(strchr(line, '\n'));
		strbuf_adds(&text, line);
		strbuf_addc(&text, '\n');
		free(line);
	}
	return strbuf_detach(&text);
}

static void processes_parse__of_written_lines__is_the_same(void **state)
{
	struct process_list list = PROCESS_LIST_INIT, read = PROCESS_LIST_INIT;
	struct strbuf first = STRBUF_INIT;
	const struct process *rustc;
	int64_t damaged = -1;
	char *text, *again;

	(void)state;
	fill(&list);
	text = text_of(&list);
	processes_parse(text, strlen(text), "p", &read, &damaged, &first);
	assert_int_equal(damaged, 0);
	assert_int_equal(first.len, 0);
	again = text_of(&read);
	assert_string_equal(again, text);

	assert_int_equal(read.nr, 3);
	assert_int_equal(read.v[0]->start_ns, -20);
	assert_int_equal(read.v[0]->end_ns, PROCESS_UNKNOWN);
	assert_int_equal(read.v[0]->exit_code, PROCESS_UNKNOWN);
	assert_int_equal(read.v[0]->tag.built_by, STAGE_UNKNOWN);
	assert_string_equal(read.v[0]->tag.why, "no command line");
	assert_true(read.v[0]->argv_lost);
	rustc = read.v[1];
	assert_int_equal(rustc->tag.role, ROLE_RUSTC);
	assert_null(rustc->tag.why);
	assert_int_equal(rustc->argv.nr, 4);
	assert_string_equal(rustc->argv.v[2], "caf\xe9");
	assert_string_equal(rustc->cwd, "/home/alice/\xff");
	assert_string_equal(rustc->env.v[1], "EMPTY=");
	assert_string_equal(rustc->execs[0].argv.v[0], "sh");
	assert_string_equal(rustc->responses[0].text, "-o\n\"a b\"\n\xfe");
	assert_int_equal(rustc->peak_rss_bytes, 6000000000);
	assert_int_equal(rustc->peak_commit_bytes, 7000000000);
	assert_int_equal(read.v[0]->peak_commit_bytes, PROCESS_UNKNOWN);
	free(text);
	free(again);
	process_list_release(&list);
	process_list_release(&read);
	strbuf_release(&first);
}

static void processes_line__derived_members__are_there(void **state)
{
	struct process process;
	char *line;

	(void)state;
	process_init(&process);
	fill_rustc(&process);
	line = processes_line(&process);
	assert_non_null(strstr(line, "\"duration_ns\":4000,\"image\":\"rustc\""));
	assert_non_null(strstr(line, "\"argv_hex\":[null,null,\"636166e9\",null]"));
	free(line);
	process.end_ns = PROCESS_UNKNOWN;
	line = processes_line(&process);
	assert_non_null(strstr(line, "\"end_ns\":null,\"duration_ns\":null"));
	free(line);
	process_release(&process);
}

/* Whole lines give their processes, in any case; the cut one is counted. */
static void processes_parse__cut_at_any_byte__gives_the_whole_lines(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	char *text;
	size_t len;

	(void)state;
	fill(&list);
	text = text_of(&list);
	len = strlen(text);
	for (size_t i = 0; i <= len; i++) {
		struct process_list read = PROCESS_LIST_INIT;
		char *cut = xstrndup(text, i);
		size_t whole = 0;
		int64_t damaged;

		for (size_t k = 0; k < i; k++)
			whole += cut[k] == '\n';
		processes_parse(cut, i, "p", &read, &damaged, NULL);
		if (text[i] == '\n' && i < len)
			whole++;
		assert_int_equal(read.nr, whole);
		assert_int_equal(damaged, i && cut[i - 1] != '\n' && text[i] != '\n');
		process_list_release(&read);
		free(cut);
	}
	free(text);
	process_list_release(&list);
}

static void processes_parse__bad_lines__are_counted_and_the_first_is_named(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{ "{", "p:2: " },
		{ "[]", "p:2: not a JSON object" },
		{ "1", "p:2: " },
		{ "{}", "'pid' is missing" },
		{ "{\"pid\": \"1\", \"start_ns\": 1}", "'pid' is not a whole number" },
		{ "{\"pid\": -2, \"start_ns\": 1}", "'pid' is out of range" },
		{ "{\"pid\": 1}", "'start_ns' is missing" },
		{ "{\"pid\": 1, \"start_ns\": 5, \"end_ns\": 4}", "'end_ns' is before 'start_ns'" },
		{ "{\"pid\": 1, \"start_ns\": -9223372036854775808}",
		  "'start_ns' is out of range" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"argv\": [1]}", "'argv' is not an array" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"argv\": [\"\"], \"argv_hex\": [\"0\"]}",
		  "'argv' is not an array of strings" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"exe\": \"\\u0000\"}", "\\u0000" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"execs\": [{\"exe\": 1}]}",
		  "'execs[0]': 'exe' is not a string" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"responses\": [{\"path\": \"x\"}]}",
		  "'responses[0]': 'path' or 'text' is missing" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"built_by\": 1001}",
		  "'built_by' is not a stage" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"env\": [\"A=1\"]}", "'env' is not an object" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"role\": 5}", "'role' is not a string" },
		{ "{\"pid\": 1, \"start_ns\": 1, \"exec_seen\": 1}", "'exec_seen' is not true" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct process_list list = PROCESS_LIST_INIT;
		struct strbuf first = STRBUF_INIT;
		char *text = xasprintf("{\"pid\":7,\"start_ns\":9}\n%s\n\n\r\n"
				       "{\"pid\":8,\"start_ns\":3}\r\nx",
				       cases[i].line);
		int64_t damaged;

		processes_parse(text, strlen(text), "p", &list, &damaged, &first);
		assert_int_equal(damaged, 2);
		assert_int_equal(list.nr, 2);
		assert_int_equal(list.v[0]->pid, 8);
		if (!strstr(first.buf, cases[i].message) || strncmp(first.buf, "p:2: ", 5) != 0)
			fail_msg("%s: '%s'", cases[i].line, first.buf);
		strbuf_release(&first);
		process_list_release(&list);
		free(text);
	}
}

static void processes_parse__role_of_a_later_version__is_other(void **state)
{
	const char *text = "{\"pid\":1,\"start_ns\":1,\"role\":\"wizard\",\"new\":[{}]}";
	struct process_list list = PROCESS_LIST_INIT;
	int64_t damaged;

	(void)state;
	processes_parse(text, strlen(text), "p", &list, &damaged, NULL);
	assert_int_equal(damaged, 0);
	assert_int_equal(list.v[0]->tag.role, ROLE_OTHER);
	process_list_release(&list);
}

static void processes_write__then_read__is_the_same(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "processes.jsonl");
	char *expected;

	(void)state;
	assert_int_equal(processes_write(&list, dir, UINT64_MAX, &err), 0);
	assert_int_equal(fs_size(path), 0);
	fill(&list);
	expected = text_of(&list);
	assert_int_equal(processes_write(&list, dir, UINT64_MAX, &err), 0);
	assert_int_equal(fs_read(path, 100000, &text, &err), 0);
	assert_string_equal(text.buf, expected);
	assert_int_equal(processes_write(&list, "/nowhere/at/all", UINT64_MAX, &err), -1);
	err_clear(&err);
	assert_int_equal(processes_write(&list, dir, strlen(expected), &err), 0);
	assert_int_equal(processes_write(&list, dir, strlen(expected) - 1, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "STAGETRACE_LIMITS=4"));
	err_clear(&err);
	fs_remove_tree(dir, &err);
	strbuf_release(&text);
	process_list_release(&list);
	free(expected);
	free(path);
	free(dir);
}

static void process_list_place__any_process__is_its_index(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	const struct process other = { .pid = 1 };
	struct intmap places;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		process_list_add(&list);
	places = process_list_places(&list);
	for (size_t i = 0; i < list.nr; i++)
		assert_int_equal(process_list_place(&places, list.v[i]), i);
	assert_true(process_list_place(&places, &other) == PROCESS_NO_PLACE);
	assert_true(process_list_place(&places, NULL) == PROCESS_NO_PLACE);
	intmap_release(&places);
	process_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_parse__of_written_lines__is_the_same),
		cmocka_unit_test(processes_line__derived_members__are_there),
		cmocka_unit_test(processes_parse__cut_at_any_byte__gives_the_whole_lines),
		cmocka_unit_test(processes_parse__bad_lines__are_counted_and_the_first_is_named),
		cmocka_unit_test(processes_parse__role_of_a_later_version__is_other),
		cmocka_unit_test(process_list_place__any_process__is_its_index),
		cmocka_unit_test(processes_write__then_read__is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
