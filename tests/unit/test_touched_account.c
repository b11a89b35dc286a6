#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/touched_account.h"
#include "grouping_by.h"
#include "trace_fixture.h"
#include "util/array.h"

#define PAGE   FIXTURE_PAGE
#define ONE_IN 64

/* One view of a trace. */
struct view {
	struct trace_fixture fixture;
	struct grouping *grouping;
	struct ledger ledger;
	struct touched_account *account;
};

static bool apply(struct view *view, struct trace_event event)
{
	machine_apply(&view->fixture.machine, &event);
	return touched_account_apply(view->account, &event);
}

/* Process 10 is a cargo; 11 becomes a rustc if it is forked. */
static void open_with_sink(struct view *view, enum group_by by, const struct region_sink *sink)
{
	struct trace_fixture *fixture = &view->fixture;

	*fixture = (struct trace_fixture){ .rows = PROCESS_LIST_INIT };
	fixture_add_row(fixture, 10, 1, ROLE_CARGO, NULL);
	fixture_add_row(fixture, 11, 20, ROLE_RUSTC, "core");
	fixture_start(fixture);
	view->grouping = grouping_by(by, true, &fixture->machine, &fixture->functions, NULL);
	ledger_init(&view->ledger, INT64_MIN, INT64_MAX, LEDGER_AT_PEAK);
	view->account = touched_account_new(&fixture->machine, view->grouping, &view->ledger, sink);
	apply(view, fixture_fork(1, 10, 1));
	apply(view, fixture_exec(2, 10));
	apply(view, fixture_map(3, 10));
}

static void open_view(struct view *view, enum group_by by)
{
	open_with_sink(view, by, NULL);
}

static void close_view(struct view *view)
{
	touched_account_free(view->account);
	ledger_release(&view->ledger);
	grouping_free(view->grouping);
	fixture_release(&view->fixture);
}

static void touch(struct view *view, int64_t time_ns, int64_t pid, int64_t page)
{
	struct trace_event event = fixture_event(TRACE_TOUCH, time_ns, pid);

	event.touch.address = (uint64_t)(page * PAGE);
	event.touch.length = PAGE;
	event.touch.one_in = ONE_IN;
	apply(view, event);
}

/* The number of pages of the sample that are held. */
static int64_t held(const struct view *view)
{
	assert_int_equal(view->ledger.whole.outstanding % (ONE_IN * PAGE), 0);
	return view->ledger.whole.outstanding / ONE_IN / PAGE;
}

static const struct ledger_entry *entry_of(const struct view *view, const char *name)
{
	for (uint32_t key = 0; key < grouping_nr(view->grouping); key++) {
		const struct group *group = only_group(view->grouping, key);
		const char *is = group->text;

		if (only_kind(view->grouping) == BY_FUNCTION)
			is = function_table_name(&view->fixture.functions,
						 view->fixture.functions.v[group->function].name);
		if (is && !strcmp(is, name))
			return &view->ledger.keys[key];
	}
	fail_msg("no key '%s'", name);
	return NULL;
}

static void expect_sample(const struct view *view, uint32_t one_in, uint64_t pages, uint64_t large)
{
	struct touched_sample sample;

	touched_account_sample(view->account, &sample);
	assert_int_equal(sample.one_in, one_in);
	assert_int_equal(sample.pages, pages);
	assert_int_equal(sample.large_pages, large);
}

static void touched_account__pages__count_once_while_they_are_touched(void **state)
{
	struct view view;

	(void)state;
	open_view(&view, BY_ROLE);
	touch(&view, 10, 10, 100);
	touch(&view, 11, 10, 100); /* written again: it was read-only for a while */
	touch(&view, 12, 10, 164);
	assert_int_equal(held(&view), 2);
	assert_int_equal(view.ledger.whole.count, 2);
	expect_sample(&view, ONE_IN, 2, 0);
	apply(&view, fixture_memory(13, 10, MEMORY_RELEASE, 100, 1));
	touch(&view, 14, 10, 100);
	assert_int_equal(held(&view), 2);
	ledger_finish(&view.ledger);
	assert_int_equal(view.ledger.whole.size, 3 * ONE_IN * PAGE);
	assert_int_equal(view.ledger.whole.freed, 1 * ONE_IN * PAGE);
	assert_int_equal(entry_of(&view, "cargo")->peak, 2 * ONE_IN * PAGE);
	close_view(&view);
}

