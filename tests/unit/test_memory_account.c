#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/memory_account.h"
#include "analysis/page_map.h"
#include "ledger_model.h"
#include "grouping_by.h"
#include "memory_world.h"
#include "trace_fixture.h"
#include "util/array.h"

#define PAGE FIXTURE_PAGE

/* One view of a trace. */
struct view {
	struct trace_fixture *fixture;
	struct grouping *grouping;
	struct ledger ledger;
	struct memory_account *account;
};

static void open_rooted(struct view *view, struct trace_fixture *fixture, enum group_by by,
			enum group_by root, const struct process_filter *filter)
{
	view->fixture = fixture;
	view->grouping =
		grouping_by_root(by, root, true, &fixture->machine, &fixture->functions, filter);
	ledger_init(&view->ledger, INT64_MIN, INT64_MAX, LEDGER_AT_PEAK);
	view->account = memory_account_new(&fixture->machine, view->grouping, &view->ledger, NULL);
}

static void open_view(struct view *view, struct trace_fixture *fixture, enum group_by by,
		      const struct process_filter *filter)
{
	open_rooted(view, fixture, by, NO_ROOT, filter);
}

static void close_view(struct view *view)
{
	memory_account_free(view->account);
	ledger_release(&view->ledger);
	grouping_free(view->grouping);
	fixture_release(view->fixture);
}

static bool apply(struct view *view, struct trace_event event)
{
	machine_apply(&view->fixture->machine, &event);
	return memory_account_apply(view->account, &event);
}

static void start_rooted(struct view *view, struct trace_fixture *fixture, enum group_by by,
			 enum group_by root)
{
	*fixture = (struct trace_fixture){ .rows = PROCESS_LIST_INIT };
	fixture_add_row(fixture, 10, 1, ROLE_CARGO, NULL);
	fixture_add_row(fixture, 11, 20, ROLE_RUSTC, "core");
	fixture_start(fixture);
	open_rooted(view, fixture, by, root, NULL);
	apply(view, fixture_fork(1, 10, 1));
	apply(view, fixture_exec(2, 10));
	apply(view, fixture_map(3, 10));
}

static void start(struct view *view, struct trace_fixture *fixture, enum group_by by)
{
	start_rooted(view, fixture, by, NO_ROOT);
}

/* The entry of the group with the text, or of the process, or of the function. */
static const struct ledger_entry *entry_of(const struct view *view, const char *name)
{
	static const struct ledger_entry none;

	for (uint32_t key = 0; key < grouping_nr(view->grouping); key++) {
		const struct group *group = only_group(view->grouping, key);
		const char *is = group->text;

		if (only_kind(view->grouping) == BY_FUNCTION)
			is = function_table_name(&view->fixture->functions,
						 view->fixture->functions.v[group->function].name);
		if (is ? !strcmp(is, name) : !*name)
			return key < view->ledger.keys_nr ? &view->ledger.keys[key] : &none;
	}
	fail_msg("no key '%s'", name);
	return NULL;
}

static const struct ledger_entry *total_of(const struct view *view, const char *name)
{
	return &view->ledger.totals[entry_of(view, name) - view->ledger.keys];
}

/* A commit of a call stack, root first, up to a negative number. */
static void commit_from(struct view *view, int64_t time_ns, uint64_t page, uint64_t pages,
			uint32_t weight, const int *functions)
{
	struct trace_event event = fixture_memory(time_ns, 10, MEMORY_COMMIT, page, pages);
	unsigned path[8];
	uint64_t addresses[8];
	uint32_t nr = 0;

	while (functions[nr] >= 0) {
		path[nr] = (unsigned)functions[nr];
		nr++;
	}
	event.memory.weight = weight;
	event.memory.stack = fixture_stack(path, nr, addresses);
	apply(view, event);
}

