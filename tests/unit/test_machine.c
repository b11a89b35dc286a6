#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine_fixture.h"
#include "util/array.h"

static int set_up(void **state)
{
	*state = machine_fixture_new();
	return 0;
}

static int tear_down(void **state)
{
	machine_fixture_free(*state);
	return 0;
}

/* A file may have any number of forks, each of a process with any number of mappings. */
static void machine_apply__forks_of_too_much__are_cut(void **state)
{
	struct machine_fixture *f = machine_fixture_new();

	(void)state;
	f->machine.max_copied = 10;
	for (uint64_t i = 0; i < 4; i++)
		map_file(f, 1, 10, 0x10000 + i * 0x2000, 0x1000, "/bin/a");
	for (int64_t pid = 11; pid < 14; pid++)
		fork_process(f, 2, 10, pid);
	assert_int_equal(machine_process(&f->machine, 11, 0)->space.ranges.nr, 4);
	assert_int_equal(machine_process(&f->machine, 12, 0)->space.ranges.nr, 4);
	assert_int_equal(machine_process(&f->machine, 13, 0)->space.ranges.nr, 0);
	assert_int_equal(f->machine.forks_cut, 1);
	/* What one had that is over another may have; what never was copied is not given back. */
	end_thread(f, 3, 11, 11);
	end_thread(f, 3, 13, 13);
	fork_process(f, 4, 10, 14);
	fork_process(f, 4, 10, 15);
	assert_int_equal(machine_process(&f->machine, 14, 0)->space.ranges.nr, 4);
	assert_int_equal(machine_process(&f->machine, 15, 0)->space.ranges.nr, 0);
	assert_int_equal(f->machine.forks_cut, 2);
	machine_fixture_free(f);
}

/* Those that ended count too: millions of forks, one after the other, would take hours. */
static void machine_apply__forks_of_too_much_in_turn__are_cut(void **state)
{
	struct machine_fixture *f = machine_fixture_new();
	unsigned forks = 0;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		map_file(f, 1, 10, 0x10000 + i * 0x2000, 0x1000, "/bin/a");
	for (; !f->machine.forks_cut && forks < 100000; forks++) {
		fork_process(f, 2, 10, 11);
		end_thread(f, 3, 11, 11);
	}
	assert_in_range(forks, 3000, 10000);
	machine_fixture_free(f);
}

static void machine_apply__fork__has_the_parents_mappings(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *parent, *child;

	map_file(f, 1, 10, 0x1000, 0x1000, "/bin/make");
	fork_process(f, 2, 10, 11);
	map_file(f, 3, 11, 0x5000, 0x1000, "/lib/a.so");
	unmap(f, 4, 10, 0x1000, 0x800);
	parent = process_at(f, 5, 10);
	child = process_at(f, 5, 11);
	assert_int_equal(parent->space.ranges.nr, 1);
	assert_int_equal(address_space_seek(&parent->space, 0)->start, 0x1800);
	assert_int_equal(address_space_seek(&parent->space, 0)->offset, 0x800);
	assert_int_equal(child->space.ranges.nr, 2);
	assert_int_equal(address_space_seek(&child->space, 0)->start, 0x1000);
	assert_int_equal(child->start_ns, 2 * NS_PER_MS);
	assert_true(child->started);
	assert_false(parent->started);
	assert_int_equal(row_of(f, child)->ppid, 10);
	assert_int_equal(row_of(f, parent)->ppid, PROCESS_UNKNOWN);
}

static void machine_apply__existed_before__takes_nothing_from_the_parent(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *child;

	fork_process(f, 0, 1, 10);
	name_thread(f, 0, 10, 10, "make");
	map_file(f, 0, 10, 0x1000, 0x1000, "/bin/make");
	fork_process(f, 0, 10, 11);
	name_thread(f, 0, 11, 11, "sh");
	map_file(f, 0, 11, 0x5000, 0x1000, "/bin/dash");
	fork_process(f, 0, 10, 11);
	child = process_at(f, 5, 11);
	assert_int_equal(f->machine.processes_nr, 2);
	assert_int_equal(child->space.ranges.nr, 1);
	assert_int_equal(address_space_seek(&child->space, 0)->start, 0x5000);
	assert_string_equal(process_image(row_of(f, child)), "dash");
	assert_string_equal(child->first->name, "sh");
	assert_int_equal(row_of(f, child)->ppid, 10);
}

