#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/heap_account.h"
#include "analysis/heap_blocks.h"
#include "grouping_by.h"
#include "trace_fixture.h"
#include "util/array.h"

#define HEAP 0x1a0000

struct view {
	struct trace_fixture fixture;
	struct grouping *grouping;
	struct ledger ledger;
	struct heap_account *account;
	struct region regions[64];
	size_t regions_nr;
};

static bool apply(struct view *view, struct trace_event event)
{
	machine_apply(&view->fixture.machine, &event);
	return heap_account_apply(view->account, &event);
}

/* Process 10 is a cargo, 11 a rustc. */
static void open_all(struct view *view, const struct grouping_spec *spec, int64_t from_ns,
		     int64_t to_ns, const struct region_sink *sink)
{
	struct trace_fixture *fixture = &view->fixture;
	struct grouping_spec allocation = *spec;

	*view = (struct view){ .fixture = { .rows = PROCESS_LIST_INIT } };
	fixture_add_row(fixture, 10, 1, ROLE_CARGO, NULL);
	fixture_add_row(fixture, 11, 1, ROLE_RUSTC, "core");
	fixture_start(fixture);
	allocation.allocation = true;
	view->grouping = grouping_new(&allocation, &fixture->machine, &fixture->functions);
	ledger_init(&view->ledger, from_ns, to_ns, LEDGER_AT_OWN_PEAK);
	view->account = heap_account_new(&fixture->machine, view->grouping, &view->ledger, sink);
	for (int64_t pid = 10; pid < 12; pid++) {
		apply(view, fixture_fork(1, pid, 1));
		apply(view, fixture_exec(2, pid));
		apply(view, fixture_map(3, pid));
	}
}

static void open_view(struct view *view, enum group_by by)
{
	const struct grouping_spec spec = { .by = { by } };

	open_all(view, &spec, INT64_MIN, INT64_MAX, NULL);
}

static void close_view(struct view *view)
{
	heap_account_free(view->account);
	ledger_release(&view->ledger);
	grouping_free(view->grouping);
	fixture_release(&view->fixture);
}

static void finish(struct view *view)
{
	heap_account_finish(view->account);
	ledger_reach(&view->ledger, grouping_nr(view->grouping));
	ledger_finish(&view->ledger);
}

static void call(struct view *view, int64_t time_ns, int64_t pid, enum heap_op op, uint64_t heap,
		 uint64_t address, uint64_t size)
{
	struct trace_event event = fixture_event(TRACE_HEAP, time_ns, pid);

	event.heap = (struct trace_heap_call){
		.op = op, .heap = heap, .address = address, .size = size
	};
	apply(view, event);
}

static int64_t held(const struct view *view)
{
	return view->ledger.whole.outstanding;
}

static void expect_odd(const struct view *view, int64_t frees, int64_t resizes, int64_t replaced)
{
	struct heap_oddities odd;

	heap_account_oddities(view->account, &odd);
	assert_int_equal(odd.unknown_frees, frees);
	assert_int_equal(odd.unknown_resizes, resizes);
	assert_int_equal(odd.replaced, replaced);
}

static void heap_account__calls__change_blocks_of_their_heap(void **state)
{
	struct view view;

	(void)state;
	open_view(&view, BY_PROCESS);
	call(&view, 10, 10, HEAP_CREATE, HEAP, 0, 0);
	call(&view, 11, 10, HEAP_ALLOC, HEAP, 0x1000, 100);
	call(&view, 12, 10, HEAP_ALLOC, HEAP + 1, 0x1000, 30); /* another heap */
	call(&view, 13, 11, HEAP_ALLOC, HEAP, 0x1000, 7);      /* another process */
	assert_int_equal(held(&view), 137);
	call(&view, 14, 10, HEAP_RESIZE, HEAP, 0x1000, 300);
	assert_int_equal(held(&view), 337);
	call(&view, 15, 10, HEAP_ALLOC, HEAP, 0x2000, 0); /* of no bytes */
	call(&view, 16, 10, HEAP_FREE, HEAP, 0x2000, 0);
	call(&view, 17, 10, HEAP_FREE, HEAP, 0x1000, 0);
	assert_int_equal(held(&view), 37);
	call(&view, 18, 10, HEAP_DESTROY, HEAP + 1, 0, 0);
	assert_int_equal(held(&view), 7);
	apply(&view, fixture_event(TRACE_PROCESS_END, 19, 11));
	assert_int_equal(held(&view), 0);
	expect_odd(&view, 0, 0, 0);
	finish(&view);
	assert_int_equal(view.ledger.whole.size, 437); /* the resized block counts twice, whole */
	assert_int_equal(view.ledger.whole.count, 5);
	assert_int_equal(view.ledger.whole.peak, 337);
	close_view(&view);
}