/* A function has what is its own, and once what is below it. Peaks of totals are of their own moments. */
static void memory_account__by_function__totals_are_those_of_all_callers(void **state)
{
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_FUNCTION);
	commit_from(&view, 10, 0, 10, 1, (int[]){ 0, 1, FIXTURE_MALLOC, -1 });
	commit_from(&view, 11, 100, 20, 1, (int[]){ 0, 2, -1 });
	commit_from(&view, 12, 200, 40, 1, (int[]){ 0, 1, 1, -1 });
	apply(&view, fixture_memory(13, 10, MEMORY_RELEASE, 200, 40));
	commit_from(&view, 14, 300, 5, 1, (int[]){ 3, -1 });
	commit_from(&view, 15, 400, 1, 8, (int[]){ 0, 2, -1 }); /* stands for 8 */
	assert_int_equal(entry_of(&view, "f1")->outstanding, 10 * PAGE);
	assert_int_equal(total_of(&view, "f1")->outstanding, 10 * PAGE);
	assert_int_equal(total_of(&view, "f1")->size, 50 * PAGE);
	assert_int_equal(total_of(&view, "f1")->count, 2);
	assert_int_equal(total_of(&view, "f1")->freed, 40 * PAGE);
	assert_int_equal(total_of(&view, "f1")->peak, 50 * PAGE);
	assert_int_equal(total_of(&view, "f1")->peak_ns, 12);
	assert_int_equal(total_of(&view, "malloc")->size, 10 * PAGE);
	assert_int_equal(entry_of(&view, "malloc")->size, 0);
	assert_int_equal(total_of(&view, "f0")->size, (70 + 8) * PAGE);
	assert_int_equal(total_of(&view, "f0")->peak, 70 * PAGE);
	assert_int_equal(total_of(&view, "f2")->outstanding, 28 * PAGE);
	assert_int_equal(total_of(&view, "f3")->peak, 5 * PAGE);
	assert_int_equal(total_of(&view, "[not sampled]")->outstanding, -7 * PAGE);
	apply(&view, fixture_exec(20, 10));
	ledger_reach(&view.ledger, grouping_nr(view.grouping));
	ledger_finish(&view.ledger);
	assert_int_equal(total_of(&view, "f0")->at_peak, 70 * PAGE);
	assert_int_equal(total_of(&view, "f0")->at_end, 0);
	assert_int_equal(total_of(&view, "f0")->aifi, (70 + 8) * PAGE);
	close_view(&view);
}

static void memory_account__fork_exec_and_exit__release_what_is_own(void **state)
{
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_ROLE);
	apply(&view, fixture_memory(10, 10, MEMORY_COMMIT, 100, 8));
	apply(&view, fixture_memory(11, 10, MEMORY_RESERVE, 200, 100));
	apply(&view, fixture_fork(20, 11, 10));
	assert_int_equal(view.ledger.whole.outstanding, 8 * PAGE);
	apply(&view, fixture_memory(21, 11, MEMORY_RELEASE, 100, 4)); /* the parent's */
	apply(&view, fixture_memory(22, 11, MEMORY_COMMIT_RESERVED, 200, 3));
	assert_int_equal(view.ledger.whole.outstanding, 11 * PAGE);
	assert_int_equal(entry_of(&view, "rustc")->outstanding, 3 * PAGE);
	apply(&view, fixture_exec(23, 11));
	assert_int_equal(view.ledger.whole.outstanding, 8 * PAGE);
	apply(&view, fixture_memory(24, 11, MEMORY_COMMIT, 50, 20));
	apply(&view, fixture_event(TRACE_THREAD_END, 25, 11));
	apply(&view, fixture_memory(26, 11, MEMORY_COMMIT, 50, 1)); /* too late */
	assert_int_equal(view.ledger.whole.outstanding, 8 * PAGE);
	ledger_finish(&view.ledger);
	assert_int_equal(view.ledger.whole.size, 31 * PAGE);
	assert_int_equal(view.ledger.whole.count, 3);
	assert_int_equal(view.ledger.whole.peak, 28 * PAGE);
	assert_int_equal(view.ledger.whole.peak_ns, 24);
	assert_int_equal(entry_of(&view, "rustc")->freed, 23 * PAGE);
	assert_int_equal(entry_of(&view, "rustc")->aifi, 23 * PAGE);
	assert_int_equal(entry_of(&view, "rustc")->at_peak, 20 * PAGE);
	assert_int_equal(entry_of(&view, "rustc")->at_end, 0);
	assert_int_equal(entry_of(&view, "cargo")->at_peak, 8 * PAGE);
	close_view(&view);
}

