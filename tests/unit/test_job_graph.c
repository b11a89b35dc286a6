#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/job_graph.h"
#include "util/alloc.h"
#include "util/text.h"

#define CARGO 10
#define DEPS  "/b/stage1-rustc/x86_64-unknown-linux-gnu/release/deps"

/* Times are seconds. */
struct build {
	struct process_list list;
	int64_t metadata_ns[1024]; /* by place */
	struct job_graph graph;
};

static struct process *add(struct build *build, int64_t pid, int64_t ppid, enum role role,
			   double start, double end)
{
	struct process *process = process_list_add(&build->list);

	process->pid = pid;
	process->ppid = ppid;
	process->start_ns = (int64_t)(start * 1e9);
	process->end_ns = (int64_t)(end * 1e9);
	process->tag.role = role;
	build->metadata_ns[build->list.nr - 1] = PROCESS_UNKNOWN;
	return process;
}

/* The words of a command line, which blanks separate. */
static void set_argv(struct process *process, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		strvec_push_nodup(&process->argv, xstrndup(text, len));
		text += len + (text[len] == ' ');
	}
}

static void build_init(struct build *build, const char *cargo)
{
	*build = (struct build){ .list = PROCESS_LIST_INIT };
	set_argv(add(build, CARGO, 1, ROLE_CARGO, 0, 100), cargo);
}

/* A compile by a shim and a compiler, of pids `pid` and `pid` + 1. `metadata` 0: none. */
static struct process *compile(struct build *build, int64_t pid, double start, double metadata,
			       double end, const char *type, const char *argv)
{
	struct process *process;

	add(build, pid, CARGO, ROLE_RUSTC_SHIM, start, end);
	process = add(build, pid + 1, pid, ROLE_RUSTC, start, end);
	process->tag.crate_type = xstrdup(type);
	set_argv(process, argv);
	if (metadata > 0)
		build->metadata_ns[build->list.nr - 1] = (int64_t)(metadata * 1e9);
	return process;
}

static void make(struct build *build, bool guess)
{
	job_graph_init(&build->graph, &build->list, build->metadata_ns, guess, 100 * NS_PER_S);
}

static void build_release(struct build *build)
{
	job_graph_release(&build->graph);
	process_list_release(&build->list);
}

static void expect_waits(const struct job *job, size_t nr, ...)
{
	va_list args;

	assert_int_equal(job->waits_nr, nr);
	va_start(args, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(job->waits[i].job, va_arg(args, int));
		assert_int_equal(job->waits[i].until, va_arg(args, int));
	}
	va_end(args);
}

static void job_graph__library_for_library__waits_for_metadata(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, "cargo build -j 8");
	compile(&build, 20, 1, 2, 9, "lib",
		"rustc --crate-name libc -C extra-filename=-0a --out-dir " DEPS);
	compile(&build, 30, 2.5, 0, 8, "lib",
		"rustc --crate-name user -Cextra-filename=-0b --out-dir " DEPS
		" --extern noprelude:libc=" DEPS "/liblibc-0a.rmeta --extern proc_macro"
		" --extern other=" DEPS "/libother-0c.rmeta");
	make(&build, false);
	assert_int_equal(build.graph.nr, 2);
	assert_int_equal(build.graph.jobs[0].metadata_ns, 2 * NS_PER_S);
	assert_int_equal(build.graph.jobs[1].metadata_ns, 8 * NS_PER_S);
	assert_int_equal(build.graph.jobs[0].dependents, 1);
	assert_int_equal(build.graph.contradicted, 0);
	expect_waits(&build.graph.jobs[1], 1, 0, JOB_METADATA);
	assert_int_equal(job_graph_main_session(&build.graph)->jobs_max, 8);
	assert_int_equal(job_graph_main_session(&build.graph)->first_ns, NS_PER_S);
	assert_int_equal(job_graph_main_session(&build.graph)->last_ns, 9 * NS_PER_S);
	build_release(&build);
}

