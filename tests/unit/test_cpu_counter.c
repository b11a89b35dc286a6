#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "page_model.h"
#include "replay/cpu_counter.h"
#include "grouping_by.h"
#include "trace_fixture.h"
#include "util/array.h"

/* Enough for many batches. */
#define SAMPLES 40000
#define DEPTH   24u
#define NO_COPY SAMPLES
#define TO_NS   (INT64_C(10) * SAMPLES - 500)
#define THREADS 3

struct counting {
	struct trace_fixture fixture;
	struct grouping *grouping;
	struct cpu_account *account;
	struct cpu_counter *counter;
	const struct cpu_entry *entries;
	size_t nr;
	bool apart; /* one sample in five is for its stack alone, and completes others */
	int64_t apart_nr;
	int64_t completed_ns;
};

static void apply(struct counting *counting, const struct trace_event *event)
{
	machine_apply(&counting->fixture.machine, event);
	cpu_counter_apply(counting->counter, event);
}

static void start(struct counting *counting, enum group_by by, int threads)
{
	struct trace_fixture *fixture = &counting->fixture;

	*fixture = (struct trace_fixture){ .rows = PROCESS_LIST_INIT };
	fixture_start(fixture);
	counting->grouping = grouping_by(by, false, &fixture->machine, &fixture->functions, NULL);
	counting->account =
		cpu_account_new(&fixture->machine, counting->grouping, 0, TO_NS, counting->apart);
	counting->counter = cpu_counter_new(counting->account, threads);
	for (int64_t pid = 1; pid <= THREADS; pid++) {
		struct trace_event fork = fixture_fork(0, pid, 0), map = fixture_map(0, pid);

		apply(counting, &fork);
		apply(counting, &map);
	}
}

/* Of a random thread: its stack is that of before up to a random place. */
static void sample(struct counting *counting, unsigned (*stacks)[DEPTH], uint64_t *seed,
		   int64_t time_ns, bool copied)
{
	static const struct trace_stack_copy copy = { .id = 1 };
	int64_t pid = 1 + (int64_t)(model_random(seed) % THREADS);
	uint32_t depth = 1 + (uint32_t)(model_random(seed) % DEPTH);
	struct trace_event event = fixture_event(TRACE_CPU, time_ns, pid);
	uint64_t addresses[DEPTH];

	for (uint32_t i = depth / 2; i < DEPTH; i++)
		stacks[pid - 1][i] = (unsigned)(model_random(seed) % FIXTURE_FUNCTIONS);
	event.cpu_sample.weight_ns = 1 + (int64_t)(model_random(seed) % 1000);
	event.cpu_sample.stack = fixture_stack(stacks[pid - 1], depth, addresses);
	event.cpu_sample.stack.copy = copied ? &copy : NULL;
	if (counting->apart && model_random(seed) % 5 == 0) {
		event.cpu_sample.stack_only = true;
		event.cpu_sample.stack.origin = STACK_UNWOUND;
		counting->apart_nr += time_ns < TO_NS;
	}
	apply(counting, &event);
}

static void count(struct counting *counting, enum group_by by, int threads, int copied, bool apart)
{
	unsigned stacks[THREADS][DEPTH] = { { 0 } };
	uint64_t seed = 7;

	counting->apart = apart;
	counting->apart_nr = 0;
	start(counting, by, threads);
	for (int i = 0; i < SAMPLES; i++)
		sample(counting, stacks, &seed, i * INT64_C(10), i == copied);
	cpu_counter_free(counting->counter);
	counting->completed_ns = cpu_account_completed_ns(counting->account);
	counting->entries = cpu_account_finish(counting->account, &counting->nr);
}

static void release(struct counting *counting)
{
	cpu_account_free(counting->account);
	grouping_free(counting->grouping);
	fixture_release(&counting->fixture);
}

static void cpu_counter__with_a_thread__counts_the_same(void **state)
{
	static const struct {
		enum group_by by;
		int copied;
		bool apart;
	} cases[] = {
		{ BY_STACK, NO_COPY, false },    { BY_FUNCTION, NO_COPY, false },
		{ BY_PROCESS, NO_COPY, false },  { BY_STACK, SAMPLES / 2, false },
		{ BY_STACK, 0, false },          { BY_STACK, NO_COPY, true },
		{ BY_STACK, SAMPLES / 2, true }, { BY_FUNCTION, NO_COPY, true },
		{ BY_PROCESS, NO_COPY, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct counting one, two;

		count(&one, cases[i].by, 1, cases[i].copied, cases[i].apart);
		count(&two, cases[i].by, 2, cases[i].copied, cases[i].apart);
		assert_int_equal(cpu_account_total(one.account).samples,
				 SAMPLES - 50 - one.apart_nr);
		assert_int_equal(one.completed_ns > 0, cases[i].apart && cases[i].by != BY_PROCESS);
		assert_int_equal(one.nr, two.nr);
		assert_memory_equal(one.entries, two.entries, one.nr * sizeof(*one.entries));
		assert_int_equal(one.fixture.machine.stacks.nodes_nr,
				 two.fixture.machine.stacks.nodes_nr);
		release(&one);
		release(&two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_counter__with_a_thread__counts_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