/* What is mapped of files is no heap. */
static void memory_account_uncounted__heaps__add_up(void **state)
{
	struct trace_event event = fixture_memory(12, 10, MEMORY_UNCOUNTED, 100, 7);
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_ROLE);
	apply(&view, fixture_memory(10, 10, MEMORY_COMMIT, 100, 8));
	apply(&view, event);
	assert_int_equal(memory_account_uncounted(view.account), 0);
	event.memory.heap = true;
	apply(&view, event);
	event.time_ns = 13;
	apply(&view, event);
	assert_int_equal(memory_account_uncounted(view.account), 14 * PAGE);
	close_view(&view);
}

/* Of each of the children `pid` one page that its parent reserved becomes committed, if it is known. */
static int64_t allow_page(struct view *view, int64_t time_ns, int64_t pid)
{
	int64_t before = view->ledger.whole.outstanding;

	apply(view, fixture_memory(time_ns, pid, MEMORY_COMMIT_RESERVED, 100, 1));
	return (view->ledger.whole.outstanding - before) / PAGE;
}

static void memory_account__forks_of_too_much__are_cut(void **state)
{
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_ROLE);
	fixture.machine.max_copied = 10;
	for (int64_t i = 0; i < 4; i++)
		apply(&view, fixture_memory(10, 10, MEMORY_RESERVE, 100 + i * 2, 1));
	for (int64_t pid = 11; pid < 14; pid++)
		apply(&view, fixture_fork(20, pid, 10));
	assert_int_equal(allow_page(&view, 21, 11), 1);
	assert_int_equal(allow_page(&view, 21, 12), 1);
	assert_int_equal(allow_page(&view, 21, 13), 0);
	assert_int_equal(fixture.machine.forks_cut, 1);
	/* An exec, or an end, makes room for another; for one only. */
	apply(&view, fixture_exec(22, 11));
	apply(&view, fixture_fork(23, 14, 10));
	apply(&view, fixture_fork(23, 15, 10));
	apply(&view, fixture_event(TRACE_THREAD_END, 24, 12));
	apply(&view, fixture_fork(25, 16, 10));
	assert_int_equal(allow_page(&view, 26, 14), 1);
	assert_int_equal(allow_page(&view, 26, 15), 0);
	assert_int_equal(allow_page(&view, 26, 16), 1);
	assert_int_equal(fixture.machine.forks_cut, 2);
	close_view(&view);
}

static void memory_account__pid_again_without_an_end__releases(void **state)
{
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_PROCESS);
	apply(&view, fixture_fork(20, 11, 10));
	apply(&view, fixture_memory(21, 11, MEMORY_COMMIT, 50, 20));
	apply(&view, fixture_fork(5000000000, 11, 10));
	assert_int_equal(view.ledger.whole.outstanding, 0);
	apply(&view, fixture_memory(5000000001, 11, MEMORY_COMMIT, 50, 1));
	assert_int_equal(view.ledger.whole.outstanding, PAGE);
	assert_int_equal(view.ledger.keys_nr, 2);
	assert_int_equal(view.ledger.keys[1].outstanding, PAGE);
	close_view(&view);
}

/* Threads: the process holds what it has until the last one is gone. */
static void memory_account__first_thread_ends__is_not_the_end(void **state)
{
	struct trace_fixture fixture;
	struct trace_event event;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_PROCESS);
	apply(&view, fixture_memory(10, 10, MEMORY_COMMIT, 50, 20));
	event = fixture_event(TRACE_THREAD_START, 11, 10);
	event.tid = 77;
	apply(&view, event);
	apply(&view, fixture_event(TRACE_THREAD_END, 12, 10));
	assert_int_equal(view.ledger.whole.outstanding, 20 * PAGE);
	event.kind = TRACE_THREAD_END;
	event.time_ns = 13;
	apply(&view, event);
	assert_int_equal(view.ledger.whole.outstanding, 0);
	close_view(&view);
}

