#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/processes_view.h"
#include "util/alloc.h"

#include "capture.h"

static struct process *add(struct process_list *list, int64_t pid, int64_t ppid, int64_t start_ns)
{
	struct process *process = process_list_add(list);

	process->pid = pid;
	process->ppid = ppid;
	process->start_ns = start_ns;
	return process;
}

static void fill(struct process_list *list)
{
	struct process *process = add(list, 7, 6, 1000000000);

	process->end_ns = 3500000000;
	process->exit_code = 0;
	process->exe = xstrdup("/b/bin/rustc");
	strvec_push(&process->argv, "/b/bin/rustc");
	strvec_push(&process->argv, "--crate-name");
	strvec_push(&process->argv, "a b");
	process->cwd = xstrdup("/src");
	process->cpu_ns = 2000000000;
	process->peak_rss_bytes = 1073741824;
	process->waits = (struct waits){ 3000000, -1, 0 };
	process->tag.role = ROLE_RUSTC;
	process->tag.built_by = 1;
	process->tag.crate = xstrdup("a");
	process->tag.crate_type = xstrdup("lib");
	process->tag.part = xstrdup("stage2-rustc");
	process->tag.target = xstrdup("x86_64-unknown-linux-gnu");
	add(list, 8, 7, 2000000000);
}

static char *print(const struct table *table, struct process_rows *rows,
		   const struct table_options *options)
{
	FILE *file = capture_start();
	struct err err = ERR_INIT;

	assert_int_equal(table_print(table, options, rows->pointers, rows->nr, file, &err), 0);
	process_rows_release(rows);
	return capture_end(file);
}

static void expect_list(const struct table_options *options, const char *expected)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process_rows rows;
	char *text;

	fill(&list);
	process_rows_from_list(&rows, &list, NULL);
	text = print(&processes_table, &rows, options);
	assert_string_equal(text, expected);
	free(text);
	process_list_release(&list);
}

static void processes_table__csv__all_columns_in_order(void **state)
{
	const struct table_options options = { .format = TABLE_CSV };

	(void)state;
	expect_list(&options,
		    "pid,ppid,start_ns,end_ns,duration_ns,image,role,crate,crate_type,built_by,"
		    "part,target,exit_code,cpu_ns,size_bytes,peak_bytes,at_peak_bytes,"
		    "peak_rss_bytes,command_line,wait_cpu_ns,wait_io_ns,wait_memory_ns,utilization,"
		    "exact_cpu_ns,wait_blocked_ns,switches,peak_commit_bytes\r\n"
		    "7,6,1000000000,3500000000,2500000000,rustc,rustc,a,lib,1,stage2-rustc,"
		    "x86_64-unknown-linux-gnu,0,2000000000,,,,1073741824,"
		    "/b/bin/rustc --crate-name 'a b',3000000,,0,80,,,,\r\n"
		    "8,7,2000000000,,,?,other,,,,,,,,,,,,,,,,,,,,\r\n");
}

static void processes_table__json__has_argv_and_cwd(void **state)
{
	const struct table_options options = { .format = TABLE_JSON };

	(void)state;
	expect_list(&options,
		    "[\n"
		    "{\"pid\":7,\"ppid\":6,\"start_ns\":1000000000,\"end_ns\":3500000000,"
		    "\"duration_ns\":2500000000,\"image\":\"rustc\",\"role\":\"rustc\","
		    "\"crate\":\"a\",\"crate_type\":\"lib\",\"built_by\":1,"
		    "\"part\":\"stage2-rustc\",\"target\":\"x86_64-unknown-linux-gnu\","
		    "\"exit_code\":0,\"cpu_ns\":2000000000,\"size_bytes\":null,"
		    "\"peak_bytes\":null,\"at_peak_bytes\":null,\"peak_rss_bytes\":1073741824,"
		    "\"command_line\":\"/b/bin/rustc --crate-name 'a b'\","
		    "\"wait_cpu_ns\":3000000,\"wait_io_ns\":null,\"wait_memory_ns\":0,"
		    "\"utilization\":80.0,\"exact_cpu_ns\":null,\"wait_blocked_ns\":null,"
		    "\"switches\":null,"
		    "\"argv\":[\"/b/bin/rustc\",\"--crate-name\",\"a b\"],\"cwd\":\"/src\","
		    "\"peak_commit_bytes\":null},\n"
		    "{\"pid\":8,\"ppid\":7,\"start_ns\":2000000000,\"end_ns\":null,"
		    "\"duration_ns\":null,\"image\":\"?\",\"role\":\"other\",\"crate\":null,"
		    "\"crate_type\":null,\"built_by\":null,\"part\":null,\"target\":null,"
		    "\"exit_code\":null,\"cpu_ns\":null,\"size_bytes\":null,\"peak_bytes\":null,"
		    "\"at_peak_bytes\":null,\"peak_rss_bytes\":null,\"command_line\":null,"
		    "\"wait_cpu_ns\":null,\"wait_io_ns\":null,\"wait_memory_ns\":null,"
		    "\"utilization\":null,\"exact_cpu_ns\":null,\"wait_blocked_ns\":null,"
		    "\"switches\":null,"
		    "\"argv\":null,\"cwd\":null,\"peak_commit_bytes\":null}\n"
		    "]\n");
}