static void heap_account__odd_calls__are_counted(void **state)
{
	struct view view;

	(void)state;
	open_view(&view, BY_PROCESS);
	call(&view, 10, 10, HEAP_FREE, HEAP, 0x1000, 0);
	call(&view, 11, 10, HEAP_RESIZE, HEAP, 0x1000, 50);
	assert_int_equal(held(&view), 0);
	call(&view, 12, 10, HEAP_ALLOC, HEAP, 0x1000, 10);
	call(&view, 13, 10, HEAP_ALLOC, HEAP, 0x1000, 20);
	assert_int_equal(held(&view), 20);
	call(&view, 14, 10, HEAP_CREATE, HEAP, 0, 0); /* it was destroyed */
	assert_int_equal(held(&view), 0);
	call(&view, 15, 10, HEAP_DESTROY, HEAP, 0, 0);
	call(&view, 16, 10, HEAP_FREE, HEAP, 0x1000, 0);
	expect_odd(&view, 2, 1, 2);
	close_view(&view);
}

static void heap_account__a_pid_that_is_used_again__has_no_old_blocks(void **state)
{
	struct trace_event start = fixture_event(TRACE_PROCESS_START, 20, 10);
	struct view view;

	(void)state;
	open_view(&view, BY_PROCESS);
	call(&view, 10, 10, HEAP_ALLOC, HEAP, 0x1000, 10);
	apply(&view, fixture_event(TRACE_PROCESS_END, 15, 10));
	call(&view, 16, 10, HEAP_ALLOC, HEAP, 0x1000, 10); /* it has ended */
	start.start = (struct trace_start){ .ppid = 1, .starts = true, .has_end = true };
	apply(&view, start);
	call(&view, 21, 10, HEAP_FREE, HEAP, 0x1000, 0);
	expect_odd(&view, 1, 0, 0);
	call(&view, 22, 10, HEAP_ALLOC, HEAP, 0x1000, 5);
	apply(&view, fixture_exec(23, 10));
	assert_int_equal(held(&view), 0);
	close_view(&view);
}

static void heap_account__oddities_outside_the_range__do_not_count(void **state)
{
	const struct grouping_spec spec = { .by = { BY_PROCESS } };
	struct view view;

	(void)state;
	open_all(&view, &spec, 20, 30, NULL);
	call(&view, 10, 10, HEAP_FREE, HEAP, 0x1000, 0);
	call(&view, 11, 10, HEAP_ALLOC, HEAP, 0x2000, 10);
	call(&view, 20, 10, HEAP_FREE, HEAP, 0x1000, 0);
	call(&view, 21, 10, HEAP_FREE, HEAP, 0x2000, 0);
	call(&view, 30, 10, HEAP_FREE, HEAP, 0x1000, 0);
	expect_odd(&view, 1, 0, 0);
	finish(&view);
	assert_int_equal(view.ledger.whole.aofi, 10);
	assert_int_equal(view.ledger.whole.size, 0);
	close_view(&view);
}

static void keep(void *data, const struct region *region)
{
	struct view *view = data;

	assert_in_range(view->regions_nr, 0, ARRAY_SIZE(view->regions) - 1);
	view->regions[view->regions_nr++] = *region;
}

