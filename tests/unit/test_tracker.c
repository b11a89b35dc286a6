#include "record/tracker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/quote.h"

#define BASE INT64_C(1000000)
#define B    "/b/rust/build"
#define T    "x86_64-unknown-linux-gnu"

/* No system has processes of such numbers, so none is looked at by mistake. */
#define P(n) (INT64_C(5000000) + (n))

static const struct tag_rules no_rules = TAG_RULES_INIT;

static struct tracker *make_tracker(int own_execs)
{
	struct tracker_options options = {
		.rules = &no_rules,
		.base_ns = BASE,
		.own_execs = own_execs,
	};

	return tracker_new(&options);
}

static void add_fork(struct tracker *tracker, int64_t time_ns, int64_t pid, int64_t ppid)
{
	struct proc_event event = { .kind = PROC_FORK, .time_ns = BASE + time_ns };

	event.pid = P(pid);
	event.ppid = P(ppid);
	tracker_event(tracker, &event);
}

/* More of an exec than its command line; NULL where there is none. */
struct more {
	const char *env;       /* pairs as for quote_split() */
	const char *responses; /* path text path text, the same */
	bool argv_lost;
	int64_t ppid;
};

static void add_exec_with(struct tracker *tracker, int64_t time_ns, int64_t pid, const char *exe,
			  const char *command, const struct more *more)
{
	struct proc_event event = { .kind = PROC_EXEC, .time_ns = BASE + time_ns };
	struct err err = ERR_INIT;

	event.pid = P(pid);
	event.ppid = more->ppid ? P(more->ppid) : 0;
	event.exe = xstrdup_or_null(exe);
	event.cwd = xstrdup("/b/rust");
	event.argv_lost = more->argv_lost;
	event.argv = event.env = event.responses = (struct strvec)STRVEC_INIT;
	assert_int_equal(quote_split(command, &event.argv, &err), 0);
	assert_int_equal(quote_split(more->env ? more->env : "", &event.env, &err), 0);
	assert_int_equal(
		quote_split(more->responses ? more->responses : "", &event.responses, &err), 0);
	tracker_event(tracker, &event);
	free(event.exe);
	free(event.cwd);
	strvec_release(&event.argv);
	strvec_release(&event.env);
	strvec_release(&event.responses);
}

static void add_exec(struct tracker *tracker, int64_t time_ns, int64_t pid, const char *exe,
		     const char *command)
{
	struct more none = { 0 };

	add_exec_with(tracker, time_ns, pid, exe, command, &none);
}

static void add_exit(struct tracker *tracker, int64_t time_ns, int64_t pid, int64_t exit_code)
{
	struct proc_event event = { .kind = PROC_EXIT, .time_ns = BASE + time_ns };

	event.pid = P(pid);
	event.exit_code = exit_code;
	event.signal = exit_code > 128 ? exit_code - 128 : 0;
	tracker_event(tracker, &event);
}

static void add_usage(struct tracker *tracker, int64_t time_ns, int64_t pid, int64_t cpu_ns,
		      int64_t peak_rss_bytes)
{
	struct proc_event event = { .kind = PROC_USAGE, .time_ns = BASE + time_ns };

	event.pid = P(pid);
	event.cpu_ns = cpu_ns;
	event.peak_rss_bytes = peak_rss_bytes;
	event.peak_commit_bytes = 2 * peak_rss_bytes;
	event.waits = (struct waits){ 3 * cpu_ns, 4 * cpu_ns, -1 };
	tracker_event(tracker, &event);
}

static const struct process_list *finish(struct tracker *tracker, size_t rows)
{
	const struct process *build;
	const struct process_list *list = tracker_finish(tracker, &build);

	assert_int_equal(list->nr, rows);
	return list;
}