static void processes_table__text__program_by_its_name(void **state)
{
	const struct table_options options = { .width = TABLE_WIDTH }, wide = { .width = 0 };

	(void)state;
	expect_list(&options, "PID  DURATION  PEAK RSS  ROLE   CRATE  COMMAND LINE\n"
			      "  7    2.50 s   1.00 GB  rustc  a      rustc --crate-name 'a b'\n"
			      "  8         -         -  other  -      -\n");
	expect_list(&wide, "PID   START  DURATION  PEAK RSS  ROLE   CRATE  PART          "
			   "COMMAND LINE\n"
			   "  7  1.00 s    2.50 s   1.00 GB  rustc  a      stage2-rustc  "
			   "rustc --crate-name 'a b'\n"
			   "  8  2.00 s         -         -  other  -      -             -\n");
}

/* The trace has the name of a program, but no command line. */
static void processes_table__command_line_unknown__is_null_and_a_name_in_text(void **state)
{
	const struct table_options text_options = { .columns = "pid,command_line" };
	const struct table_options json = { .format = TABLE_JSON,
					    .columns = "pid,command_line,argv" };
	struct process_list list = PROCESS_LIST_INIT;
	struct process_rows rows;
	char *text;

	(void)state;
	fill(&list);
	list.v[0]->argv_lost = true;
	process_rows_from_list(&rows, &list, NULL);
	text = print(&processes_table, &rows, &text_options);
	assert_string_equal(text, "PID  COMMAND LINE\n  7  [rustc]\n  8  -\n");
	free(text);
	process_rows_from_list(&rows, &list, NULL);
	text = print(&processes_table, &rows, &json);
	assert_string_equal(text, "[\n{\"pid\":7,\"command_line\":null,\"argv\":null},\n"
				  "{\"pid\":8,\"command_line\":null,\"argv\":null}\n]\n");
	free(text);
	process_list_release(&list);
}

static void processes_table__text__whole_command_where_asked_for(void **state)
{
	const struct table_options options = { .columns = "command_line" };
	struct process_list list = PROCESS_LIST_INIT;
	const bool matched[] = { true, false };
	struct process_rows rows;
	char *text;

	(void)state;
	fill(&list);
	process_rows_from_list(&rows, &list, matched);
	for (size_t i = 0; i < rows.nr; i++)
		rows.v[i].whole_command = true;
	text = print(&processes_table, &rows, &options);
	assert_string_equal(text, "COMMAND LINE\n/b/bin/rustc --crate-name 'a b'\n");
	free(text);
	process_list_release(&list);
}

static char *print_tree(const struct process_list *list, const bool *matched,
			const struct table_options *options)
{
	struct process_tree tree;
	struct process_rows rows;
	char *text;

	process_tree_build(list, matched, NULL, &tree);
	process_rows_from_tree(&rows, &tree);
	text = print(&tree_table, &rows, options);
	process_tree_release(&tree);
	return text;
}

static void tree_table__text__draws_branches(void **state)
{
	const struct table_options options = { .columns = "pid,image,depth" };
	const bool matched[] = { true, false, true, true, true, true };
	struct process_list list = PROCESS_LIST_INIT;
	char *text;

	(void)state;
	add(&list, 1, 0, 0);
	add(&list, 2, 1, 1);
	add(&list, 3, 2, 2);
	add(&list, 4, 2, 3);
	add(&list, 5, 1, 4);
	add(&list, 6, 5, 5);
	text = print_tree(&list, matched, &options);
	assert_string_equal(text, "PID  IMAGE    DEPTH\n"
				  "  1  ?            0\n"
				  "  2  ├─ (?)       1\n"
				  "  3  │  ├─ ?      2\n"
				  "  4  │  └─ ?      2\n"
				  "  5  └─ ?         1\n"
				  "  6     └─ ?      2\n");
	free(text);
	process_list_release(&list);
}

static void tree_table__text__deep_branches_are_a_number(void **state)
{
	const struct table_options options = { .columns = "image" };
	struct process_list list = PROCESS_LIST_INIT;
	char *text;

	(void)state;
	for (int i = 0; i < 3000; i++)
		add(&list, i + 1, i, i);
	text = print_tree(&list, NULL, &options);
	assert_non_null(strstr(text, "\n[2999] └─ ?\n"));
	assert_true(strlen(text) < 3000 * 40);
	free(text);
	process_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_table__csv__all_columns_in_order),
		cmocka_unit_test(processes_table__json__has_argv_and_cwd),
		cmocka_unit_test(processes_table__text__program_by_its_name),
		cmocka_unit_test(processes_table__command_line_unknown__is_null_and_a_name_in_text),
		cmocka_unit_test(processes_table__text__whole_command_where_asked_for),
		cmocka_unit_test(tree_table__text__draws_branches),
		cmocka_unit_test(tree_table__text__deep_branches_are_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