/* Program -> middle -> base: the program is linked from both, and waits until middle is whole. */
static void job_graph__program__waits_for_whole_libraries(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, "cargo build --jobs=3");
	compile(&build, 20, 1, 2, 9, "lib", "rustc --crate-name base -C extra-filename=-1");
	compile(&build, 30, 2, 3, 8, "rlib",
		"rustc --crate-name middle -C extra-filename=-2 --extern base=/d/libbase-1.rmeta");
	compile(&build, 40, 9, 0, 10, "bin",
		"rustc --crate-name program -C extra-filename=-3 --extern "
		"middle=/d/libmiddle-2.rlib");
	make(&build, false);
	expect_waits(&build.graph.jobs[1], 1, 0, JOB_METADATA);
	expect_waits(&build.graph.jobs[2], 1, 1, JOB_WHOLE);
	assert_int_equal(build.graph.waits_nr, 2);
	assert_int_equal(build.graph.metadata_nr, 1);
	assert_int_equal(build.graph.jobs[0].dependents, 2);
	build_release(&build);
}

/* A macro is a whole library of the host: what it was made of matters no more. */
static void job_graph__macro__is_waited_for_to_its_end(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, "cargo build");
	compile(&build, 20, 1, 2, 3, "lib", "rustc --crate-name quote -C extra-filename=-1");
	compile(&build, 30, 3, 0, 5, "proc-macro",
		"rustc --crate-name derive -C extra-filename=-2 --extern quote=/d/libquote-1.rlib");
	compile(&build, 40, 5, 6, 7, "lib",
		"rustc --crate-name user -C extra-filename=-3 --extern derive=C:\\d\\derive-2.dll");
	make(&build, false);
	expect_waits(&build.graph.jobs[1], 1, 0, JOB_WHOLE);
	expect_waits(&build.graph.jobs[2], 1, 1, JOB_END);
	assert_int_equal(job_graph_main_session(&build.graph)->jobs_max, 0);
	build_release(&build);
}

static void set_package(struct process *process, const char *package)
{
	strvec_push_nodup(&process->env, xasprintf("CARGO_PKG_NAME=%s", package));
}

static void job_graph__build_script__is_compiled_run_and_waited_for(void **state)
{
	struct build build;
	struct process *run;

	(void)state;
	build_init(&build, "cargo build");
	set_package(compile(&build, 20, 1, 0, 2, "bin",
			    "rustc --crate-name build_script_build -C extra-filename=-1 --out-dir "
			    "/b/release/build/libc-1"),
		    "libc");
	run = add(&build, 30, CARGO, ROLE_BUILD_SCRIPT, 2, 4);
	run->exe = xstrdup("/b/release/build/libc-1/build-script-build");
	run->tag.crate = xstrdup("libc");
	set_package(compile(&build, 40, 4, 5, 6, "lib",
			    "rustc --crate-name libc -C extra-filename=-2 --out-dir /b/deps"),
		    "libc");
	set_package(compile(&build, 50, 5, 0, 6, "lib", "rustc --crate-name other"), "other");
	make(&build, false);
	assert_int_equal(build.graph.nr, 4);
	assert_false(build.graph.jobs[1].compiles);
	expect_waits(&build.graph.jobs[0], 0);
	expect_waits(&build.graph.jobs[1], 1, 0, JOB_END);
	expect_waits(&build.graph.jobs[2], 1, 1, JOB_END);
	expect_waits(&build.graph.jobs[3], 0);
	build_release(&build);
}