/* If events have no time, the reader decides what a fork inherits. */
static void machine_apply__fork_at_no_time__has_the_parents_mappings(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_event fork = event_of(TRACE_PROCESS_START, 0, 11, 11);

	map_file(f, 0, 10, 0x1000, 0x1000, "/bin/make");
	process_at(f, 0, 11);
	fork.start = (struct trace_start){ .ppid = 10, .copied = true };
	machine_apply(&f->machine, &fork);
	assert_int_equal(process_at(f, 0, 11)->space.ranges.nr, 1);
	assert_string_equal(process_image(row_of(f, process_at(f, 0, 11))), "make");
}

static void machine_apply__exec__leaves_one_thread_and_no_mapping(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *process;
	struct trace_thread *other;

	fork_process(f, 1, 1, 10);
	map_file(f, 1, 10, 0x1000, 0x1000, "/bin/cargo");
	start_thread(f, 2, 10, 12);
	other = thread_at(f, 2, 10, 12);
	process = process_at(f, 2, 10);
	assert_int_equal(process->threads, 2);
	/* The second thread calls exec: the first one ends, and its tid is the second's from then on. */
	end_thread(f, 3, 10, 10);
	assert_int_equal(process->end_ns, PROCESS_UNKNOWN);
	exec_program(f, 3, 10, "rustc");
	assert_int_equal(process->threads, 1);
	assert_int_equal(process->space.ranges.nr, 0);
	assert_false(other->alive);
	assert_true(thread_at(f, 4, 10, 10)->alive);
	assert_string_equal(thread_at(f, 4, 10, 10)->name, "rustc");
	map_file(f, 4, 10, 0x2000, 0x1000, "/b/stage1/bin/rustc");
	assert_string_equal(row_of(f, process)->exe, "/b/stage1/bin/rustc");
	end_thread(f, 5, 10, 10);
	assert_int_equal(process->end_ns, 5 * NS_PER_MS);
}

/* Copies and hard links of one file are one module, but each process has the path that it runs. */
static void machine_apply__one_module_at_two_paths__each_image_is_its_own(void **state)
{
	struct machine_fixture *f = *state;
	static const char *const paths[] = { "/b/stage1/bin/rustc", "/b/rustc-main (deleted)" };
	struct trace_process *first, *second;

	for (int64_t i = 0; i < 2; i++) {
		struct trace_event event = event_of(TRACE_MAP, i + 1, 10 + i, 10 + i);

		exec_program(f, i, 10 + i, i ? "rustc-main" : "rustc");
		event.map = (struct trace_map){ .address = 0x1000,
						.length = 0x1000,
						.path = paths[i],
						.id = { 1, 2, 3 },
						.id_length = 20,
						.code = true };
		machine_apply(&f->machine, &event);
	}
	first = process_at(f, 5, 10);
	second = process_at(f, 5, 11);
	assert_int_equal(address_space_seek(&first->space, 0)->module,
			 address_space_seek(&second->space, 0)->module);
	assert_string_equal(row_of(f, first)->exe, "/b/stage1/bin/rustc");
	assert_string_equal(row_of(f, second)->exe, "/b/rustc-main");
	assert_string_equal(process_image(row_of(f, second)), "rustc-main");
}

static void machine_apply__last_thread__ends_the_process(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *process;

	fork_process(f, 1, 1, 10);
	start_thread(f, 1, 10, 11);
	start_thread(f, 1, 10, 12);
	process = process_at(f, 1, 10);
	end_thread(f, 2, 10, 10);
	end_thread(f, 3, 10, 12);
	end_thread(f, 3, 10, 12);
	assert_int_equal(process->end_ns, PROCESS_UNKNOWN);
	end_thread(f, 4, 10, 11);
	assert_int_equal(process->end_ns, 4 * NS_PER_MS);
	assert_int_equal(row_of(f, process)->end_ns, 4 * NS_PER_MS);
	assert_int_equal(f->machine.threads_nr, 3);
}

static void machine_apply__process_end__ends_its_threads(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_event event = event_of(TRACE_PROCESS_END, 5, 10, -1);

	fork_process(f, 1, 1, 10);
	start_thread(f, 1, 10, 11);
	machine_apply(&f->machine, &event);
	assert_int_equal(process_at(f, 5, 10)->end_ns, 5 * NS_PER_MS);
	assert_false(f->machine.threads[0]->alive || f->machine.threads[1]->alive);
}