struct step {
	enum memory_op op;
	int64_t page, pages, to, to_pages;
	bool keep, shared;
	int64_t held; /* of the pages 100, 164, 228, 292 */
};

static void touched_account__each_operation__releases_what_it_takes(void **state)
{
	static const struct step steps[] = {
		{ MEMORY_COMMIT_RESERVED, 0, 1000, 0, 0, false, false, 4 }, /* mprotect */
		{ MEMORY_COMMIT_UNCOMMITTED, 0, 1000, 0, 0, false, false, 4 },
		{ MEMORY_DECOMMIT, 0, 1000, 0, 0, false, false, 4 },
		{ MEMORY_PURGE, 90, 80, 0, 0, false, false, 2 },
		{ MEMORY_PURGE, 90, 800, 0, 0, true, false,
		  4 }, /* MADV_FREE: as long as there is room */
		{ MEMORY_RELEASE, 101, 64, 0, 0, false, false, 3 },
		{ MEMORY_RESERVE, 0, 165, 0, 0, false, false, 2 },
		{ MEMORY_COMMIT, 164, 65, 0, 0, false, false, 2 },
		{ MEMORY_UNCOUNTED, 292, 1, 0, 0, false, false,
		  3 }, /* a private mapping of a file */
		{ MEMORY_UNCOUNTED, 292, 1, 0, 0, false, true, 3 },
		{ MEMORY_MOVE, 100, 100, 1000, 100, false, false, 4 },
		{ MEMORY_MOVE, 100, 100, 1000, 10, false, false, 3 }, /* 164 is cut off */
		{ MEMORY_MOVE, 100, 1, 1000, 5000, false, false,
		  4 }, /* what it grows by is not touched */
		{ MEMORY_MOVE, 100, 100, 200, 100, true, false,
		  2 }, /* over 228 and 292, keeping the old range */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct step *step = &steps[i];
		struct trace_event event =
			fixture_memory(20, 10, step->op, step->page, step->pages);
		struct view view;

		open_view(&view, BY_ROLE);
		for (int64_t page = 100; page < 300; page += 64)
			touch(&view, 10, 10, page);
		event.memory.to = (uint64_t)(step->to * PAGE);
		event.memory.to_length = (uint64_t)(step->to_pages * PAGE);
		event.memory.keep = step->keep;
		event.memory.shared = step->shared;
		apply(&view, event);
		if (held(&view) != step->held)
			fail_msg("step %zu: %d pages", i, (int)held(&view));
		apply(&view, fixture_event(TRACE_THREAD_END, 30, 10));
		assert_int_equal(held(&view), 0);
		close_view(&view);
	}
}

static void touched_account__moved_pages__are_found_at_their_new_place(void **state)
{
	struct trace_event move;
	struct view view;

	(void)state;
	open_view(&view, BY_ROLE);
	touch(&view, 10, 10, 100);
	move = fixture_memory(11, 10, MEMORY_MOVE, 100, 1);
	move.memory.to = (uint64_t)(500 * PAGE);
	move.memory.to_length = (uint64_t)(200 * PAGE);
	apply(&view, move);
	touch(&view, 12, 10, 500); /* it is there already */
	assert_int_equal(held(&view), 1);
	touch(&view, 13, 10, 100);
	touch(&view, 14, 10, 564);
	assert_int_equal(held(&view), 3);
	apply(&view, fixture_memory(15, 10, MEMORY_RELEASE, 500, 1));
	assert_int_equal(held(&view), 2);
	close_view(&view);
}