static void memory_account__every_op__changes_what_it_says(void **state)
{
	static const struct {
		enum memory_op op;
		int64_t page, pages, to, to_pages;
		int64_t outstanding, count; /* pages; events that added */
	} steps[] = {
		{ MEMORY_RESERVE, 100, 50, 0, 0, 0, 0 },
		{ MEMORY_COMMIT_RESERVED, 90, 20, 0, 0, 10, 1 },
		{ MEMORY_COMMIT_RESERVED, 90, 20, 0, 0, 10, 1 },
		{ MEMORY_COMMIT_UNCOMMITTED, 105, 50, 0, 0, 55, 2 },
		{ MEMORY_DECOMMIT, 100, 3, 0, 0, 52, 2 },
		{ MEMORY_UNCOUNTED, 110, 2, 0, 0, 50, 2 },
		{ MEMORY_COMMIT_RESERVED, 100, 50, 0, 0, 53, 3 },
		{ MEMORY_COMMIT_UNCOMMITTED, 100, 60, 0, 0, 60, 4 }, /* two gaps, one event */
		{ MEMORY_MOVE, 100, 60, 500, 70, 70, 5 },
		{ MEMORY_MOVE, 500, 70, 600, 10, 10, 5 },
		{ MEMORY_COMMIT, 605, 10, 0, 0, 15, 6 },
		{ MEMORY_PURGE, 600, 5, 0, 0, 15, 6 },
		{ MEMORY_RELEASE, 0, 1000, 0, 0, 0, 6 },
	};
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_ROLE);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct trace_event event = fixture_memory(10 + (int64_t)i, 10, steps[i].op,
							  steps[i].page, steps[i].pages);

		event.memory.to = (uint64_t)(steps[i].to * PAGE);
		event.memory.to_length = (uint64_t)(steps[i].to_pages * PAGE);
		assert_true(apply(&view, event));
		assert_int_equal(view.ledger.whole.outstanding, steps[i].outstanding * PAGE);
		if (steps[i].count) /* before that it has no key */
			assert_int_equal(entry_of(&view, "cargo")->outstanding,
					 steps[i].outstanding * PAGE);
		assert_int_equal(view.ledger.whole.count, steps[i].count);
	}
	assert_int_equal(view.ledger.whole.purged, 5 * PAGE);
	close_view(&view);
}

static void memory_account__purge__counts_what_is_committed_here(void **state)
{
	static const struct {
		int64_t pid, page, pages;
		int64_t purged; /* pages, by all events so far */
	} purges[] = {
		{ 10, 200, 100, 0 }, /* reserved */
		{ 10, 400, 10, 0 },  /* nothing */
		{ 10, 90, 120, 8 },  /* and around it */
		{ 10, 104, 1, 9 },   /* given back again: it may have been used in between */
		{ 11, 90, 20, 9 },   /* the parent's, which keeps it */
		{ 11, 0, 1000, 12 },
	};
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_ROLE);
	apply(&view, fixture_memory(10, 10, MEMORY_COMMIT, 100, 8));
	apply(&view, fixture_memory(11, 10, MEMORY_RESERVE, 200, 100));
	apply(&view, fixture_fork(20, 11, 10));
	apply(&view, fixture_memory(21, 11, MEMORY_COMMIT_RESERVED, 200, 3));
	for (size_t i = 0; i < ARRAY_SIZE(purges); i++) {
		apply(&view, fixture_memory(30, purges[i].pid, MEMORY_PURGE, purges[i].page,
					    purges[i].pages));
		assert_int_equal(view.ledger.whole.purged, purges[i].purged * PAGE);
	}
	assert_int_equal(view.ledger.total.purged, 12 * PAGE);
	assert_int_equal(entry_of(&view, "cargo")->purged, 9 * PAGE);
	assert_int_equal(entry_of(&view, "rustc")->purged, 3 * PAGE);
	assert_int_equal(view.ledger.whole.outstanding, 11 * PAGE);
	close_view(&view);
}

static void memory_account__purge_of_very_many_ranges__counts_all(void **state)
{
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_ROLE);
	for (int64_t i = 0; i < 5000; i++)
		apply(&view, fixture_memory(10, 10, MEMORY_COMMIT, 100 + 2 * i, 1));
	apply(&view, fixture_memory(11, 10, MEMORY_PURGE, 0, 100000));
	assert_int_equal(view.ledger.whole.purged, 5000 * PAGE);
	close_view(&view);
}