/* A trace of a stranger may have thousands of runs and of compiles of one package: not each pair is a wait. */
static void job_graph__many_runs_of_a_package__are_not_all_waited_for(void **state)
{
	enum { MANY = 200 };
	struct build build;

	(void)state;
	build_init(&build, "cargo build");
	for (int i = 0; i < MANY; i++) {
		struct process *run = add(&build, 100 + i, CARGO, ROLE_BUILD_SCRIPT, 1, 2);

		run->tag.crate = xstrdup("libc");
	}
	for (int i = 0; i < MANY; i++)
		set_package(
			compile(&build, 1000 + 2 * i, 3, 0, 4, "lib", "rustc --crate-name libc"),
			"libc");
	make(&build, false);
	assert_int_equal(build.graph.nr, 2 * MANY);
	assert_int_equal(build.graph.jobs[2 * MANY - 1].waits[0].job, MANY - 1);
	assert_true(build.graph.waits_nr >= MANY);
	assert_true(build.graph.waits_nr <= MANY * 64);
	build_release(&build);
}

/* The library "base", whose metadata is known at `metadata`, and two that need such a file of it, from 3 s and 4 s on. */
static void make_two_that_need(struct build *build, double metadata, const char *first,
			       const char *second)
{
	char *a = xasprintf("rustc --crate-name a --extern base=/d/libbase-1.%s", first);
	char *b = xasprintf("rustc --crate-name b --extern base=/d/libbase-1.%s", second);

	build_init(build, "cargo build");
	compile(build, 20, 1, metadata, 9, "lib", "rustc --crate-name base -C extra-filename=-1");
	compile(build, 30, 3, 0, 8, "lib", a);
	compile(build, 40, 4, 0, 8, "lib", b);
	make(build, false);
	free(a);
	free(b);
}

/* On a busy machine metadata is known late: who waited for it has begun. */
static void job_graph__metadata_known_late__was_there_at_the_first_start(void **state)
{
	struct build build;

	(void)state;
	make_two_that_need(&build, 5, "rmeta", "rmeta");
	assert_int_equal(build.graph.jobs[0].metadata_ns, 3 * NS_PER_S);
	assert_int_equal(build.graph.contradicted, 0);
	expect_waits(&build.graph.jobs[1], 1, 0, JOB_METADATA);
	expect_waits(&build.graph.jobs[2], 1, 0, JOB_METADATA);
	build_release(&build);
	/* Not known at all. */
	make_two_that_need(&build, 0, "rmeta", "rmeta");
	assert_int_equal(build.graph.jobs[0].metadata_ns, 3 * NS_PER_S);
	build_release(&build);
	/* In time. */
	make_two_that_need(&build, 2, "rmeta", "rmeta");
	assert_int_equal(build.graph.jobs[0].metadata_ns, 2 * NS_PER_S);
	build_release(&build);
}

/* A start before the end says nothing of metadata where the whole library is needed. */
static void job_graph__library_needed__says_nothing_of_metadata(void **state)
{
	struct build build;

	(void)state;
	make_two_that_need(&build, 5, "rlib", "rmeta");
	assert_int_equal(build.graph.jobs[0].metadata_ns, 4 * NS_PER_S);
	assert_int_equal(build.graph.contradicted, 1);
	expect_waits(&build.graph.jobs[1], 0);
	expect_waits(&build.graph.jobs[2], 1, 0, JOB_METADATA);
	build_release(&build);
}

static void job_graph__started_before_it_could__is_contradicted(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, "cargo build");
	compile(&build, 20, 1, 2, 5, "lib", "rustc --crate-name base -C extra-filename=-1");
	compile(&build, 30, 4.9, 0, 8, "lib",
		"rustc --crate-name a --extern base=/d/libbase-1.rlib");
	compile(&build, 40, 4.99, 0, 8, "lib",
		"rustc --crate-name b --extern base=/d/libbase-1.rlib");
	make(&build, false);
	expect_waits(&build.graph.jobs[1], 0);
	expect_waits(&build.graph.jobs[2], 1, 0, JOB_END);
	assert_int_equal(build.graph.contradicted, 1);
	build_release(&build);
}