static void check_argv(const struct strvec *argv, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	quote_add_shell(&sb, argv);
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

static void tracker_event__one_process__is_one_row(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;
	const struct process *p, *build = NULL;

	(void)state;
	add_fork(tracker, 100, 1, 9);
	add_exec(tracker, 150, 1, "/usr/bin/cargo", "cargo build 'a b'");
	add_usage(tracker, 160, 1, 50, 4096);
	add_usage(tracker, 170, 1, 60, 2048);
	assert_int_equal(tracker_ended(tracker), 0);
	add_exit(tracker, 200, 1, 3);
	assert_int_equal(tracker_ended(tracker), 1);
	list = tracker_finish(tracker, &build);
	assert_int_equal(list->nr, 1);
	p = list->v[0];
	assert_ptr_equal(build, p);
	assert_int_equal(p->pid, P(1));
	assert_int_equal(p->ppid, P(9));
	assert_int_equal(p->start_ns, 100);
	assert_int_equal(p->end_ns, 200);
	assert_int_equal(p->exit_code, 3);
	assert_int_equal(p->waits.cpu_ns, 180);
	assert_int_equal(p->waits.io_ns, 240);
	assert_int_equal(p->waits.memory_ns, -1);
	assert_int_equal(p->signal, 0);
	assert_int_equal(p->cpu_ns, 60);
	assert_int_equal(p->peak_rss_bytes, 4096);
	assert_int_equal(p->peak_commit_bytes, 8192);
	assert_string_equal(p->exe, "/usr/bin/cargo");
	assert_string_equal(p->cwd, "/b/rust");
	assert_true(p->exec_seen);
	assert_int_equal(p->execs_nr, 0);
	assert_int_equal(p->tag.role, ROLE_CARGO);
	check_argv(&p->argv, "cargo build 'a b'");
	tracker_free(tracker);
	tracker_free(NULL);
}

static void tracker_finish__nothing_seen__has_no_rows(void **state)
{
	struct tracker *tracker = make_tracker(1);
	const struct process *build;

	(void)state;
	assert_int_equal(tracker_finish(tracker, &build)->nr, 0);
	assert_null(build);
	tracker_free(tracker);
}

static void tracker_event__still_running__has_no_end(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 100, 1, 9);
	list = finish(tracker, 1);
	assert_int_equal(list->v[0]->end_ns, PROCESS_UNKNOWN);
	assert_int_equal(list->v[0]->exit_code, PROCESS_UNKNOWN);
	assert_int_equal(list->v[0]->cpu_ns, PROCESS_UNKNOWN);
	assert_int_equal(list->v[0]->peak_rss_bytes, PROCESS_UNKNOWN);
	tracker_free(tracker);
}

static void tracker_event__ended_by_a_signal__has_both_codes(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exit(tracker, 2, 1, 137);
	list = finish(tracker, 1);
	assert_int_equal(list->v[0]->exit_code, 137);
	assert_int_equal(list->v[0]->signal, 9);
	tracker_free(tracker);
}

static void tracker_event__usage_after_the_exit__still_counts(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exit(tracker, 2, 1, 0);
	add_usage(tracker, 3, 1, 70, 8192);
	add_usage(tracker, 4, 1, -1, -1);
	add_usage(tracker, 4, 2, 99, 99);
	add_exit(tracker, 5, 1, 1);
	add_exit(tracker, 5, 2, 1);
	list = finish(tracker, 1);
	assert_int_equal(list->v[0]->cpu_ns, 70);
	assert_int_equal(list->v[0]->peak_rss_bytes, 8192);
	assert_int_equal(list->v[0]->end_ns, 2);
	assert_int_equal(list->v[0]->exit_code, 0);
	tracker_free(tracker);
}

static void tracker_event__pid_used_again__is_another_row(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_fork(tracker, 2, 2, 1);
	add_exec(tracker, 3, 2, "/usr/bin/ar", "ar one");
	add_exit(tracker, 4, 2, 0);
	add_usage(tracker, 4, 2, 10, 10);
	add_fork(tracker, 5, 2, 1);
	add_exec(tracker, 6, 2, "/usr/bin/cmake", "cmake two");
	add_usage(tracker, 7, 2, 20, 20);
	/* The end of this one is not seen. */
	add_fork(tracker, 8, 2, 1);
	add_exit(tracker, 9, 2, 5);
	list = finish(tracker, 4);
	check_argv(&list->v[1]->argv, "ar one");
	assert_int_equal(list->v[1]->cpu_ns, 10);
	assert_int_equal(list->v[1]->end_ns, 4);
	check_argv(&list->v[2]->argv, "cmake two");
	assert_int_equal(list->v[2]->cpu_ns, 20);
	assert_int_equal(list->v[2]->end_ns, PROCESS_UNKNOWN);
	assert_int_equal(list->v[3]->exit_code, 5);
	assert_int_equal(list->v[3]->cpu_ns, PROCESS_UNKNOWN);
	tracker_free(tracker);
}