/* By functions, with all that may be known of a stack. */
static void memory_account__picked_stacks__are_taken_from_the_rest(void **state)
{
	static const unsigned inner[] = { 0, 3, FIXTURE_MALLOC }, outer[] = { 0, 4 };
	static const uint64_t kernel[] = { FIXTURE_KERNEL + 0x40 };
	struct memory_estimate estimate;
	struct trace_fixture fixture;
	struct trace_event event;
	uint64_t addresses[3];
	struct view view;

	(void)state;
	start(&view, &fixture, BY_FUNCTION);
	apply(&view, fixture_memory(10, 10, MEMORY_COMMIT, 100, 200)); /* weight 0 */
	event = fixture_memory(11, 10, MEMORY_COMMIT, 300, 50);
	event.memory.weight = 1;
	event.memory.stack = fixture_stack(inner, 3, addresses);
	event.memory.stack.kernel = kernel;
	event.memory.stack.kernel_nr = 1;
	apply(&view, event);
	event = fixture_memory(12, 10, MEMORY_COMMIT, 400, 2);
	event.memory.weight = 64;
	event.memory.stack = fixture_stack(outer, 2, addresses);
	apply(&view, event);
	event = fixture_memory(13, 10, MEMORY_COMMIT, 500, 7);
	event.memory.weight = 1;
	apply(&view, event);
	assert_int_equal(entry_of(&view, "f3")->size, 50 * PAGE);
	assert_int_equal(entry_of(&view, "f4")->size, 128 * PAGE);
	assert_int_equal(entry_of(&view, "f4")->count, 64);
	assert_int_equal(entry_of(&view, "[truncated]")->size, 7 * PAGE);
	assert_int_equal(entry_of(&view, "[not sampled]")->size, (200 + 2 - 128) * PAGE);
	assert_int_equal(entry_of(&view, "[not sampled]")->count, 1 - 63);
	assert_int_equal(view.ledger.total.size, 259 * PAGE);
	assert_int_equal(view.ledger.total.count, 4);
	memory_account_estimate(view.account, &estimate);
	assert_int_equal(estimate.exact_bytes, 57 * PAGE);
	assert_int_equal(estimate.estimated_bytes, 128 * PAGE);
	assert_int_equal(estimate.not_sampled_bytes, 74 * PAGE);
	apply(&view, fixture_memory(14, 10, MEMORY_RELEASE, 0, 1000));
	assert_int_equal(entry_of(&view, "f4")->outstanding, 0);
	assert_int_equal(entry_of(&view, "f4")->freed, 128 * PAGE);
	assert_int_equal(entry_of(&view, "[not sampled]")->outstanding, 0);
	assert_int_equal(view.ledger.total.freed, 259 * PAGE);
	close_view(&view);
}

/* All that a process can have, picked: 2^57 bytes that stand for 2^63. */
static void memory_account__more_than_64_bits__wraps_around(void **state)
{
	static const unsigned frames[] = { 0, 4 };
	struct trace_fixture fixture;
	struct trace_event event;
	uint64_t addresses[2];
	struct view view;

	(void)state;
	start(&view, &fixture, BY_FUNCTION);
	event = fixture_memory(10, 10, MEMORY_COMMIT, 0, 0);
	event.memory.length = PAGE_MAP_END;
	event.memory.weight = 64;
	event.memory.stack = fixture_stack(frames, 2, addresses);
	apply(&view, event);
	assert_int_equal(entry_of(&view, "f4")->size, INT64_MIN);
	assert_int_equal(view.ledger.total.size, (int64_t)PAGE_MAP_END);
	apply(&view, fixture_memory(11, 10, MEMORY_RELEASE, 0, 1));
	assert_int_equal(view.ledger.total.freed, PAGE);
	close_view(&view);
}

/* The entry of the only stack of one frame with that root. */
static const struct ledger_entry *rooted_entry(const struct view *view, const char *root,
					       const char *frame)
{
	const struct ledger_entry *found = NULL;

	for (uint32_t key = 0; key < grouping_nr(view->grouping); key++) {
		const struct group *of_root =
			grouping_part(view->grouping, key, BY_IMAGE_AND_CRATE);
		struct strvec frames = STRVEC_INIT;

		dimension_add_frames(grouping_dimension(view->grouping, BY_STACK),
				     grouping_part(view->grouping, key, BY_STACK), &frames);
		if (frames.nr == 1 && !strcmp(frames.v[0], frame) && !strcmp(of_root->text, root)) {
			assert_null(found);
			found = &view->ledger.keys[key];
		}
		strvec_forget(&frames);
		strvec_release(&frames);
	}
	if (!found)
		fail_msg("no stack '%s' of '%s'", frame, root);
	return found;
}