/* Linked while a part of its library was being made: that it waited for the library's end is true nevertheless. */
static void job_graph__started_before_library_was_whole__waits_for_its_end(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, "cargo build");
	compile(&build, 20, 1, 2, 9, "lib", "rustc --crate-name base -C extra-filename=-1");
	compile(&build, 30, 2, 3, 5, "lib",
		"rustc --crate-name middle -C extra-filename=-2 --extern base=/d/libbase-1.rmeta");
	compile(&build, 40, 6, 0, 10, "bin",
		"rustc --crate-name a --extern middle=/d/libmiddle-2.rlib");
	make(&build, false);
	expect_waits(&build.graph.jobs[2], 1, 1, JOB_END);
	assert_int_equal(build.graph.contradicted, 1);
	build_release(&build);
}

/* Each library needs the one before it, each program all of them: what is kept grows as the command lines do. */
static void job_graph__many_programs__have_the_waits_of_their_command_lines(void **state)
{
	enum { LIBRARIES = 3000, PROGRAMS = 3000 };
	struct process_list list = PROCESS_LIST_INIT;
	struct job_graph graph;

	(void)state;
	for (int i = 0; i <= LIBRARIES + PROGRAMS; i++) {
		struct process *process = process_list_add(&list);
		int last = i <= LIBRARIES ? i - 1 : LIBRARIES;

		process->pid = i + 10;
		process->ppid = i ? 10 : 1;
		process->start_ns = i * NS_PER_S;
		process->end_ns = i ? process->start_ns + NS_PER_S : INT64_MAX;
		process->tag.role = i ? ROLE_RUSTC : ROLE_CARGO;
		process->tag.crate_type = xstrdup(i <= LIBRARIES ? "lib" : "bin");
		for (int k = 0; i && k < 4; k++)
			strvec_push_nodup(&process->argv,
					  k == 0   ? xstrdup("rustc")
					  : k == 1 ? xstrdup("--crate-name")
					  : k == 2 ? xasprintf("a%d", i)
						   : xasprintf("--extern=a=/d/liba%d.rlib", last));
	}
	job_graph_init(&graph, &list, NULL, true, INT64_MAX);
	assert_int_equal(graph.nr, LIBRARIES + PROGRAMS);
	assert_int_equal(graph.waits_nr, LIBRARIES + PROGRAMS - 1);
	assert_int_equal(graph.contradicted, 0);
	assert_int_equal(graph.jobs[graph.nr - 1].waits[0].until, JOB_WHOLE);
	for (uint32_t i = 0; i < graph.nr; i++)
		assert_int_equal(graph.jobs[i].dependents,
				 i < LIBRARIES ? LIBRARIES + PROGRAMS - 1 - i : 0);
	job_graph_release(&graph);
	process_list_release(&list);
}

static void job_graph__metadata_not_known__is_guessed(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, "cargo build");
	compile(&build, 20, 0, 0, 10, "lib", "rustc --crate-name a -C extra-filename=-1");
	compile(&build, 30, 0, 0, 10, "lib", "rustc --crate-name b -C extra-filename=-2");
	compile(&build, 40, 1, 0, 9, "lib", "rustc --crate-name c --extern a=/d/liba-1.rmeta");
	compile(&build, 50, 9, 0, 10, "bin", "rustc --crate-name d");
	make(&build, true);
	assert_int_equal(build.graph.jobs[0].metadata_ns, NS_PER_S);
	assert_int_equal(build.graph.jobs[1].metadata_ns, (int64_t)(JOB_METADATA_SHARE * 10e9));
	assert_int_equal(build.graph.jobs[3].metadata_ns, 10 * NS_PER_S);
	expect_waits(&build.graph.jobs[2], 1, 0, JOB_METADATA);
	assert_int_equal(build.graph.contradicted, 0);
	build_release(&build);
}

