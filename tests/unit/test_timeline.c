#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cpu_account.h"
#include "analysis/timeline.h"
#include "grouping_by.h"
#include "page_model.h"
#include "trace_fixture.h"
#include "util/strbuf.h"

#define PAGE FIXTURE_PAGE

#define NO_MEMORY (-1)

struct view {
	struct trace_fixture fixture;
	struct grouping *grouping;
	struct timeline *timeline;
	enum timeline_memory memory;
};

static bool apply(struct view *view, struct trace_event event)
{
	machine_apply(&view->fixture.machine, &event);
	return timeline_apply(view->timeline, &event);
}

/* A cargo and two compilers. */
static void start_by(struct view *view, enum group_by by, struct timeline_options options)
{
	view->fixture = (struct trace_fixture){ .rows = PROCESS_LIST_INIT };
	fixture_add_row(&view->fixture, 10, 1, ROLE_CARGO, NULL);
	fixture_add_row(&view->fixture, 11, 2, ROLE_RUSTC, "core");
	fixture_add_row(&view->fixture, 12, 3, ROLE_RUSTC, "alloc");
	fixture_start(&view->fixture);
	view->grouping =
		grouping_by(by, false, &view->fixture.machine, &view->fixture.functions, NULL);
	options.machine = &view->fixture.machine;
	options.grouping = options.cpu = view->grouping;
	view->timeline = timeline_new(&options);
	for (int64_t pid = 10; pid <= 12; pid++) {
		apply(view, fixture_fork(pid - 9, pid, 1));
		apply(view, fixture_exec(pid - 9, pid));
	}
}

/* By crate; steps from `from_ns` on. */
static void start(struct view *view, int memory, int64_t from_ns, int64_t step_ns, size_t nr)
{
	struct timeline_options options = {
		.keys = true, .from_ns = from_ns, .step_ns = step_ns, .to_ns = INT64_MAX, .nr = nr
	};

	if (memory != NO_MEMORY)
		options.memory[memory] = true;
	view->memory = memory == NO_MEMORY ? TIMELINE_COMMITTED : (enum timeline_memory)memory;
	start_by(view, BY_CRATE, options);
}

/* "start bytes@moment crate key_bytes cpu" of each point. */
static void expect(struct view *view, size_t nr, const char *expected)
{
	const struct timeline_point *points = timeline_finish(view->timeline);
	struct strbuf got = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		const struct timeline_point *point = &points[i];
		const struct timeline_held *held = &point->held[view->memory];
		const char *crate = "none";

		if (held->key != GROUP_NONE)
			crate = only_group(view->grouping, held->key)->text;
		strbuf_addf(&got, "%d %d@%d %s %d %d\n", (int)point->start_ns,
			    (int)(held->bytes / PAGE), (int)held->bytes_ns, crate ? crate : "-",
			    (int)(held->key_bytes / PAGE), (int)point->cpu_ns);
	}
	assert_string_equal(got.buf, expected);
	strbuf_release(&got);
	timeline_free(view->timeline);
	grouping_free(view->grouping);
	fixture_release(&view->fixture);
}

static struct trace_event sample(int64_t time_ns, int64_t pid, int64_t weight_ns)
{
	struct trace_event event = fixture_event(TRACE_CPU, time_ns, pid);

	event.cpu_sample.weight_ns = weight_ns;
	return event;
}

static void apply_build(struct view *view)
{
	apply(view, fixture_memory(10, 11, MEMORY_COMMIT, 0, 100));
	apply(view, fixture_memory(12, 12, MEMORY_COMMIT, 0, 30));
	apply(view, sample(13, 11, 3));
	apply(view, fixture_memory(15, 11, MEMORY_RELEASE, 0, 90));
	apply(view, fixture_memory(25, 12, MEMORY_COMMIT, 100, 20));
	apply(view, sample(29, 12, 2));
	apply(view, fixture_memory(30, 12, MEMORY_RELEASE, 0, 1000));
	apply(view, fixture_memory(58, 10, MEMORY_COMMIT, 0, 7));
	apply(view, sample(59, 0, 100)); /* idle */
}