static void memory_account__roots__rest_of_picked_stacks_is_their_own(void **state)
{
	static const unsigned functions[] = { 4 };
	struct trace_fixture fixture;
	struct trace_event event;
	uint64_t addresses[1];
	struct view view;

	(void)state;
	start_rooted(&view, &fixture, BY_STACK, BY_IMAGE_AND_CRATE);
	apply(&view, fixture_fork(20, 11, 10));
	apply(&view, fixture_exec(21, 11));
	apply(&view, fixture_map(22, 11));
	apply(&view, fixture_memory(23, 10, MEMORY_COMMIT, 100, 100));
	apply(&view, fixture_memory(24, 11, MEMORY_COMMIT, 100, 30));
	event = fixture_memory(25, 11, MEMORY_COMMIT, 400, 2);
	event.memory.weight = 8;
	event.memory.stack = fixture_stack(functions, 1, addresses);
	apply(&view, event);
	assert_int_equal(rooted_entry(&view, "?", "[not sampled]")->size, 100 * PAGE);
	assert_int_equal(rooted_entry(&view, "? core", "[not sampled]")->size, (30 - 14) * PAGE);
	assert_int_equal(rooted_entry(&view, "? core", "f4")->size, 16 * PAGE);
	apply(&view, fixture_memory(26, 11, MEMORY_RELEASE, 400, 2));
	assert_int_equal(rooted_entry(&view, "? core", "f4")->outstanding, 0);
	assert_int_equal(rooted_entry(&view, "? core", "[not sampled]")->outstanding, 30 * PAGE);
	assert_int_equal(grouping_nr(view.grouping), 3);
	close_view(&view);
}

static void memory_account__by_stack__has_no_kernel_frames(void **state)
{
	static const unsigned functions[] = { 0, 3, FIXTURE_MALLOC };
	static const uint64_t kernel[] = { FIXTURE_KERNEL + 0x40 };
	struct strvec frames = STRVEC_INIT;
	struct trace_fixture fixture;
	struct trace_event event;
	uint64_t addresses[3];
	struct view view;

	(void)state;
	start(&view, &fixture, BY_STACK);
	event = fixture_memory(11, 10, MEMORY_COMMIT, 300, 50);
	event.memory.weight = 1;
	event.memory.stack = fixture_stack(functions, 3, addresses);
	event.memory.stack.kernel = kernel;
	event.memory.stack.kernel_nr = 1;
	apply(&view, event);
	assert_int_equal(grouping_nr(view.grouping), 1);
	dimension_add_frames(grouping_only(view.grouping), only_group(view.grouping, 0), &frames);
	assert_int_equal(frames.nr, 3);
	assert_string_equal(frames.v[0], "f0");
	assert_string_equal(frames.v[1], "f3");
	assert_string_equal(frames.v[2], "malloc");
	strvec_forget(&frames);
	strvec_release(&frames);
	close_view(&view);
}

/* A commit in f0, called by f1, whose stack is of that origin. */
static void commit_of_origin(struct view *view, int64_t time_ns, enum stack_origin origin,
			     uint32_t weight)
{
	static const unsigned functions[] = { 1, 0 };
	struct trace_event event =
		fixture_memory(time_ns, 10, MEMORY_COMMIT, (uint64_t)time_ns * 10, 1);
	uint64_t addresses[2];

	event.memory.weight = weight;
	event.memory.stack = fixture_stack(functions, 2, addresses);
	event.memory.stack.origin = origin;
	apply(view, event);
}

/* Those that count: in the range, recorded, and of what is shown. f1 starts no thread. */
static void memory_account__stacks__are_rated(void **state)
{
	struct stack_quality_result result;
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_FUNCTION);
	ledger_release(&view.ledger);
	ledger_init(&view.ledger, 20, 30, LEDGER_AT_END);
	commit_of_origin(&view, 19, STACK_CHAIN, 1);
	commit_of_origin(&view, 20, STACK_CHAIN, 1);
	commit_of_origin(&view, 21, STACK_UNWOUND, 64);
	commit_of_origin(&view, 22, STACK_JOINED, 1);
	commit_of_origin(&view, 23, STACK_TRUNCATED, 1);
	commit_of_origin(&view, 24, STACK_CHAIN, 0);
	tally_rate_stacks(memory_account_tally(view.account), &fixture.functions, &result);
	assert_int_equal(result.samples, 4);
	assert_int_equal(result.complete, 2);
	assert_int_equal(result.broken_chains, 1);
	assert_int_equal(result.truncated, 1);
	close_view(&view);

	start(&view, &fixture, BY_ROLE);
	commit_of_origin(&view, 20, STACK_CHAIN, 1);
	tally_rate_stacks(memory_account_tally(view.account), &fixture.functions, &result);
	assert_int_equal(result.samples, 0);
	close_view(&view);
}