static void machine_apply__end_event__is_not_that_of_the_last_thread(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_event start = event_of(TRACE_PROCESS_START, 1, 10, -1);
	struct trace_event end = event_of(TRACE_PROCESS_END, 5, 10, -1);
	struct trace_process *process;

	start.start = (struct trace_start){ .ppid = 1, .has_end = true, .image = "a.exe" };
	machine_apply(&f->machine, &start);
	start_thread(f, 1, 10, 12);
	end_thread(f, 3, 10, 12);
	process = process_at(f, 3, 10);
	assert_int_equal(process->end_ns, PROCESS_UNKNOWN);
	assert_int_equal(row_of(f, process)->exit_code, PROCESS_UNKNOWN);
	end.end = (struct trace_end){ true, 0xC0000005 };
	machine_apply(&f->machine, &end);
	assert_int_equal(process->end_ns, 5 * NS_PER_MS);
	assert_int_equal(row_of(f, process)->exit_code, 0xC0000005);
}

static void machine_apply__exit_code__is_that_of_the_row_where_it_has_one(void **state)
{
	struct machine_fixture *f = *state;
	struct process *row = add_row(f, 10, 1 * NS_PER_MS, PROCESS_UNKNOWN);
	struct trace_event end = event_of(TRACE_PROCESS_END, 5, 10, -1);

	row->exit_code = 3;
	end.end = (struct trace_end){ true, 0 };
	machine_apply(&f->machine, &end);
	assert_int_equal(row->end_ns, 5 * NS_PER_MS);
	assert_int_equal(row->exit_code, 3);
}

static void machine_process__after_the_end__is_who_ended_for_a_while(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *first, *again;

	fork_process(f, 1, 1, 10);
	map_file(f, 1, 10, 0x1000, 0x1000, "/bin/make");
	first = process_at(f, 1, 10);
	end_thread(f, 5, 10, 10);
	assert_ptr_equal(process_at(f, 6, 10), first);
	assert_ptr_equal(thread_at(f, 6, 10, 10)->process, first);
	assert_int_equal(first->space.ranges.nr, 1);
	assert_int_equal(f->machine.processes_nr, 1);
	again = process_at(f, 1006, 10);
	assert_ptr_not_equal(again, first);
	assert_int_equal(again->end_ns, PROCESS_UNKNOWN);
	assert_ptr_equal(thread_at(f, 1006, 10, 10)->process, again);
}

static void machine_process__many_ended__keep_no_mappings(void **state)
{
	struct machine_fixture *f = *state;
	size_t kept = 0;

	for (int64_t pid = 1; pid <= 100; pid++) {
		fork_process(f, pid, 1000, pid);
		map_file(f, pid, pid, 0x1000, 0x1000, "/bin/make");
		end_thread(f, pid, pid, pid);
	}
	for (size_t i = 0; i < f->machine.processes_nr; i++)
		kept += f->machine.processes[i]->space.ranges.nr;
	assert_int_equal(f->machine.processes_nr, 100);
	assert_true(kept > 0 && kept < 50);
}

static void machine_apply__pid_used_again__is_another_process(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *first, *second, *third;

	fork_process(f, 1, 1, 10);
	first = process_at(f, 1, 10);
	end_thread(f, 5, 10, 10);
	fork_process(f, 6, 1, 10);
	second = process_at(f, 6, 10);
	assert_ptr_not_equal(second, first);
	assert_int_equal(thread_at(f, 6, 10, 10)->process->start_ns, 6 * NS_PER_MS);
	/* Its end is lost. */
	fork_process(f, 20, 1, 10);
	third = process_at(f, 20, 10);
	assert_ptr_not_equal(third, second);
	assert_int_equal(second->end_ns, 20 * NS_PER_MS);
	assert_int_equal(f->rows.nr, 3);
}

static void machine_apply__late_start__is_the_same_process(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *process = process_at(f, 1, 10);

	fork_process(f, 2, 9, 10);
	assert_ptr_equal(process_at(f, 3, 10), process);
	assert_true(process->started);
	assert_int_equal(row_of(f, process)->ppid, 9);
	assert_int_equal(process->threads, 1);
}