static void tracker_event__execs_again__keeps_the_earlier_programs(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process *p;

	(void)state;
	add_fork(tracker, 10, 1, 9);
	add_exec(tracker, 11, 1, "/bin/sh", "sh -c 'exec env'");
	add_exec(tracker, 12, 1, "/usr/bin/env", "env python x.py");
	add_exec(tracker, 13, 1, "/usr/bin/python3", "python x.py");
	p = finish(tracker, 1)->v[0];
	check_argv(&p->argv, "python x.py");
	assert_string_equal(p->exe, "/usr/bin/python3");
	assert_int_equal(p->tag.role, ROLE_X_PY);
	assert_int_equal(p->start_ns, 10);
	assert_int_equal(p->execs_nr, 2);
	assert_string_equal(p->execs[0].exe, "/bin/sh");
	check_argv(&p->execs[0].argv, "sh -c 'exec env'");
	assert_string_equal(p->execs[1].exe, "/usr/bin/env");
	check_argv(&p->execs[1].argv, "env python x.py");
	assert_int_equal(p->execs[0].end_ns, 12);
	assert_int_equal(p->execs[1].end_ns, 13);
	tracker_free(tracker);
}

static void tracker_event__command_line_lost__is_no_earlier_program(void **state)
{
	static const struct more lost = { .argv_lost = true };
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec_with(tracker, 2, 1, NULL, "", &lost);
	add_exec(tracker, 3, 1, "/usr/bin/cmake", "cmake .");
	add_fork(tracker, 4, 2, 1);
	add_exec_with(tracker, 5, 2, "/usr/bin/ar", "", &lost);
	list = finish(tracker, 2);
	assert_int_equal(list->v[0]->execs_nr, 0);
	assert_false(list->v[0]->argv_lost);
	assert_int_equal(list->v[0]->tag.role, ROLE_CMAKE);
	assert_true(list->v[1]->argv_lost);
	assert_true(list->v[1]->exec_seen);
	assert_int_equal(list->v[1]->argv.nr, 0);
	tracker_free(tracker);
}

static void tracker_event__own_execs__are_those_of_the_first_process(void **state)
{
	struct tracker *tracker = make_tracker(1);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec(tracker, 2, 1, "/bin/sh", "sh -c 'exec >>\"$0\"' log python x.py");
	add_exec(tracker, 3, 1, "/usr/bin/python3", "python x.py");
	add_exec(tracker, 4, 1, "/usr/bin/python3", "python x.py again");
	add_fork(tracker, 5, 2, 1);
	add_exec(tracker, 6, 2, "/usr/bin/cmake", "cmake .");
	list = finish(tracker, 2);
	assert_int_equal(list->v[0]->execs_nr, 1);
	check_argv(&list->v[0]->execs[0].argv, "python x.py");
	check_argv(&list->v[0]->argv, "python x.py again");
	check_argv(&list->v[1]->argv, "cmake .");
	tracker_free(tracker);
}

/* Events were lost: neither its fork nor its parent is known. Its program is still its own. */
static void tracker_event__exec_of_an_unknown_process__is_a_row(void **state)
{
	static const struct more child_of_1 = { .ppid = 1 };
	struct tracker *tracker = make_tracker(1);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec(tracker, 2, 1, "/bin/sh", "sh");
	add_exec(tracker, 3, 1, "/usr/bin/python3", "python x.py");
	add_exec(tracker, 4, 7, "/usr/bin/cmake", "cmake .");
	add_exec_with(tracker, 5, 8, "/usr/bin/ar", "ar x", &child_of_1);
	add_fork(tracker, 6, 10, 77);
	add_exec(tracker, 7, 10, "/usr/bin/cargo", "cargo build");
	add_exit(tracker, 8, 7, 4);
	list = finish(tracker, 4);
	check_argv(&list->v[0]->argv, "python x.py");
	assert_int_equal(list->v[1]->pid, P(7));
	assert_int_equal(list->v[1]->start_ns, 4);
	assert_int_equal(list->v[1]->exit_code, 4);
	assert_int_equal(list->v[1]->tag.role, ROLE_CMAKE);
	check_argv(&list->v[1]->argv, "cmake .");
	assert_int_equal(list->v[2]->ppid, P(1));
	assert_int_equal(list->v[2]->tag.role, ROLE_AR);
	check_argv(&list->v[3]->argv, "cargo build");
	tracker_free(tracker);
}