static void forget(void *data)
{
	((struct view *)data)->regions_nr = 0;
}

static void heap_account__regions__are_blocks_with_their_heap(void **state)
{
	const struct grouping_spec spec = { .by = { BY_PROCESS, BY_STACK }, .nr = 2 };
	struct view view;
	const struct region_sink sink = { .add = keep, .clear = forget, .data = &view };
	static const struct {
		uint64_t heap, address;
		int64_t bytes, start_ns, end_ns;
		enum life_end end;
	} expected[] = {
		{ HEAP, 0x1000, 10, 10, 13, LIFE_FREED },
		{ HEAP + 1, 0x1000, 20, 11, 14, LIFE_FREED },
		{ HEAP, 0x1000, 15, 13, 15, LIFE_EXIT },
		{ HEAP, 0x2000, 0, 12, 15, LIFE_HELD },
	};

	(void)state;
	open_all(&view, &spec, INT64_MIN, INT64_MAX, &sink);
	call(&view, 10, 10, HEAP_ALLOC, HEAP, 0x1000, 10);
	call(&view, 11, 10, HEAP_ALLOC, HEAP + 1, 0x1000, 20);
	call(&view, 12, 11, HEAP_ALLOC, HEAP, 0x2000, 0);
	call(&view, 13, 10, HEAP_RESIZE, HEAP, 0x1000, 15);
	call(&view, 14, 10, HEAP_DESTROY, HEAP + 1, 0, 0);
	apply(&view, fixture_event(TRACE_PROCESS_END, 15, 10));
	finish(&view);
	assert_int_equal(view.regions_nr, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(view.regions[i].heap, expected[i].heap);
		assert_int_equal(view.regions[i].address, expected[i].address);
		assert_int_equal(view.regions[i].bytes, expected[i].bytes);
		assert_int_equal(view.regions[i].start_ns, expected[i].start_ns);
		assert_int_equal(view.regions[i].end_ns, expected[i].end_ns);
		assert_int_equal(view.regions[i].end, expected[i].end);
		assert_int_equal(view.regions[i].life.count, 1);
	}
	close_view(&view);
}

/* Only heaps that have blocks take memory, and no more of them than the limit. */
static void heap_account__more_heaps_than_the_limit__their_blocks_are_left_out(void **state)
{
	const int64_t more = HEAP_BLOCKS_HEAPS_MAX + 3;
	struct heap_oddities odd;
	struct view view;

	(void)state;
	open_view(&view, BY_PROCESS);
	for (int64_t i = 0; i < more; i++) {
		call(&view, 10, 11, HEAP_CREATE, HEAP + (uint64_t)i, 0, 0);
		call(&view, 10, 11, HEAP_ALLOC, HEAP + (uint64_t)i, 0x1000, 1);
		call(&view, 10, 11, HEAP_DESTROY, HEAP + (uint64_t)i, 0, 0);
	}
	for (int64_t i = 0; i < more; i++)
		call(&view, 11, 10 + i % 2, HEAP_ALLOC, HEAP + (uint64_t)i, 0x1000, 10);
	assert_int_equal(held(&view), 10 * HEAP_BLOCKS_HEAPS_MAX);
	heap_account_oddities(view.account, &odd);
	assert_int_equal(odd.dropped, 3);
	/* One that it has goes on; one that ends makes room. */
	call(&view, 12, 10, HEAP_ALLOC, HEAP, 0x2000, 5);
	call(&view, 13, 11, HEAP_DESTROY, HEAP + 1, 0, 0);
	call(&view, 14, 10, HEAP_ALLOC, HEAP + 0x100001, 0x1000, 1);
	assert_int_equal(held(&view), 10 * (HEAP_BLOCKS_HEAPS_MAX - 1) + 6);
	apply(&view, fixture_event(TRACE_PROCESS_END, 15, 10));
	call(&view, 16, 11, HEAP_ALLOC, HEAP, 0x1000, 1);
	heap_account_oddities(view.account, &odd);
	assert_int_equal(odd.dropped, 3);
	assert_int_equal(odd.replaced + odd.unknown_frees, 0);
	close_view(&view);
}

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Of every random call the key is that of one of three stacks, or it has none. */
static void random_call(struct view *view, uint64_t *seed, int64_t time_ns)
{
	static const unsigned functions[][2] = { { 0, 1 }, { 0, FIXTURE_MALLOC }, { 2, 1 } };
	static const enum heap_op ops[] = { HEAP_ALLOC, HEAP_ALLOC,  HEAP_ALLOC,   HEAP_FREE,
					    HEAP_FREE,  HEAP_RESIZE, HEAP_DESTROY, HEAP_CREATE };
	struct trace_event event =
		fixture_event(TRACE_HEAP, time_ns, 10 + (int64_t)(next(seed) % 2));
	uint64_t what = next(seed) % 64, addresses[2];

	event.heap.op = what < 62 ? ops[what % 6] : ops[6 + what % 2];
	event.heap.heap = HEAP + next(seed) % 2;
	event.heap.address = 0x1000 * (1 + next(seed) % 20);
	event.heap.size = next(seed) % 1000;
	event.heap.weight = next(seed) % 4 > 0;
	if (event.heap.weight)
		event.heap.stack = fixture_stack(functions[next(seed) % 3], 2, addresses);
	apply(view, event);
}