static void machine_process__pids_that_are_none(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *unknown;

	assert_null(process_at(f, 1, 0));
	assert_null(thread_at(f, 1, 0, 0));
	unknown = process_at(f, 1, -1);
	assert_ptr_equal(process_at(f, 2, -7), unknown);
	assert_string_equal(process_image(row_of(f, unknown)), "[unknown]");
	assert_int_equal(thread_at(f, 2, -1, -1)->tid, -1);
	assert_ptr_equal(thread_at(f, 2, -1, -1), thread_at(f, 3, -1, -2));
	end_thread(f, 4, -1, -1);
	assert_int_equal(unknown->end_ns, PROCESS_UNKNOWN);
	fork_process(f, 5, -1, 0);
	fork_process(f, 5, 0, -1);
	assert_int_equal(f->machine.processes_nr, 1);
}

static void machine_thread__no_tid__is_its_processs_own(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_thread *a = thread_at(f, 1, 10, -1), *b = thread_at(f, 1, 11, -1);

	assert_ptr_not_equal(a, b);
	assert_int_equal(a->tid, -1);
	assert_int_equal(a->process->pid, 10);
	assert_ptr_equal(thread_at(f, 2, 10, -1), a);
}

static void machine_apply__thread_names__are_the_last_ones(void **state)
{
	struct machine_fixture *f = *state;

	assert_string_equal(thread_at(f, 1, 10, 10)->name, "");
	name_thread(f, 1, 10, 10, "opt cgu.0 (x)");
	start_thread(f, 2, 10, 11);
	assert_string_equal(thread_at(f, 2, 10, 11)->name, "opt cgu.0 (x)");
	name_thread(f, 3, 10, 11, "");
	name_thread(f, 4, 10, 11, "llvm worker 7");
	assert_string_equal(thread_at(f, 4, 10, 11)->name, "llvm worker 7");
	assert_string_equal(thread_at(f, 4, 10, 10)->name, "opt cgu.0 (x)");
	fork_process(f, 5, 10, 12);
	assert_string_equal(thread_at(f, 5, 12, 12)->name, "opt cgu.0 (x)");
}

static void start_thread_by(struct machine_fixture *f, int64_t ms, int64_t tid, int64_t by_tid)
{
	struct trace_event event = event_of(TRACE_THREAD_START, ms, 10, tid);

	event.start = (struct trace_start){ .by_tid = by_tid };
	machine_apply(&f->machine, &event);
}

static void machine_apply__new_thread__has_the_name_of_its_maker(void **state)
{
	struct trace_event fork = event_of(TRACE_PROCESS_START, 6, 20, 20);
	struct machine_fixture *f = *state;

	name_thread(f, 1, 10, 10, "rustc");
	start_thread_by(f, 1, 11, 10);
	name_thread(f, 2, 10, 11, "coordinator");
	start_thread_by(f, 3, 12, 11);
	assert_string_equal(thread_at(f, 3, 10, 12)->name, "coordinator");
	start_thread_by(f, 3, 13, 10);
	assert_string_equal(thread_at(f, 3, 10, 13)->name, "rustc");
	/* By no thread, by an unknown one, by one of another process. */
	fork_process(f, 4, 1, 99);
	name_thread(f, 4, 99, 99, "other");
	for (int64_t i = 0; i < 3; i++) {
		start_thread_by(f, 5, 30 + i, (int64_t[]){ 0, 77, 99 }[i]);
		assert_string_equal(thread_at(f, 5, 10, 30 + i)->name, "rustc");
	}
	fork.start = (struct trace_start){ .ppid = 10, .by_tid = 12, .copied = true };
	machine_apply(&f->machine, &fork);
	assert_string_equal(thread_at(f, 6, 20, 20)->name, "coordinator");
}

static void machine_thread__tid_used_again__is_another_thread(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_thread *first, *second;

	fork_process(f, 1, 1, 10);
	fork_process(f, 1, 1, 20);
	start_thread(f, 1, 10, 11);
	first = thread_at(f, 1, 10, 11);
	end_thread(f, 2, 10, 11);
	assert_ptr_equal(thread_at(f, 2, 10, 11), first);
	start_thread(f, 3, 10, 11);
	second = thread_at(f, 3, 10, 11);
	assert_ptr_not_equal(second, first);
	assert_true(second->alive && !first->alive);
	/* Its end is lost; the tid comes up in another process. */
	start_thread(f, 4, 20, 11);
	assert_false(second->alive);
	assert_int_equal(process_at(f, 4, 10)->threads, 1);
	assert_int_equal(process_at(f, 4, 20)->threads, 2);
}