/* The same pid comes back with an exec alone: not the row that has ended. */
static void tracker_event__exec_after_the_exit__is_another_row(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec(tracker, 2, 1, "/usr/bin/cargo", "cargo one");
	add_exit(tracker, 3, 1, 0);
	add_exec(tracker, 4, 1, "/usr/bin/cargo", "cargo two");
	list = finish(tracker, 2);
	check_argv(&list->v[0]->argv, "cargo one");
	assert_int_equal(list->v[0]->end_ns, 3);
	check_argv(&list->v[1]->argv, "cargo two");
	tracker_free(tracker);
}

static void tracker_event__fork_without_exec__is_still_its_parents_program(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec(tracker, 2, 1, "/bin/bash", "bash script");
	add_fork(tracker, 3, 2, 1);
	add_fork(tracker, 4, 3, 2);
	add_exit(tracker, 5, 3, 0);
	add_exit(tracker, 6, 2, 0);
	list = finish(tracker, 3);
	for (size_t i = 1; i < 3; i++) {
		assert_false(list->v[i]->exec_seen);
		assert_string_equal(list->v[i]->exe, "/bin/bash");
		assert_string_equal(list->v[i]->cwd, "/b/rust");
		check_argv(&list->v[i]->argv, "bash script");
	}
	tracker_free(tracker);
}

static void tracker_finish__parent_execs_after_the_fork__gives_what_it_ran_then(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec(tracker, 2, 1, "/bin/sh", "sh wrapper");
	add_fork(tracker, 3, 2, 1);
	add_exec(tracker, 4, 1, "/usr/bin/env", "env cmake");
	add_exec(tracker, 5, 1, "/usr/bin/cmake", "cmake .");
	add_fork(tracker, 6, 3, 1);
	list = finish(tracker, 3);
	check_argv(&list->v[1]->argv, "sh wrapper");
	assert_string_equal(list->v[1]->exe, "/bin/sh");
	check_argv(&list->v[2]->argv, "cmake .");
	tracker_free(tracker);
}