static void touched_account__shared_memory__is_never_touched(void **state)
{
	struct trace_event shared, move;
	struct view view;

	(void)state;
	open_view(&view, BY_ROLE);
	shared = fixture_memory(10, 10, MEMORY_UNCOUNTED, 100, 200);
	shared.memory.shared = true;
	apply(&view, shared);
	touch(&view, 11, 10, 100);
	assert_int_equal(held(&view), 0);
	/* Its pages may go, but what is written then is still shared. */
	apply(&view, fixture_memory(12, 10, MEMORY_PURGE, 100, 200));
	touch(&view, 13, 10, 164);
	assert_int_equal(held(&view), 0);
	move = fixture_memory(14, 10, MEMORY_MOVE, 100, 200);
	move.memory.to = (uint64_t)(1000 * PAGE);
	move.memory.to_length = (uint64_t)(400 * PAGE);
	apply(&view, move);
	touch(&view, 15, 10, 1000);
	touch(&view, 16, 10, 1399); /* what it grew by */
	assert_int_equal(held(&view), 0);
	touch(&view, 17, 10, 100);
	assert_int_equal(held(&view), 1);
	apply(&view, fixture_memory(18, 10, MEMORY_COMMIT, 1000, 400));
	touch(&view, 19, 10, 1000);
	assert_int_equal(held(&view), 2);
	close_view(&view);
}

static void touched_account__after_a_fork__pages_are_the_parents(void **state)
{
	struct view view;

	(void)state;
	open_view(&view, BY_ROLE);
	touch(&view, 10, 10, 100);
	touch(&view, 11, 10, 164);
	apply(&view, fixture_fork(20, 11, 10));
	assert_int_equal(held(&view), 2);
	touch(&view, 21, 10, 100); /* the parent's copy replaces its page */
	assert_int_equal(held(&view), 2);
	touch(&view, 22, 11, 100); /* the child's is one more */
	touch(&view, 23, 11, 100);
	assert_int_equal(held(&view), 3);
	apply(&view, fixture_memory(24, 11, MEMORY_RELEASE, 164, 1)); /* the parent keeps it */
	assert_int_equal(held(&view), 3);
	apply(&view, fixture_exec(25, 11));
	assert_int_equal(held(&view), 2);
	apply(&view, fixture_event(TRACE_THREAD_END, 26, 10));
	assert_int_equal(held(&view), 0);
	touch(&view, 27, 10, 100); /* too late */
	assert_int_equal(held(&view), 0);
	close_view(&view);
}

static void touch_large(struct view *view, int64_t time_ns, int64_t pid, uint64_t address,
			int64_t pages)
{
	struct trace_event event = fixture_event(TRACE_TOUCH, time_ns, pid);

	event.touch.address = address;
	event.touch.length = (uint64_t)(pages * PAGE);
	event.touch.one_in = 1;
	apply(view, event);
}

static void touched_account__large_pages__count_for_themselves(void **state)
{
	struct view view;

	(void)state;
	open_view(&view, BY_ROLE);
	touch(&view, 10, 10, 549); /* the fault of the large page, which is in the sample */
	touch_large(&view, 11, 10, 512 * PAGE, 512);
	assert_int_equal(view.ledger.whole.outstanding, 512 * PAGE);
	touch(&view, 12, 10, 613); /* a part of it */
	touch_large(&view, 13, 10, 512 * PAGE, 512);
	assert_int_equal(view.ledger.whole.outstanding, 512 * PAGE);
	touch(&view, 14, 10, 2000);
	assert_int_equal(view.ledger.whole.outstanding, (512 + ONE_IN) * PAGE);
	expect_sample(&view, ONE_IN, 2, 2);
	apply(&view, fixture_memory(15, 10, MEMORY_PURGE, 600, 100));
	assert_int_equal(view.ledger.whole.outstanding, (412 + ONE_IN) * PAGE);
	apply(&view, fixture_memory(16, 10, MEMORY_RELEASE, 0, 5000));
	assert_int_equal(view.ledger.whole.outstanding, 0);
	close_view(&view);
}