static void machine_process__rows__are_joined_by_pid_and_time(void **state)
{
	struct machine_fixture *f = *state;
	struct process *before, *known;
	struct trace_process *process;

	add_row(f, 10, -100 * NS_PER_MS, 50 * NS_PER_MS);
	add_row(f, 10, 60 * NS_PER_MS, PROCESS_UNKNOWN);
	before = f->rows.v[0];
	known = f->rows.v[1];
	known->exe = xstrdup("/b/rustc");
	fork_process(f, 0, 1, 10);
	process = process_at(f, 0, 10);
	assert_true(process->known);
	assert_ptr_equal(row_of(f, process), before);
	exec_program(f, 1, 10, "other");
	map_file(f, 1, 10, 0x1000, 0x1000, "/bin/other");
	end_thread(f, 51, 10, 10);
	assert_null(before->exe);
	assert_int_equal(before->end_ns, 50 * NS_PER_MS);
	fork_process(f, 58, 1, 10);
	assert_ptr_equal(row_of(f, process_at(f, 58, 10)), known);
	exec_program(f, 59, 10, "other");
	end_thread(f, 70, 10, 10);
	assert_string_equal(known->exe, "/b/rustc");
	assert_int_equal(known->start_ns, 60 * NS_PER_MS);
	assert_int_equal(known->end_ns, 70 * NS_PER_MS);
	assert_int_equal(f->rows.nr, 2);
	fork_process(f, 80, 1, 10);
	assert_false(process_at(f, 80, 10)->known);
	assert_int_equal(f->rows.nr, 3);
	assert_int_equal(f->rows.v[2]->start_ns, 80 * NS_PER_MS);
}

/* perf forks what it records, sets itself up, which may take seconds, and reports the process without a time. */
static void machine_process__existed_before__is_joined_when_the_trace_began(void **state)
{
	struct machine_fixture *f = *state;
	struct process *first, *build, *later;

	add_row(f, 10, 100 * NS_PER_MS, 200 * NS_PER_MS);
	add_row(f, 10, 1500 * NS_PER_MS, 9000 * NS_PER_MS);
	add_row(f, 20, 8000 * NS_PER_MS, 9000 * NS_PER_MS);
	first = f->rows.v[0];
	build = f->rows.v[1];
	later = f->rows.v[2];
	f->machine.first_ns = 4000 * NS_PER_MS;
	name_thread(f, 0, 10, 10, "perf-exec");
	name_thread(f, 0, 20, 20, "daemon");
	exec_program(f, 4000, 10, "time");
	assert_ptr_equal(row_of(f, process_at(f, 4001, 10)), build);
	assert_int_equal(first->end_ns, 200 * NS_PER_MS);
	assert_false(process_at(f, 4001, 20)->known);
	end_thread(f, 5000, 20, 20);
	fork_process(f, 8000, 10, 20);
	assert_ptr_equal(row_of(f, process_at(f, 8001, 20)), later);
	assert_int_equal(f->rows.nr, 4);
}

static void machine_process__no_row__is_tagged_by_the_trace(void **state)
{
	struct machine_fixture *f = *state;
	struct process *row;

	fork_process(f, 1, 1, 10);
	exec_program(f, 2, 10, "rustc");
	map_file(f, 2, 10, 0x1000, 0x1000, "/r/build/x86_64-unknown-linux-gnu/stage1/bin/rustc");
	fork_process(f, 3, 10, 11);
	exec_program(f, 4, 11, "cc");
	map_file(f, 4, 11, 0x1000, 0x1000, "/usr/bin/x86_64-linux-gnu-gcc-12");
	row = row_of(f, process_at(f, 5, 10));
	assert_int_equal(row->tag.role, ROLE_RUSTC);
	assert_int_equal(row->tag.built_by, 1);
	assert_true(row->argv_lost);
	row = row_of(f, process_at(f, 5, 11));
	assert_int_equal(row->tag.role, ROLE_LINK);
	assert_int_equal(row->tag.built_by, 1);
	assert_string_equal(row->argv.v[0], "x86_64-linux-gnu-gcc-12");
}