static void memory_account_apply__after_the_range__is_false(void **state)
{
	struct trace_fixture fixture;
	struct view view;

	(void)state;
	start(&view, &fixture, BY_ROLE);
	ledger_release(&view.ledger);
	ledger_init(&view.ledger, 5, 20, LEDGER_AT_END);
	assert_true(apply(&view, fixture_memory(19, 10, MEMORY_COMMIT, 100, 1)));
	assert_false(apply(&view, fixture_memory(20, 10, MEMORY_COMMIT, 200, 1)));
	ledger_finish(&view.ledger);
	assert_int_equal(view.ledger.whole.size, PAGE);
	close_view(&view);
}

/* As good as filtered out: what came after the view had read enough. */
#define KEY_UNSEEN (UINT32_MAX - 9)

/* Whether the keys of the view are checked one by one, or their sums alone. */
static bool is_checked_by_key(const struct view *view)
{
	enum group_by by = only_kind(view->grouping);

	return by == BY_PROCESS || by == BY_ROLE || by == BY_CRATE || by == BY_FUNCTION;
}

static uint32_t find_key(const struct view *view, const struct owner *owner)
{
	if (!is_checked_by_key(view))
		return KEY_UNSEEN;
	for (uint32_t key = 0; key < grouping_nr(view->grouping); key++) {
		if (world_has_key(view->grouping, only_kind(view->grouping),
				  &view->fixture->functions, key, owner))
			return key;
	}
	return KEY_UNSEEN;
}

static void make_blocks(struct replay *replay, const struct world *world, const struct view *view,
			const char *crate)
{
	bool weighted = only_kind(view->grouping) == BY_FUNCTION;
	static const struct owner rest = { .weight = 0 };

	replay->rest = weighted ? find_key(view, &rest) : KEY_UNSEEN - 1;
	replay->blocks_nr = world->lives_nr;
	for (size_t i = 0; i < world->lives_nr; i++) {
		const struct owner *owner = &world->owners[world->lives[i].from];

		replay->blocks[i] = (struct block){
			.key = is_wanted(owner, crate) ? find_key(view, owner) : GROUP_NONE,
			.bytes = world->lives[i].pages * PAGE,
			.weight = weighted && owner->weight > 1 ? owner->weight : 1,
			.from = world->lives[i].from,
			.to = world->lives[i].to,
		};
	}
}

static void check_counts(const struct replay *replay, const struct world *world,
			 const struct view *view, const char *crate)
{
	int64_t whole = 0, total = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		bool in = world->owners[i].added && replay->times[i] >= replay->from_ns &&
			  replay->times[i] < replay->to_ns;

		whole += in;
		total += in && is_wanted(&world->owners[i], crate);
	}
	assert_int_equal(view->ledger.whole.count, whole);
	assert_int_equal(view->ledger.total.count, total);
}

/* Sum over all keys equals the total, in each field that can be summed. */
static void check_sums(const struct ledger *ledger)
{
	struct ledger_entry sum = { 0 };

	for (size_t i = 0; i < ledger->keys_nr; i++) {
		const struct ledger_entry *key = &ledger->keys[i];

		sum.size += key->size;
		sum.count += key->count;
		sum.freed += key->freed;
		sum.aifi += key->aifi;
		sum.aofi += key->aofi;
		sum.at_start += key->at_start;
		sum.at_end += key->at_end;
		sum.at += key->at;
		sum.at_peak += key->at_peak;
		sum.at_own_peak += key->at_own_peak;
		sum.outstanding += key->outstanding;
	}
	assert_int_equal(sum.size, ledger->total.size);
	assert_int_equal(sum.count, ledger->total.count);
	assert_int_equal(sum.freed, ledger->total.freed);
	assert_int_equal(sum.aifi, ledger->total.aifi);
	assert_int_equal(sum.aofi, ledger->total.aofi);
	assert_int_equal(sum.at_start, ledger->total.at_start);
	assert_int_equal(sum.at_end, ledger->total.at_end);
	assert_int_equal(sum.at, ledger->total.at);
	assert_int_equal(sum.at_peak, ledger->total.at_peak);
	assert_int_equal(sum.at_own_peak, ledger->total.peak);
	assert_int_equal(sum.outstanding, ledger->total.outstanding);
}