static void tracker_event__response_files__are_expanded_for_the_tag(void **state)
{
	static const struct {
		const char *command, *responses;
	} cases[] = {
		{ "rustc @/b/args", "/b/args '--crate-name\nrustc_middle\n--crate-type\nlib\n'" },
		{ "rustc @/b/args",
		  "/b/args '\"--crate-name\"\r\nrustc_middle\r\n--crate-type\r\nlib'" },
		{ "rustc @/b/args", "/b/args '--crate-name rustc_middle --crate-type lib'" },
		{ "rustc --crate-name rustc_middle @two",
		  "one '--crate-type\nbin\n' two '--crate-type\nlib\n'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct more more = { .responses = cases[i].responses };
		struct tracker *tracker = make_tracker(0);
		const struct process *p;

		add_fork(tracker, 1, 1, 9);
		add_exec_with(tracker, 2, 1, B "/" T "/stage1/bin/rustc", cases[i].command, &more);
		p = finish(tracker, 1)->v[0];
		assert_int_equal(p->tag.role, ROLE_RUSTC);
		assert_string_equal(p->tag.crate, "rustc_middle");
		assert_string_equal(p->tag.crate_type, "lib");
		/* The row has the command line as it was, and the file's text separately. */
		check_argv(&p->argv,
			   i < 3 ? "rustc @/b/args" : "rustc --crate-name rustc_middle @two");
		assert_int_equal(p->responses_nr, i < 3 ? 1 : 2);
		tracker_free(tracker);
	}
}

static void tracker_event__response_file_not_read__stays_an_argument(void **state)
{
	static const struct more other = { .responses = "elsewhere '--crate-name\nx\n'" };
	struct tracker *tracker = make_tracker(0);
	const struct process *p;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec_with(tracker, 2, 1, "/usr/bin/cc", "cc @gone -Wl,@gone @", &other);
	p = finish(tracker, 1)->v[0];
	check_argv(&p->argv, "cc @gone -Wl,@gone @");
	tracker_free(tracker);
}

#define SHIM B "/bootstrap/debug/rustc"
#define OUT(stage) \
	" --crate-type lib --target " T " --out-dir " B "/" T "/" stage "/" T "/release/deps"

/* The first rows show nothing of the numbering; what is learned later holds for them as well. */
static void tracker_event__numbering_learned_late__retags_earlier_rows(void **state)
{
	static const struct {
		const char *late; /* what stage 1's rustc writes to */
		const char *early, *part;
	} cases[] = {
		{ "stage1-rustc", SHIM " --crate-name rustc_hir" OUT("stage1-rustc"),
		  "stage2-rustc" },
		{ "stage2-rustc", SHIM " --crate-name rustc_hir" OUT("stage1-rustc"),
		  "stage1-rustc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tracker *tracker = make_tracker(0);
		const struct process_list *list;
		char *command =
			xasprintf("rustc --crate-name rustc_ast --crate-type lib --out-dir " B "/" T
				  "/%s/" T "/release/deps --target " T,
				  cases[i].late);

		add_fork(tracker, 1, 1, 9);
		add_exec(tracker, 2, 1, SHIM, cases[i].early);
		add_exit(tracker, 3, 1, 0);
		add_fork(tracker, 4, 2, 9);
		add_exec(tracker, 5, 2, B "/" T "/stage1/bin/rustc", command);
		list = finish(tracker, 2);
		assert_string_equal(list->v[1]->tag.part, "stage2-rustc");
		assert_non_null(list->v[0]->tag.part);
		assert_string_equal(list->v[0]->tag.part, cases[i].part);
		free(command);
		tracker_free(tracker);
	}
}

static void tracker_event__environment__has_the_stage(void **state)
{
	static const struct more more = {
		.env = "RUSTC_STAGES=9 RUSTC_STAGE=1 CARGO_PKG_NAME=psm"
	};
	struct tracker *tracker = make_tracker(0);
	const struct process *p;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec_with(tracker, 2, 1, SHIM, SHIM " --crate-name rustc_hir" OUT("stage1-rustc"),
		      &more);
	p = finish(tracker, 1)->v[0];
	assert_int_equal(p->tag.role, ROLE_RUSTC_SHIM);
	assert_int_equal(p->tag.built_by, 1);
	assert_int_equal(p->env.nr, 3);
	tracker_free(tracker);
}

static void tracker_event__linker__takes_its_crate_from_the_parent(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec(tracker, 2, 1, B "/" T "/stage1/bin/rustc",
		 "rustc --crate-name rustc_driver" OUT("stage1-rustc"));
	add_fork(tracker, 3, 2, 1);
	add_exec(tracker, 4, 2, "/usr/bin/ld.lld", "ld.lld -o /tmp/x a.o");
	list = finish(tracker, 2);
	assert_int_equal(list->v[1]->tag.role, ROLE_LINK);
	assert_non_null(list->v[1]->tag.crate);
	assert_string_equal(list->v[1]->tag.crate, "rustc_driver");
	tracker_free(tracker);
}

static void tracker_finish__rows__are_sorted_by_start(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;
	const struct process *build;

	(void)state;
	add_fork(tracker, 50, 3, 9);
	add_fork(tracker, 10, 2, 3);
	add_fork(tracker, 10, 1, 3);
	add_exit(tracker, 60, 3, 8);
	add_exit(tracker, 61, 1, 4);
	list = tracker_finish(tracker, &build);
	assert_int_equal(list->nr, 3);
	assert_int_equal(list->v[0]->pid, P(1));
	assert_int_equal(list->v[1]->pid, P(2));
	assert_int_equal(list->v[2]->pid, P(3));
	/* The first that was seen is the build's first process. */
	assert_ptr_equal(build, list->v[2]);
	tracker_free(tracker);
}

static void tracker_look__living__are_counted_by_role(void **state)
{
	struct tracker *tracker = make_tracker(0);
	struct tracker_live live;

	(void)state;
	tracker_read_memory(tracker, &live);
	assert_int_equal(live.total, 0);
	add_fork(tracker, 1, 1, 9);
	add_exec(tracker, 2, 1, "/usr/bin/cargo", "cargo build");
	for (int i = 2; i < 12; i++) {
		add_fork(tracker, i, i, 1);
		add_exec(tracker, i, i, B "/" T "/stage1/bin/rustc",
			 "rustc --crate-name x" OUT("stage1-rustc"));
	}
	for (int i = 2; i < 12; i += 3)
		add_exit(tracker, 20, i, 0);
	tracker_read_memory(tracker, &live);
	assert_int_equal(live.by_role[ROLE_CARGO], 1);
	assert_int_equal(live.by_role[ROLE_RUSTC], 6);
	assert_int_equal(live.total, 7);
	/* None of them is there to be looked at. */
	assert_null(live.biggest);
	assert_int_equal(live.resident_bytes, 0);
	assert_int_equal(live.peak_resident_bytes, 0);
	/* One that was between two looks. */
	add_usage(tracker, 21, 2, 50, 8192);
	add_usage(tracker, 22, 5, 50, 4096);
	add_usage(tracker, 22, 99, 50, 1 << 20);
	tracker_read_memory(tracker, &live);
	assert_int_equal(live.peak_resident_bytes, 8192);
	tracker_free(tracker);
}

static void add_pid(const struct process *process, void *data)
{
	int64_t *sum = data;

	*sum += process->pid - P(0);
}

static void tracker_each_living__some_ended__are_left_out(void **state)
{
	struct tracker *tracker = make_tracker(0);
	int64_t sum = 0;

	(void)state;
	tracker_each_living(tracker, add_pid, &sum);
	assert_int_equal(sum, 0);
	add_fork(tracker, 1, 1, 0);
	add_fork(tracker, 2, 20, 1);
	add_fork(tracker, 3, 300, 1);
	add_exit(tracker, 4, 20, 0);
	tracker_each_living(tracker, add_pid, &sum);
	assert_int_equal(sum, 301);
	tracker_free(tracker);
}

/* A copy for each would be gigabytes: a journal of 1 MB can have 10,000 forks, and a command line of 400 KB. */
static void tracker_finish__forks_without_exec__share_the_command_line(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	add_exec(tracker, 2, 1, "/bin/bash", "bash script");
	add_fork(tracker, 3, 2, 1);
	add_fork(tracker, 4, 3, 2);
	list = finish(tracker, 3);
	assert_ptr_equal(list->v[1]->argv.v, list->v[0]->argv.v);
	assert_ptr_equal(list->v[2]->argv.v, list->v[0]->argv.v);
	assert_ptr_equal(list->v[2]->exe, list->v[0]->exe);
	assert_ptr_equal(list->v[2]->cwd, list->v[0]->cwd);
	tracker_free(tracker);
}

/* As the watch reports them: each argument that names a file has its text. */
static void tracker_event__response_file_named_again__is_read_once_more(void **state)
{
	static const struct {
		const char *command, *responses, *types;
	} cases[] = {
		{ "rustc --crate-name c @f @f", "f '--crate-type\nlib\n' f '--crate-type\nlib\n'",
		  "lib,lib" },
		{ "rustc --crate-name c @f @f @f", "f '--crate-type\nlib\n'", "lib" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct more more = { .responses = cases[i].responses }, none = { 0 };
		struct tracker *tracker = make_tracker(0);
		const struct process *p;

		add_fork(tracker, 1, 1, 9);
		add_exec_with(tracker, 2, 1, "/bin/rustc", cases[i].command, &more);
		add_exec_with(tracker, 3, 1, "/bin/rustc", cases[i].command, &more);
		add_exec_with(tracker, 4, 1, "/bin/sh", "sh", &none);
		add_exec_with(tracker, 5, 1, "/bin/rustc", cases[i].command, &more);
		p = finish(tracker, 1)->v[0];
		assert_string_equal(p->tag.crate_type, cases[i].types);
		tracker_free(tracker);
	}
}

/* A row with more of them could not be read again. */
static void tracker_event__thousands_of_programs__are_kept_up_to_a_limit(void **state)
{
	struct tracker *tracker = make_tracker(0);
	struct more more = { .responses = "f x" };
	const struct process *p;

	(void)state;
	add_fork(tracker, 1, 1, 9);
	for (int i = 0; i < PROCESS_EXECS_MAX + 2; i++)
		add_exec_with(tracker, 2 + i, 1, "/bin/cc", "cc @f", &more);
	add_exec(tracker, 20000, 1, "/bin/sh", "sh -c last");
	p = finish(tracker, 1)->v[0];
	assert_int_equal(p->execs_nr, PROCESS_EXECS_MAX);
	assert_int_equal(p->responses_nr, PROCESS_RESPONSES_MAX);
	check_argv(&p->argv, "sh -c last");
	tracker_free(tracker);
}

static void tracker_event__times_out_of_order__give_a_row_that_can_be_read(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 10, 1, 9);
	add_exit(tracker, 9, 1, 0);
	add_fork(tracker, PROCESS_UNKNOWN, 2, 9);
	list = finish(tracker, 2);
	assert_int_equal(list->v[0]->start_ns, 0);
	assert_int_equal(list->v[1]->start_ns, 10);
	assert_int_equal(list->v[1]->end_ns, 10);
	tracker_free(tracker);
}

static void tracker_event__many_processes__are_all_there(void **state)
{
	struct tracker *tracker = make_tracker(0);
	const struct process_list *list;

	(void)state;
	add_fork(tracker, 0, 0, 9);
	for (int i = 1; i < 5000; i++) {
		add_fork(tracker, i, i % 100 + 1, 0);
		if (i % 7)
			add_exit(tracker, i, i % 100 + 1, i % 256);
	}
	list = finish(tracker, 5000);
	for (int64_t i = 1; i < 5000; i++)
		assert_int_equal(list->v[i]->start_ns, i);
	tracker_free(tracker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracker_event__one_process__is_one_row),
		cmocka_unit_test(tracker_finish__nothing_seen__has_no_rows),
		cmocka_unit_test(tracker_event__still_running__has_no_end),
		cmocka_unit_test(tracker_event__ended_by_a_signal__has_both_codes),
		cmocka_unit_test(tracker_event__usage_after_the_exit__still_counts),
		cmocka_unit_test(tracker_event__pid_used_again__is_another_row),
		cmocka_unit_test(tracker_event__execs_again__keeps_the_earlier_programs),
		cmocka_unit_test(tracker_event__command_line_lost__is_no_earlier_program),
		cmocka_unit_test(tracker_event__own_execs__are_those_of_the_first_process),
		cmocka_unit_test(tracker_event__exec_of_an_unknown_process__is_a_row),
		cmocka_unit_test(tracker_event__exec_after_the_exit__is_another_row),
		cmocka_unit_test(tracker_event__fork_without_exec__is_still_its_parents_program),
		cmocka_unit_test(
			tracker_finish__parent_execs_after_the_fork__gives_what_it_ran_then),
		cmocka_unit_test(tracker_event__response_files__are_expanded_for_the_tag),
		cmocka_unit_test(tracker_event__response_file_not_read__stays_an_argument),
		cmocka_unit_test(tracker_event__numbering_learned_late__retags_earlier_rows),
		cmocka_unit_test(tracker_event__environment__has_the_stage),
		cmocka_unit_test(tracker_event__linker__takes_its_crate_from_the_parent),
		cmocka_unit_test(tracker_finish__rows__are_sorted_by_start),
		cmocka_unit_test(tracker_look__living__are_counted_by_role),
		cmocka_unit_test(tracker_each_living__some_ended__are_left_out),
		cmocka_unit_test(tracker_finish__forks_without_exec__share_the_command_line),
		cmocka_unit_test(tracker_event__response_file_named_again__is_read_once_more),
		cmocka_unit_test(tracker_event__thousands_of_programs__are_kept_up_to_a_limit),
		cmocka_unit_test(tracker_event__times_out_of_order__give_a_row_that_can_be_read),
		cmocka_unit_test(tracker_event__many_processes__are_all_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
