#include "analysis/process_exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine_fixture.h"

/* A run in milliseconds, and the waits before it; the event comes at its end. */
static void apply_run(struct machine_fixture *f, struct process_exact *exact, int64_t pid,
		      int64_t blocked, int64_t ready, int64_t from, int64_t to, bool gap)
{
	struct trace_event event = event_of(TRACE_RUN, to, pid, pid);

	event.run = (struct trace_run){
		.blocked_ns = blocked * NS_PER_MS,
		.ready_ns = ready * NS_PER_MS,
		.from_ns = from * NS_PER_MS,
		.to_ns = to * NS_PER_MS,
		.switched = !gap,
		.gap = gap,
	};
	machine_apply(&f->machine, &event);
	process_exact_add(exact, &f->machine, &event);
}

/* "pid: ran ready blocked switches", in milliseconds, in the order of the list. */
static void expect(const struct process_list *list, const struct cpu_exact *exact,
		   const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < list->nr; i++)
		strbuf_addf(&text, "%lld: %lld %lld %lld %lld\n", (long long)list->v[i]->pid,
			    (long long)(exact[i].run_ns / NS_PER_MS),
			    (long long)(exact[i].ready_ns / NS_PER_MS),
			    (long long)(exact[i].blocked_ns / NS_PER_MS),
			    (long long)exact[i].switches);
	assert_string_equal(text.buf, expected);
	strbuf_release(&text);
}

static void end_process(struct machine_fixture *f, int64_t ms, int64_t pid)
{
	struct trace_event event = event_of(TRACE_PROCESS_END, ms, pid, pid);

	machine_apply(&f->machine, &event);
}

static void process_exact__runs__are_summed_by_process(void **state)
{
	struct process_exact exact = PROCESS_EXACT_INIT;
	struct machine_fixture *f = machine_fixture_new();
	struct trace_event other = event_of(TRACE_CPU, 60, 10, 10);
	struct cpu_exact *v;

	(void)state;
	fork_process(f, 1, 1, 10);
	fork_process(f, 1, 1, 20);
	fork_process(f, 1, 1, 30); /* never runs */
	apply_run(f, &exact, 20, 2, 4, 8, 16, false);
	apply_run(f, &exact, 10, 16, 16, 16, 17, false);
	apply_run(f, &exact, 20, 18, 18, 20, 24, false);
	apply_run(f, &exact, 0, 24, 24, 24, 30, false); /* the idle process */
	apply_run(f, &exact, 20, 30, 30, 30, 50, true); /* nobody knows who ran */
	other.run = (struct trace_run){ .to_ns = NS_PER_S };
	process_exact_add(&exact, &f->machine, &other);
	assert_int_equal(exact.gaps.run_ns, 20 * NS_PER_MS);
	v = process_exact_take(&exact, &f->rows);
	expect(&f->rows, v, "10: 1 0 0 1\n20: 12 6 2 2\n30: 0 0 0 0\n");
	assert_null(exact.v);
	free(v);
	machine_fixture_free(f);
}

/* Windows reuses pids soon. */
static void process_exact__a_pid_of_two_processes__has_two_rows(void **state)
{
	struct process_exact exact = PROCESS_EXACT_INIT;
	struct machine_fixture *f = machine_fixture_new();
	struct cpu_exact *v;

	(void)state;
	fork_process(f, 1, 1, 10);
	apply_run(f, &exact, 10, 2, 2, 2, 5, false);
	end_process(f, 5, 10);
	fork_process(f, 6, 1, 10);
	apply_run(f, &exact, 10, 6, 6, 6, 16, false);
	v = process_exact_take(&exact, &f->rows);
	expect(&f->rows, v, "10: 3 0 0 1\n10: 10 0 0 1\n");
	free(v);
	machine_fixture_free(f);
}

/* Processes may be found in another order than that of their starts. */
static void process_exact__sorted_list__keeps_what_is_theirs(void **state)
{
	struct process_exact exact = PROCESS_EXACT_INIT;
	struct machine_fixture *f = machine_fixture_new();
	struct process_list list = PROCESS_LIST_INIT;
	struct cpu_exact *v;

	(void)state;
	fork_process(f, 6, 1, 30);
	fork_process(f, 4, 1, 20);
	fork_process(f, 5, 1, 10);
	apply_run(f, &exact, 30, 6, 6, 6, 7, false);
	apply_run(f, &exact, 20, 7, 7, 7, 9, false);
	apply_run(f, &exact, 10, 9, 9, 9, 13, false);
	v = process_exact_take(&exact, &f->rows);
	expect(&f->rows, v, "30: 1 0 0 1\n20: 2 0 0 1\n10: 4 0 0 1\n");
	process_exact_sort(v, &f->rows);
	expect(&f->rows, v, "20: 2 0 0 1\n10: 4 0 0 1\n30: 1 0 0 1\n");
	free(v);
	machine_fixture_free(f);
	assert_null(process_exact_take(&exact, &list));
	process_exact_sort(NULL, &list);
}

static void process_exact__no_run__times_are_zero(void **state)
{
	struct process_exact exact = PROCESS_EXACT_INIT;
	struct machine_fixture *f = machine_fixture_new();
	struct cpu_exact *v;

	(void)state;
	fork_process(f, 5, 1, 30);
	v = process_exact_take(&exact, &f->rows);
	assert_non_null(v);
	expect(&f->rows, v, "30: 0 0 0 0\n");
	free(v);
	machine_fixture_free(f);
}

/* Without switches the list is sorted all the same. */
static void process_exact__no_times__list_is_sorted(void **state)
{
	struct machine_fixture *f = machine_fixture_new();

	(void)state;
	fork_process(f, 5, 1, 30);
	fork_process(f, 4, 1, 20);
	process_exact_sort(NULL, &f->rows);
	assert_int_equal(f->rows.v[0]->pid, 20);
	machine_fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_exact__runs__are_summed_by_process),
		cmocka_unit_test(process_exact__a_pid_of_two_processes__has_two_rows),
		cmocka_unit_test(process_exact__sorted_list__keeps_what_is_theirs),
		cmocka_unit_test(process_exact__no_run__times_are_zero),
		cmocka_unit_test(process_exact__no_times__list_is_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