static void timeline__steps__have_their_highest_moment(void **state)
{
	struct view view;

	(void)state;
	start(&view, TIMELINE_COMMITTED, 0, 10, 7);
	apply_build(&view);
	expect(&view, 7,
	       "0 0@0 none 0 0\n"
	       "10 130@12 core 100 3\n"
	       "20 60@25 alloc 50 2\n"
	       "30 60@30 alloc 50 0\n"
	       "40 10@40 core 10 0\n"
	       "50 17@58 core 10 0\n"
	       "60 17@60 core 10 0\n");
}

static void timeline__a_range__begins_with_what_is_held(void **state)
{
	struct view view;

	(void)state;
	start(&view, TIMELINE_COMMITTED, 14, 1, 2);
	apply_build(&view);
	assert_false(apply(&view, sample(100, 11, 1)));
	expect(&view, 2, "14 130@14 core 100 0\n15 130@15 core 100 0\n");
}

static void timeline__no_memory__counts_time_alone(void **state)
{
	struct view view;

	(void)state;
	start(&view, NO_MEMORY, 0, 20, 2);
	apply_build(&view);
	expect(&view, 2, "0 0@0 none 0 3\n20 0@20 none 0 2\n");
}

/* Random changes, against what is held after each of them. */
static void timeline__random_changes__the_highest_of_each_step(void **state)
{
	enum { STEPS = 50, STEP = 40, EVENTS = 1500 };
	static int64_t held[2 * EVENTS], times[2 * EVENTS];
	const struct timeline_point *points;
	uint64_t seed = 7;
	struct view view;
	size_t nr = 0;
	int64_t now = 0, time = 10;

	(void)state;
	start(&view, TIMELINE_COMMITTED, 0, STEP, STEPS);
	for (int i = 0; i < EVENTS; i++) {
		int64_t pages = (int64_t)(model_random(&seed) % 50) + 1;
		bool commit = model_random(&seed) % 2;
		uint64_t page = (uint64_t)i * 64;

		time += (int64_t)(model_random(&seed) % 3);
		apply(&view,
		      fixture_memory(time, 11 + i % 2, MEMORY_COMMIT, page, (uint64_t)pages));
		now += pages;
		held[nr] = now;
		times[nr++] = time;
		if (commit)
			continue;
		apply(&view,
		      fixture_memory(time, 11 + i % 2, MEMORY_RELEASE, page, (uint64_t)pages));
		now -= pages;
		held[nr] = now;
		times[nr++] = time;
	}
	points = timeline_finish(view.timeline);
	for (int i = 0; i < STEPS; i++) {
		int64_t most = 0;

		for (size_t k = 0; k < nr; k++) {
			bool before = times[k] < points[i].start_ns;

			if (times[k] >= points[i].start_ns + STEP)
				break;
			most = before || held[k] > most ? held[k] : most;
		}
		assert_int_equal(points[i].held[TIMELINE_COMMITTED].bytes, most * PAGE);
	}
	timeline_free(view.timeline);
	grouping_free(view.grouping);
	fixture_release(&view.fixture);
}

#define SAMPLES 4000
#define DEPTH   12u

/* A sample of one of the compilers, whose stack is that of before up to a random place; one in five completes others. */
static struct trace_event random_sample(unsigned (*stacks)[DEPTH], uint64_t *seed, int64_t time_ns,
					uint64_t *addresses)
{
	int64_t pid = 11 + (int64_t)(model_random(seed) % 2);
	uint32_t depth = 1 + (uint32_t)(model_random(seed) % DEPTH);
	struct trace_event event = sample(time_ns, pid, 1 + (int64_t)(model_random(seed) % 1000));

	for (uint32_t i = depth / 2; i < DEPTH; i++)
		stacks[pid - 11][i] = (unsigned)(model_random(seed) % FIXTURE_FUNCTIONS);
	event.cpu_sample.stack_only = model_random(seed) % 5 == 0;
	if (event.cpu_sample.stack_only) {
		event.cpu_sample.stack = fixture_stack(stacks[pid - 11], DEPTH, addresses);
		event.cpu_sample.stack.origin = STACK_UNWOUND;
	} else {
		event.cpu_sample.stack = fixture_stack(stacks[pid - 11], depth, addresses);
	}
	return event;
}

/* CPU time by the frames of stacks, of a grouping BY_STACK. */
struct stack_sum {
	char *stack;
	int64_t ns;
};

