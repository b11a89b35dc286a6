#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lifetime.h"
#include "analysis/memory_account.h"
#include "ledger_model.h"
#include "memory_world.h"
#include "trace_fixture.h"
#include "util/array.h"

static void region_lifetime__borders__are_in_the_next_class(void **state)
{
	static const struct {
		int64_t ns;
		enum life_end end;
		const char *name;
	} cases[] = {
		{ 0, LIFE_FREED, "<1ms" },
		{ 999999, LIFE_FREED, "<1ms" },
		{ 1000000, LIFE_FREED, "<10ms" },
		{ 99999999, LIFE_FREED, "<100ms" },
		{ 100000000, LIFE_FREED, "<1s" },
		{ 1000000000, LIFE_FREED, "<10s" },
		{ 10000000000, LIFE_FREED, "<1min" },
		{ 59999999999, LIFE_FREED, "<1min" },
		{ 60000000000, LIFE_FREED, ">=1min" },
		{ INT64_MAX, LIFE_FREED, ">=1min" },
		{ 1, LIFE_EXIT, "[exit]" },
		{ 1, LIFE_EXEC, "[exit]" },
		{ 1, LIFE_HELD, "[held]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct region region = { .end_ns = cases[i].ns, .end = cases[i].end };

		assert_string_equal(lifetime_names[region_lifetime(&region)], cases[i].name);
	}
}

struct view {
	struct trace_fixture fixture;
	struct process_filter filter;
	struct grouping *grouping;
	struct ledger ledger;
	struct memory_account *account;
};

/* If lives matter the account reads all events, whatever the range. */
static void run_world(struct view *view, const struct grouping_spec *spec, struct world *world,
		      const struct replay *replay, const char *crate,
		      const struct region_sink *sink)
{
	struct grouping_spec filtered = *spec;
	size_t i = 0;

	view->filter = (struct process_filter)PROCESS_FILTER_INIT;
	if (crate)
		strvec_push(&view->filter.crates, crate);
	filtered.allocation = true;
	filtered.processes = &view->filter;
	world_start(&view->fixture);
	view->grouping = grouping_new(&filtered, &view->fixture.machine, &view->fixture.functions);
	ledger_init(&view->ledger, replay->from_ns, replay->to_ns, replay->at_ns);
	view->account =
		memory_account_new(&view->fixture.machine, view->grouping, &view->ledger, sink);
	for (; i < EVENTS; i++) {
		struct trace_event map = fixture_map(replay->times[i], world->events[i].pid);

		machine_apply(&view->fixture.machine, &world->events[i]);
		if (!memory_account_apply(view->account, &world->events[i]))
			break;
		if (world->events[i].kind == TRACE_MEMORY)
			continue;
		machine_apply(&view->fixture.machine, &map);
		if (!memory_account_apply(view->account, &map))
			break;
	}
	if (sink || grouping_by_lifetime(view->grouping))
		assert_int_equal(i, EVENTS);
	memory_account_finish(view->account);
	ledger_reach(&view->ledger, grouping_nr(view->grouping));
	ledger_finish(&view->ledger);
}

static void close_view(struct view *view)
{
	memory_account_free(view->account);
	ledger_release(&view->ledger);
	grouping_free(view->grouping);
	fixture_release(&view->fixture);
	process_filter_release(&view->filter);
}

/* The class of pages, by the model. */
static enum lifetime class_of(size_t from, size_t to, enum life_end end)
{
	const struct region region = { .start_ns = (int64_t)from * STEP_NS,
				       .end_ns = (int64_t)to * STEP_NS,
				       .end = end };

	return region_lifetime(&region);
}

#define NO_KEY (UINT32_MAX - 9)

/* The key with a lifetime; `by` BY_LIFETIME: there is no other kind. */
static uint32_t find_key(const struct view *view, enum group_by by, const struct owner *owner,
			 enum lifetime lifetime)
{
	for (uint32_t key = 0; key < grouping_nr(view->grouping); key++) {
		const struct group *group = grouping_part(view->grouping, key, BY_LIFETIME);

		if (!strcmp(group->text, lifetime_names[lifetime]) &&
		    (by == BY_LIFETIME ||
		     world_has_key(view->grouping, by, &view->fixture.functions, key, owner)))
			return key;
	}
	return NO_KEY;
}

/* Of a key of the lifetime: `replay->rest` is the key of what was not sampled, which has one for each lifetime. */
static void make_blocks(struct replay *replay, const struct world *world, const struct view *view,
			enum group_by by, const char *crate, enum lifetime lifetime)
{
	static const struct owner rest = { .weight = 0 };

	replay->rest = by == BY_FUNCTION ? find_key(view, by, &rest, lifetime) : NO_KEY - 1;
	replay->blocks_nr = 0;
	for (size_t i = 0; i < world->lives_nr; i++) {
		const struct owner *owner = &world->owners[world->lives[i].from];
		enum lifetime is =
			class_of(world->lives[i].from, world->lives[i].to, world->lives[i].end);

		replay->blocks[replay->blocks_nr++] = (struct block){
			.key = is_wanted(owner, crate) ? find_key(view, by, owner, is) : GROUP_NONE,
			.bytes = world->lives[i].pages * FIXTURE_PAGE,
			.weight = by == BY_FUNCTION && owner->weight > 1 && is == lifetime
					  ? owner->weight
					  : 1,
			.from = world->lives[i].from,
			.to = world->lives[i].to,
		};
	}
}

static void check_lifetimes(struct world *world, struct replay *replay, enum group_by by,
			    const char *crate)
{
	const struct grouping_spec spec = { .by = { BY_LIFETIME, by },
					    .nr = by == BY_LIFETIME ? 1 : 2 };
	int64_t size = 0, count = 0;
	struct view view;

	run_world(&view, &spec, world, replay, crate, NULL);
	for (int lifetime = 0; lifetime < LIFETIMES; lifetime++) {
		make_blocks(replay, world, &view, by, crate, (enum lifetime)lifetime);
		for (uint32_t key = 0; key < grouping_nr(view.grouping); key++) {
			if (!strcmp(grouping_part(view.grouping, key, BY_LIFETIME)->text,
				    lifetime_names[lifetime]))
				check_entry(replay, &view.ledger.keys[key], key);
		}
	}
	check_entry(replay, &view.ledger.whole, WHOLE);
	check_entry(replay, &view.ledger.total, TOTAL);
	for (size_t i = 0; i < view.ledger.keys_nr; i++) {
		size += view.ledger.keys[i].size;
		count += view.ledger.keys[i].count;
	}
	assert_int_equal(size, view.ledger.total.size);
	assert_int_equal(count, view.ledger.total.count);
	close_view(&view);
}

/* A function has as much in all lifetimes as without them, also with all that it called. */
static void check_totals(struct world *world, struct replay *replay)
{
	const struct grouping_spec plain = { .by = { BY_FUNCTION }, .nr = 1 };
	const struct grouping_spec lived = { .by = { BY_FUNCTION, BY_LIFETIME }, .nr = 2 };
	struct view whole, parts;

	run_world(&whole, &plain, world, replay, NULL, NULL);
	run_world(&parts, &lived, world, replay, NULL, NULL);
	/* Reading goes on after the range, and may find more functions. */
	assert_true(whole.ledger.totals_nr && whole.ledger.totals_nr <= parts.ledger.totals_nr);
	for (size_t i = 0; i < whole.ledger.totals_nr; i++) {
		uint32_t function =
			grouping_part(whole.grouping, (uint32_t)i, BY_FUNCTION)->function;
		const struct ledger_entry *expected = &whole.ledger.totals[i];
		struct ledger_entry sum = { 0 };

		for (uint32_t key = 0; key < parts.ledger.totals_nr; key++) {
			if (grouping_part(parts.grouping, key, BY_FUNCTION)->function == function)
				ledger_entry_join(&sum, &parts.ledger.totals[key]);
		}
		assert_int_equal(sum.size, expected->size);
		assert_int_equal(sum.count, expected->count);
		assert_int_equal(sum.freed, expected->freed);
		assert_int_equal(sum.at, expected->at);
		assert_int_equal(sum.at_start, expected->at_start);
		assert_int_equal(sum.at_end, expected->at_end);
		assert_int_equal(sum.at_peak, expected->at_peak);
		assert_int_equal(sum.at_own_peak, expected->at_own_peak);
	}
	close_view(&whole);
	close_view(&parts);
}

struct regions {
	struct region *v;
	size_t nr, alloc;
};

static void add_region(void *data, const struct region *region)
{
	struct regions *regions = data;

	ARRAY_ADD(regions->v, regions->nr, regions->alloc, *region);
}

static void clear_regions(void *data)
{
	((struct regions *)data)->nr = 0;
}

static int compare_pages(const void *a, const void *b)
{
	const struct world_page *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* The pages of all regions; that the key is right too is checked here. */
static size_t make_pages(const struct regions *regions, const struct world *world,
			 const struct view *view, struct world_page *pages)
{
	size_t nr = 0;

	for (size_t i = 0; i < regions->nr; i++) {
		const struct region *region = &regions->v[i];
		struct world_page page = { .from = (size_t)(region->start_ns / STEP_NS),
					   .to = (size_t)(region->end_ns / STEP_NS),
					   .end = region->end };

		if (region->end == LIFE_HELD)
			page.to = EVENTS;
		assert_true(world_has_key(view->grouping, BY_PROCESS, &view->fixture.functions,
					  region->key, &world->owners[page.from]));
		for (int64_t at = 0; at < region->bytes; at += FIXTURE_PAGE) {
			page.address = region->address + (uint64_t)at;
			pages[nr++] = page;
		}
	}
	qsort(pages, nr, sizeof(*pages), compare_pages);
	return nr;
}

/* The pages of the model that the view has: those held in the range, or at the moment `at` (events before it). */
static size_t expected_pages(const struct world *world, const struct replay *replay,
			     const char *crate, bool at_moment, size_t at, struct world_page *pages)
{
	size_t from = model_first_event(replay, replay->from_ns), nr = 0;
	size_t to = model_first_event(replay, replay->to_ns);

	for (size_t i = 0; i < world->pages_nr; i++) {
		const struct world_page *page = &world->pages[i];
		bool held = at_moment ? page->from < at && page->to >= at
				      : page->to >= from && page->from < (to < from ? from : to);

		if (held && is_wanted(&world->owners[page->from], crate))
			pages[nr++] = *page;
	}
	qsort(pages, nr, sizeof(*pages), compare_pages);
	return nr;
}

/* The number of events before the moment of --at. */
static size_t events_before_at(const struct replay *replay)
{
	size_t from = model_first_event(replay, replay->from_ns), found;
	size_t to = model_first_event(replay, replay->to_ns);
	int64_t *held;

	to = to < from ? from : to;
	if (ledger_at_is_time(replay->at_ns))
		return model_first_event(replay, replay->at_ns + 1);
	if (replay->at_ns == LEDGER_AT_END)
		return to;
	held = model_held(replay, replay->at_ns == LEDGER_AT_PEAK ? WHOLE : TOTAL);
	found = model_peak(held, from, to);
	free(held);
	return found;
}

/* Sums of regions are the values of the ledger. */
static void check_sums(const struct regions *regions, const struct ledger *ledger, bool at_moment)
{
	int64_t all = 0, size = 0, freed = 0, aifi = 0, count = 0;

	for (size_t i = 0; i < regions->nr; i++) {
		const struct region *region = &regions->v[i];

		all += region->bytes;
		size += region->life.inside ? region->bytes : 0;
		freed += region->ended_inside ? region->bytes : 0;
		aifi += region->life.inside && region->ended_inside ? region->bytes : 0;
		count += region->life.inside ? region->life.count : 0;
	}
	if (at_moment) {
		assert_int_equal(all, ledger->total.at);
		return;
	}
	assert_int_equal(size, ledger->total.size);
	assert_int_equal(count, ledger->total.count);
	assert_int_equal(freed, ledger->total.freed);
	assert_int_equal(aifi, ledger->total.aifi);
	assert_int_equal(all, ledger->total.size + ledger->total.at_start);
}

static void check_regions(struct world *world, struct replay *replay, const char *crate,
			  bool at_moment)
{
	static struct world_page expected[ARRAY_SIZE(((struct world *)0)->pages)];
	static struct world_page found[ARRAY_SIZE(expected)];
	const struct grouping_spec spec = { .by = { BY_PROCESS, BY_FUNCTION }, .nr = 2 };
	struct regions regions = { NULL, 0, 0 };
	const struct region_sink sink = { at_moment, add_region, clear_regions, &regions };
	struct view view;
	size_t nr;

	run_world(&view, &spec, world, replay, crate, &sink);
	replay->rest = NO_KEY;
	replay->blocks_nr = world->lives_nr;
	for (size_t i = 0; i < world->lives_nr; i++)
		replay->blocks[i] = (struct block){
			.key = is_wanted(&world->owners[world->lives[i].from], crate) ? 0
										      : GROUP_NONE,
			.bytes = world->lives[i].pages * FIXTURE_PAGE,
			.weight = 1,
			.from = world->lives[i].from,
			.to = world->lives[i].to,
		};
	check_entry(replay, &view.ledger.total, TOTAL);
	nr = expected_pages(world, replay, crate, at_moment, events_before_at(replay), expected);
	assert_int_equal(make_pages(&regions, world, &view, found), nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(compare_pages(&found[i], &expected[i]), 0);
	check_sums(&regions, &view.ledger, at_moment);
	free(regions.v);
	close_view(&view);
}

static void with_worlds(int rounds, uint64_t seed,
			void (*check)(struct world *world, struct replay *replay))
{
	struct world *world = xcalloc(1, sizeof(*world));
	struct replay replay = { .events = EVENTS };

	replay.blocks = xcalloc(ARRAY_SIZE(world->lives), sizeof(*replay.blocks));
	replay.times = xcalloc(EVENTS, sizeof(*replay.times));
	for (size_t i = 0; i < EVENTS; i++)
		replay.times[i] = (int64_t)i * STEP_NS;
	for (int round = 0; round < rounds; round++) {
		make_world(world, &seed);
		world_settings(&replay, &seed);
		check(world, &replay);
	}
	free(replay.blocks);
	free(replay.times);
	free(world);
}

static void check_all_lifetimes(struct world *world, struct replay *replay)
{
	static const enum group_by kinds[] = { BY_LIFETIME, BY_PROCESS, BY_CRATE, BY_FUNCTION };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		check_lifetimes(world, replay, kinds[i], NULL);
		check_lifetimes(world, replay, kinds[i], "alloc");
	}
}

static void memory_account__by_function_and_lifetime__totals_add_up(void **state)
{
	(void)state;
	with_worlds(40, 79, check_totals);
}

static void check_all_regions(struct world *world, struct replay *replay)
{
	check_regions(world, replay, NULL, false);
	check_regions(world, replay, NULL, true);
	check_regions(world, replay, "alloc", false);
	check_regions(world, replay, "alloc", true);
}

static void memory_account__by_lifetime__is_as_page_by_page(void **state)
{
	(void)state;
	with_worlds(20, 77, check_all_lifetimes);
}

static void memory_account__regions__are_as_page_by_page(void **state)
{
	(void)state;
	with_worlds(60, 78, check_all_regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(region_lifetime__borders__are_in_the_next_class),
		cmocka_unit_test(memory_account__by_lifetime__is_as_page_by_page),
		cmocka_unit_test(memory_account__by_function_and_lifetime__totals_add_up),
		cmocka_unit_test(memory_account__regions__are_as_page_by_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