/* The time at which a process was first seen is not its start. */
static void machine_apply__existed_before__has_no_start(void **state)
{
	static const struct {
		int64_t ms;
		bool copied, starts, named;
		int64_t start_ns;
	} cases[] = {
		{ 0, false, false, false, PROCESS_UNKNOWN },
		{ -5, false, false, false, PROCESS_UNKNOWN },
		{ 0, true, false, false, 0 },
		{ 0, false, true, false, 0 },
		{ -5, false, true, false, 0 },
		{ 3, false, true, false, 3 * NS_PER_MS },
		/* perf's own child, which becomes the program. */
		{ 0, false, false, true, 7 * NS_PER_MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine_fixture *f = *state;
		int64_t pid = 10 + (int64_t)i;
		struct trace_event event = event_of(TRACE_PROCESS_START, cases[i].ms, pid, pid);
		struct process *row;

		event.start = (struct trace_start){ .ppid = 1,
						    .copied = cases[i].copied,
						    .starts = cases[i].starts };
		if (cases[i].named)
			name_thread(f, 0, pid, pid, "perf-exec");
		else
			machine_apply(&f->machine, &event);
		exec_program(f, 7, pid, "x.py");
		row = row_of(f, process_at(f, 8, pid));
		assert_int_equal(row->start_ns, cases[i].start_ns);
		row->end_ns = NS_PER_S;
		assert_int_equal(process_duration(row) == PROCESS_UNKNOWN,
				 cases[i].start_ns == PROCESS_UNKNOWN);
	}
}

static void machine_apply__data__is_not_kept_but_covers_code(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_event event = event_of(TRACE_MAP, 2, 10, 10);
	struct trace_process *process;

	map_file(f, 1, 10, 0x1000, 0x3000, "/lib/a.so");
	event.map = (struct trace_map){ .address = 0x2000, .length = 0x1000, .path = "/lib/b.so" };
	machine_apply(&f->machine, &event);
	process = process_at(f, 2, 10);
	assert_int_equal(process->space.ranges.nr, 2);
	assert_int_equal(address_space_seek(&process->space, 0x2000)->start, 0x3000);
	assert_int_equal(f->machine.modules.nr, 2);
}

static void machine_apply__length_too_large__goes_to_the_top(void **state)
{
	struct machine_fixture *f = *state;

	map_file(f, 1, 10, 0x1000, UINT64_MAX, "/lib/a.so");
	assert_int_equal(process_at(f, 1, 10)->space.ranges.nr, 1);
	assert_true(address_space_seek(&process_at(f, 1, 10)->space, 0)->end == UINT64_MAX);
}

static void machine_apply__times_before_zero__are_no_unknown_end(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_event event = event_of(TRACE_THREAD_END, 0, 10, 10);

	event.time_ns = PROCESS_UNKNOWN;
	machine_apply(&f->machine, &event);
	assert_int_equal(process_at(f, 0, 10)->end_ns, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(machine_apply__fork__has_the_parents_mappings),
		TEST(machine_apply__forks_of_too_much__are_cut),
		TEST(machine_apply__forks_of_too_much_in_turn__are_cut),
		TEST(machine_apply__existed_before__takes_nothing_from_the_parent),
		TEST(machine_apply__fork_at_no_time__has_the_parents_mappings),
		TEST(machine_apply__exec__leaves_one_thread_and_no_mapping),
		TEST(machine_apply__one_module_at_two_paths__each_image_is_its_own),
		TEST(machine_apply__last_thread__ends_the_process),
		TEST(machine_apply__process_end__ends_its_threads),
		TEST(machine_apply__end_event__is_not_that_of_the_last_thread),
		TEST(machine_apply__exit_code__is_that_of_the_row_where_it_has_one),
		TEST(machine_process__after_the_end__is_who_ended_for_a_while),
		TEST(machine_process__many_ended__keep_no_mappings),
		TEST(machine_apply__pid_used_again__is_another_process),
		TEST(machine_apply__late_start__is_the_same_process),
		TEST(machine_process__pids_that_are_none),
		TEST(machine_thread__no_tid__is_its_processs_own),
		TEST(machine_apply__thread_names__are_the_last_ones),
		TEST(machine_apply__new_thread__has_the_name_of_its_maker),
		TEST(machine_thread__tid_used_again__is_another_thread),
		TEST(machine_process__rows__are_joined_by_pid_and_time),
		TEST(machine_process__existed_before__is_joined_when_the_trace_began),
		TEST(machine_process__no_row__is_tagged_by_the_trace),
		TEST(machine_apply__existed_before__has_no_start),
		TEST(machine_apply__data__is_not_kept_but_covers_code),
		TEST(machine_apply__length_too_large__goes_to_the_top),
		TEST(machine_apply__times_before_zero__are_no_unknown_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