/* Unmapping cannot release what is at an unknown address. */
static void touched_account__large_pages_of_unknown_address__stay_until_an_exec(void **state)
{
	struct view view;

	(void)state;
	open_view(&view, BY_ROLE);
	for (int64_t i = 0; i < 3; i++)
		touch_large(&view, 10 + i, 10, TRACE_TOUCH_UNKNOWN, 512);
	apply(&view, fixture_memory(15, 10, MEMORY_RELEASE, 0, INT64_C(1) << 40));
	assert_int_equal(view.ledger.whole.outstanding, 3 * 512 * PAGE);
	assert_int_equal(view.ledger.whole.count, 3);
	expect_sample(&view, 0, 0, 3);
	apply(&view, fixture_exec(16, 10));
	assert_int_equal(view.ledger.whole.outstanding, 0);
	close_view(&view);
}

static void touched_account__error__is_that_of_the_pages(void **state)
{
	const struct touched_sample sample = { .one_in = ONE_IN };

	(void)state;
	assert_int_equal(touched_error(&sample, 0), 0);
	assert_int_equal(touched_error(&sample, -5), 0);
	assert_int_equal(touched_error(&sample, ONE_IN * PAGE), ONE_IN * PAGE);
	assert_int_equal(touched_error(&sample, 100 * ONE_IN * PAGE), 10 * ONE_IN * PAGE);
}

/* What a child gives back stays its parent's, and can be touched again. */
static void touched_account__purge_in_a_child__leaves_the_parents(void **state)
{
	struct view view;

	(void)state;
	open_view(&view, BY_ROLE);
	touch(&view, 10, 10, 100);
	apply(&view, fixture_fork(20, 11, 10));
	apply(&view, fixture_memory(21, 11, MEMORY_PURGE, 100, 1));
	assert_int_equal(held(&view), 1);
	touch(&view, 22, 11, 100);
	assert_int_equal(held(&view), 2);
	apply(&view, fixture_fork(23, 12, 10));
	apply(&view, fixture_memory(24, 10, MEMORY_PURGE, 100, 1)); /* the children keep theirs */
	assert_int_equal(held(&view), 1);
	close_view(&view);
}

static void touched_account__by_function__is_that_of_who_wrote_first(void **state)
{
	static const unsigned inner[] = { 0, 3, FIXTURE_MALLOC };
	static const uint64_t kernel[] = { FIXTURE_KERNEL + 0x40 };
	struct trace_event event = fixture_event(TRACE_TOUCH, 10, 10);
	uint64_t addresses[3];
	struct view view;

	(void)state;
	open_view(&view, BY_FUNCTION);
	event.touch = (struct trace_touch){ .address = (uint64_t)(100 * PAGE),
					    .length = PAGE,
					    .one_in = ONE_IN,
					    .stack = fixture_stack(inner, 3, addresses) };
	event.touch.stack.kernel = kernel;
	event.touch.stack.kernel_nr = 1;
	apply(&view, event);
	touch(&view, 11, 10, 164);
	assert_int_equal(entry_of(&view, "f3")->size, ONE_IN * PAGE);
	assert_int_equal(entry_of(&view, "[truncated]")->size, ONE_IN * PAGE);
	close_view(&view);
}

/* One page after the other is touched, and ends in another way. */
static void live(struct view *view)
{
	struct trace_event event;

	touch(view, 1000000, 10, 100);
	touch(view, 2000000, 10, 164);
	apply(view, fixture_fork(3000000, 11, 10));
	touch(view, 3000000, 11, 164);
	apply(view, fixture_memory(4000000, 10, MEMORY_RELEASE, 100, 1));
	apply(view, fixture_exec(5000000, 11));
	touch(view, 6000000, 11, 228);
	apply(view, fixture_event(TRACE_THREAD_END, 7000000, 11));
	event = fixture_event(TRACE_TOUCH, 8000000, 10);
	event.touch.length = 512 * PAGE;
	event.touch.one_in = 1;
	apply(view, event); /* a large page, over the pages of the sample in it */
	touched_account_finish(view->account);
	ledger_finish(&view->ledger);
}