static void run_world(struct view *view, struct world *world, const struct replay *replay)
{
	ledger_release(&view->ledger);
	ledger_init(&view->ledger, replay->from_ns, replay->to_ns, replay->at_ns);
	for (size_t i = 0; i < EVENTS; i++) {
		if (!apply(view, world->events[i]))
			break;
		if (world->events[i].kind == TRACE_PROCESS_START ||
		    world->events[i].kind == TRACE_EXEC)
			apply(view, fixture_map(replay->times[i], world->events[i].pid));
	}
	ledger_finish(&view->ledger);
}

static void check_world(struct world *world, struct replay *replay, enum group_by by,
			const char *crate)
{
	struct process_filter filter = PROCESS_FILTER_INIT;
	struct trace_fixture fixture;
	struct view view;

	if (crate)
		strvec_push(&filter.crates, crate);
	world_start(&fixture);
	open_view(&view, &fixture, by, crate ? &filter : NULL);
	run_world(&view, world, replay);
	make_blocks(replay, world, &view, crate);
	check_entry(replay, &view.ledger.whole, WHOLE);
	check_entry(replay, &view.ledger.total, TOTAL);
	for (uint32_t key = 0; is_checked_by_key(&view) && key < view.ledger.keys_nr; key++)
		check_entry(replay, &view.ledger.keys[key], key);
	check_counts(replay, world, &view, crate);
	check_sums(&view.ledger);
	close_view(&view);
	process_filter_release(&filter);
}

static void memory_account__random_traces__are_as_page_by_page(void **state)
{
	static const enum group_by kinds[] = { BY_PROCESS, BY_ROLE,   BY_CRATE, BY_FUNCTION,
					       BY_PART,    BY_MODULE, BY_STACK };
	struct world *world = xcalloc(1, sizeof(*world));
	struct replay replay = { .events = EVENTS };
	uint64_t seed = 33;

	(void)state;
	replay.blocks = xcalloc(ARRAY_SIZE(world->lives), sizeof(*replay.blocks));
	replay.times = xcalloc(EVENTS, sizeof(*replay.times));
	for (size_t i = 0; i < EVENTS; i++)
		replay.times[i] = (int64_t)i * STEP_NS;
	for (int round = 0; round < 60; round++) {
		make_world(world, &seed);
		world_settings(&replay, &seed);
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
			check_world(world, &replay, kinds[i], NULL);
			check_world(world, &replay, kinds[i], "alloc");
			check_world(world, &replay, kinds[i], "none such");
		}
	}
	free(replay.blocks);
	free(replay.times);
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_account__by_function__totals_are_those_of_all_callers),
		cmocka_unit_test(memory_account_uncounted__heaps__add_up),
		cmocka_unit_test(memory_account__fork_exec_and_exit__release_what_is_own),
		cmocka_unit_test(memory_account__pid_again_without_an_end__releases),
		cmocka_unit_test(memory_account__forks_of_too_much__are_cut),
		cmocka_unit_test(memory_account__first_thread_ends__is_not_the_end),
		cmocka_unit_test(memory_account__every_op__changes_what_it_says),
		cmocka_unit_test(memory_account__purge__counts_what_is_committed_here),
		cmocka_unit_test(memory_account__purge_of_very_many_ranges__counts_all),
		cmocka_unit_test(memory_account__picked_stacks__are_taken_from_the_rest),
		cmocka_unit_test(memory_account__more_than_64_bits__wraps_around),
		cmocka_unit_test(memory_account__roots__rest_of_picked_stacks_is_their_own),
		cmocka_unit_test(memory_account__by_stack__has_no_kernel_frames),
		cmocka_unit_test(memory_account__stacks__are_rated),
		cmocka_unit_test(memory_account_apply__after_the_range__is_false),
		cmocka_unit_test(memory_account__random_traces__are_as_page_by_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