static char *stack_text(struct grouping *grouping, uint32_t key)
{
	struct strvec frames = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;

	dimension_add_frames(grouping_only(grouping), only_group(grouping, key), &frames);
	for (size_t i = 0; i < frames.nr; i++)
		strbuf_addf(&text, "%s;", frames.v[i]);
	strvec_forget(&frames);
	strvec_release(&frames);
	return strbuf_detach(&text);
}

static int compare_sums(const void *a, const void *b)
{
	return strcmp(((const struct stack_sum *)a)->stack, ((const struct stack_sum *)b)->stack);
}

static void see_account(struct cpu_account *account, struct grouping *grouping,
			struct stack_sum *sums, size_t *nr)
{
	const struct cpu_entry *entries;
	size_t keys;

	cpu_account_end(account);
	assert_true(cpu_account_completed_ns(account) > 0);
	entries = cpu_account_finish(account, &keys);
	for (uint32_t key = 0; key < keys; key++) {
		if (entries[key].samples)
			sums[(*nr)++] = (struct stack_sum){ stack_text(grouping, key),
							    entries[key].self_ns };
	}
}

static void see_timeline(struct view *view, struct stack_sum *sums, size_t *nr)
{
	const struct timeline_keys *keys = timeline_keys(view->timeline);

	timeline_end(view->timeline);
	timeline_finish(view->timeline);
	for (size_t i = 0; i < keys->cpu_nr; i++) {
		assert_true(!i || keys->cpu[i].key != keys->cpu[i - 1].key ||
			    keys->cpu[i].step > keys->cpu[i - 1].step);
		if (!i || keys->cpu[i].key != keys->cpu[i - 1].key)
			sums[(*nr)++] =
				(struct stack_sum){ stack_text(view->grouping, keys->cpu[i].key),
						    0 };
		sums[*nr - 1].ns += keys->cpu[i].cpu_ns;
	}
}

/* The stacks of a range, with callers that were seen before and after it, are those that `cpu` has. */
static void timeline__stacks__are_completed_as_those_of_an_account(void **state)
{
	enum { FROM = 1000, TO = 3000, STEP = 70 };
	static struct stack_sum expected[SAMPLES], got[SAMPLES];
	unsigned stacks[2][DEPTH] = { { 0 } };
	uint64_t addresses[DEPTH], seed = 7;
	size_t expected_nr = 0, got_nr = 0;
	struct cpu_account *account;
	struct view view;
	bool more = true;

	(void)state;
	start_by(&view, BY_STACK,
		 (struct timeline_options){ .keys = true,
					    .complete = true,
					    .from_ns = FROM,
					    .to_ns = TO,
					    .step_ns = STEP,
					    .nr = (TO - FROM + STEP - 1) / STEP });
	account = cpu_account_new(&view.fixture.machine, view.grouping, FROM, TO, true);
	for (int64_t pid = 10; pid <= 12; pid++)
		apply(&view, fixture_map(pid, pid));
	for (int i = 0; i < SAMPLES; i++) {
		struct trace_event event = random_sample(stacks, &seed, 20 + i, addresses);

		more = apply(&view, event);
		cpu_account_apply(account, &event);
	}
	assert_true(more);
	see_timeline(&view, got, &got_nr);
	see_account(account, view.grouping, expected, &expected_nr);
	qsort(got, got_nr, sizeof(*got), compare_sums);
	qsort(expected, expected_nr, sizeof(*expected), compare_sums);
	assert_int_equal(got_nr, expected_nr);
	assert_true(got_nr > 100);
	for (size_t i = 0; i < got_nr; i++) {
		assert_string_equal(got[i].stack, expected[i].stack);
		assert_int_equal(got[i].ns, expected[i].ns);
		free(got[i].stack);
		free(expected[i].stack);
	}
	cpu_account_free(account);
	timeline_free(view.timeline);
	grouping_free(view.grouping);
	fixture_release(&view.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timeline__steps__have_their_highest_moment),
		cmocka_unit_test(timeline__a_range__begins_with_what_is_held),
		cmocka_unit_test(timeline__no_memory__counts_time_alone),
		cmocka_unit_test(timeline__random_changes__the_highest_of_each_step),
		cmocka_unit_test(timeline__stacks__are_completed_as_those_of_an_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