static void touched_account__by_lifetime__is_known_at_the_end(void **state)
{
	struct view view;

	(void)state;
	open_view(&view, BY_LIFETIME);
	live(&view);
	assert_int_equal(entry_of(&view, "<10ms")->size, 2 * ONE_IN * PAGE);
	assert_int_equal(entry_of(&view, "<10ms")->count, 2);
	assert_int_equal(entry_of(&view, "[exit]")->size, 2 * ONE_IN * PAGE);
	assert_int_equal(entry_of(&view, "[exit]")->freed, 2 * ONE_IN * PAGE);
	assert_int_equal(entry_of(&view, "[held]")->size, 512 * PAGE);
	assert_int_equal(entry_of(&view, "[held]")->freed, 0);
	assert_int_equal(entry_of(&view, "[held]")->at_peak, 512 * PAGE);
	assert_int_equal(entry_of(&view, "[held]")->at_end, 512 * PAGE);
	assert_int_equal(entry_of(&view, "<10ms")->at_peak, 0);
	assert_int_equal(view.ledger.total.size, (4 * ONE_IN + 512) * PAGE);
	close_view(&view);
}

static void add_region(void *data, const struct region *region)
{
	struct region **at = data;

	*(*at)++ = *region;
}

static void touched_account__regions__are_pages(void **state)
{
	static const struct {
		int64_t page, bytes, start_ns, end_ns;
		enum life_end end;
	} expected[] = {
		{ 100, ONE_IN * PAGE, 1000000, 4000000, LIFE_FREED },
		{ 164, ONE_IN * PAGE, 3000000, 5000000, LIFE_EXEC },
		{ 228, ONE_IN * PAGE, 6000000, 7000000, LIFE_EXIT },
		{ 164, ONE_IN * PAGE, 2000000, 8000000, LIFE_FREED },
		{ 0, 512 * PAGE, 8000000, 8000000, LIFE_HELD },
	};
	struct region found[ARRAY_SIZE(expected)], *at = found;
	const struct region_sink sink = { false, add_region, NULL, &at };
	struct view view;

	(void)state;
	open_with_sink(&view, BY_PROCESS, &sink);
	live(&view);
	assert_int_equal(at - found, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(found[i].address, expected[i].page * PAGE);
		assert_int_equal(found[i].bytes, expected[i].bytes);
		assert_int_equal(found[i].start_ns, expected[i].start_ns);
		assert_int_equal(found[i].end_ns, expected[i].end_ns);
		assert_int_equal(found[i].end, expected[i].end);
	}
	close_view(&view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(touched_account__pages__count_once_while_they_are_touched),
		cmocka_unit_test(touched_account__each_operation__releases_what_it_takes),
		cmocka_unit_test(touched_account__moved_pages__are_found_at_their_new_place),
		cmocka_unit_test(touched_account__shared_memory__is_never_touched),
		cmocka_unit_test(touched_account__after_a_fork__pages_are_the_parents),
		cmocka_unit_test(touched_account__large_pages__count_for_themselves),
		cmocka_unit_test(
			touched_account__large_pages_of_unknown_address__stay_until_an_exec),
		cmocka_unit_test(touched_account__error__is_that_of_the_pages),
		cmocka_unit_test(touched_account__purge_in_a_child__leaves_the_parents),
		cmocka_unit_test(touched_account__by_function__is_that_of_who_wrote_first),
		cmocka_unit_test(touched_account__by_lifetime__is_known_at_the_end),
		cmocka_unit_test(touched_account__regions__are_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