/* What asks for a version is no job; all that a job starts is of the job; cargo is of none. */
static void job_graph__processes__are_of_their_jobs(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, "cargo build");
	add(&build, 15, CARGO, ROLE_RUSTC_SHIM, 0.1, 0.2);
	add(&build, 16, 15, ROLE_PROBE, 0.1, 0.2);
	compile(&build, 20, 1, 0, 9, "bin", "rustc --crate-name a");
	add(&build, 25, 21, ROLE_LINK, 8, 9);
	add(&build, 26, CARGO, ROLE_RUSTC, 8, 9);
	make(&build, false);
	assert_int_equal(build.graph.nr, 2);
	assert_int_equal(build.graph.job_of[0], JOB_NONE);
	assert_int_equal(build.graph.job_of[1], JOB_NONE);
	assert_int_equal(build.graph.job_of[2], JOB_NONE);
	assert_int_equal(build.graph.job_of[3], 0);
	assert_int_equal(build.graph.job_of[4], 0);
	assert_int_equal(build.graph.job_of[5], 0);
	assert_int_equal(build.graph.job_of[6], 1);
	assert_int_equal(build.graph.jobs[0].process, 3);
	assert_int_equal(build.graph.jobs[0].compiler, 4);
	assert_int_equal(build.graph.jobs[1].compiler, 6);
	assert_int_equal(build.graph.compiles_nr, 2);
	assert_int_equal(build.graph.unknown_nr, 1);
	build_release(&build);
}

/* The same file names in two calls of cargo: each has its own. */
static void job_graph__two_calls_of_cargo__are_two_sessions(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, "cargo build -j2");
	build.list.v[0]->end_ns = 5 * NS_PER_S;
	compile(&build, 20, 1, 2, 3, "lib", "rustc --crate-name a -C extra-filename=-1");
	set_argv(add(&build, CARGO, 1, ROLE_CARGO, 6, 20), "cargo build -j4");
	compile(&build, 30, 7, 8, 9, "lib", "rustc --crate-name b --extern a=/d/liba-1.rmeta");
	compile(&build, 40, 10, 0, 15, "lib", "rustc --crate-name c");
	make(&build, false);
	assert_int_equal(build.graph.sessions_nr, 2);
	assert_int_equal(build.graph.jobs[0].session, 0);
	assert_int_equal(build.graph.jobs[1].session, 1);
	expect_waits(&build.graph.jobs[1], 0);
	assert_int_equal(job_graph_main_session(&build.graph)->jobs_max, 4);
	build_release(&build);
}

static void job_graph__no_processes__has_no_jobs(void **state)
{
	struct build build = { .list = PROCESS_LIST_INIT };

	(void)state;
	make(&build, false);
	assert_int_equal(build.graph.nr, 0);
	assert_null(job_graph_main_session(&build.graph));
	build_release(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(job_graph__library_for_library__waits_for_metadata),
		cmocka_unit_test(job_graph__program__waits_for_whole_libraries),
		cmocka_unit_test(job_graph__macro__is_waited_for_to_its_end),
		cmocka_unit_test(job_graph__build_script__is_compiled_run_and_waited_for),
		cmocka_unit_test(job_graph__many_runs_of_a_package__are_not_all_waited_for),
		cmocka_unit_test(job_graph__metadata_known_late__was_there_at_the_first_start),
		cmocka_unit_test(job_graph__library_needed__says_nothing_of_metadata),
		cmocka_unit_test(job_graph__started_before_it_could__is_contradicted),
		cmocka_unit_test(job_graph__started_before_library_was_whole__waits_for_its_end),
		cmocka_unit_test(job_graph__many_programs__have_the_waits_of_their_command_lines),
		cmocka_unit_test(job_graph__metadata_not_known__is_guessed),
		cmocka_unit_test(job_graph__processes__are_of_their_jobs),
		cmocka_unit_test(job_graph__two_calls_of_cargo__are_two_sessions),
		cmocka_unit_test(job_graph__no_processes__has_no_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