static void add_up(const struct ledger *ledger)
{
	struct ledger_entry sum = { 0 };

	for (size_t i = 0; i < ledger->keys_nr; i++) {
		ledger_entry_join(&sum, &ledger->keys[i]);
		if (!ledger->lived)
			assert_true(ledger->keys[i].peak >= ledger->keys[i].at_own_peak);
	}
	assert_int_equal(sum.size, ledger->total.size);
	assert_int_equal(sum.count, ledger->total.count);
	assert_int_equal(sum.freed, ledger->total.freed);
	assert_int_equal(sum.aifi, ledger->total.aifi);
	assert_int_equal(sum.aofi, ledger->total.aofi);
	assert_int_equal(sum.at_start, ledger->total.at_start);
	assert_int_equal(sum.at_end, ledger->total.at_end);
	assert_int_equal(sum.at, ledger->total.peak); /* the rows of --at own-peak */
	assert_int_equal(ledger->total.size, ledger->whole.size);
	assert_int_equal(ledger->whole.at_end - ledger->whole.at_start,
			 ledger->whole.size - ledger->whole.freed);
}

static void heap_account__random_calls__keys_add_up(void **state)
{
	static const struct grouping_spec specs[] = {
		{ .by = { BY_PROCESS } },
		{ .by = { BY_FUNCTION } },
		{ .by = { BY_STACK } },
		{ .by = { BY_LIFETIME } },
		{ .by = { BY_ROLE, BY_MODULE }, .nr = 2 },
		{ .by = { BY_FUNCTION, BY_LIFETIME }, .nr = 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(specs) * 8; i++) {
		uint64_t seed = 1 + i;
		struct view view;

		open_all(&view, &specs[i / 8], i % 2 ? 100000 : INT64_MIN,
			 i % 4 > 1 ? 800000 : INT64_MAX, NULL);
		for (int64_t time = 10; time < 1000; time++)
			random_call(&view, &seed, time * 1000);
		finish(&view);
		add_up(&view.ledger);
		assert_true(view.ledger.whole.peak > 0);
		close_view(&view);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_account__calls__change_blocks_of_their_heap),
		cmocka_unit_test(heap_account__odd_calls__are_counted),
		cmocka_unit_test(heap_account__a_pid_that_is_used_again__has_no_old_blocks),
		cmocka_unit_test(heap_account__oddities_outside_the_range__do_not_count),
		cmocka_unit_test(heap_account__regions__are_blocks_with_their_heap),
		cmocka_unit_test(
			heap_account__more_heaps_than_the_limit__their_blocks_are_left_out),
		cmocka_unit_test(heap_account__random_calls__keys_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
