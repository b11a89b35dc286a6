#include "convert/etl_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/page_map.h"
#include "page_model.h"
#include "util/array.h"
#include "util/strbuf.h"

static struct trace_memory event_of(enum memory_op op, uint64_t address, uint64_t length)
{
	return (struct trace_memory){ .op = op, .address = address, .length = length };
}

static void add_calls(struct strbuf *text, const struct etl_memory_calls *calls)
{
	static const char *const names[] = {
		[ETL_MEMORY_FREE] = "free",
		[ETL_MEMORY_COMMIT] = "commit",
		[ETL_MEMORY_RESERVE] = "reserve",
	};

	for (size_t i = 0; i < calls->nr; i++)
		strbuf_addf(text, "%s %llx-%llx\n", names[calls->v[i].what],
			    (unsigned long long)calls->v[i].start,
			    (unsigned long long)calls->v[i].end);
}

static void expect(const struct trace_memory *events, size_t nr, const char *expected)
{
	struct etl_memory *memory = etl_memory_new();
	struct etl_memory_calls calls = { NULL, 0, 0 };
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		etl_memory_apply(memory, &events[i], &calls);
		add_calls(&text, &calls);
	}
	assert_string_equal(text.buf, expected);
	etl_memory_free(memory);
	free(calls.v);
	strbuf_release(&text);
}

static void etl_memory__an_arena__commits_what_was_reserved(void **state)
{
	const struct trace_memory events[] = {
		event_of(MEMORY_RESERVE, 0x10000, 0x10000),
		event_of(MEMORY_COMMIT_RESERVED, 0x10000, 0x2000),
		event_of(MEMORY_COMMIT_RESERVED, 0x14000, 0x1000),
		/* committed pages between two parts: one call; nothing behind the reservation */
		event_of(MEMORY_COMMIT_RESERVED, 0x12000, 0x20000),
		event_of(MEMORY_COMMIT_RESERVED, 0x12000, 0x20000),
		event_of(MEMORY_PURGE, 0x12000, 0x2000),
		event_of(MEMORY_RELEASE, 0, 0x100000),
		event_of(MEMORY_RELEASE, 0, 0x100000),
	};

	(void)state;
	expect(events, ARRAY_SIZE(events),
	       "reserve 10000-20000\n"
	       "commit 10000-12000\n"
	       "commit 14000-15000\n"
	       "commit 12000-20000\n"
	       "free 10000-20000\n");
}

static void etl_memory__a_file_over_it__frees(void **state)
{
	const struct trace_memory events[] = {
		event_of(MEMORY_COMMIT, 0x10000, 0x4000),
		event_of(MEMORY_UNCOUNTED, 0x11000, 0x1000),
		event_of(MEMORY_COMMIT, 0x10000, 0x4000),
		event_of(MEMORY_UNCOUNTED, 0x20000, 0x1000),
	};

	(void)state;
	expect(events, ARRAY_SIZE(events),
	       "commit 10000-14000\n"
	       "free 11000-12000\n"
	       "free 10000-11000\n"
	       "free 12000-14000\n"
	       "commit 10000-14000\n");
}

static void etl_memory__moved_pages__keep_their_address_in_the_file(void **state)
{
	struct trace_memory grow = event_of(MEMORY_MOVE, 0x10000, 0x2000);
	struct trace_memory away = event_of(MEMORY_MOVE, 0x10000, 0x4000);
	struct trace_memory events[7];

	(void)state;
	grow.to = 0x10000;
	grow.to_length = 0x4000;
	away.to = 0x50000;
	away.to_length = 0x5000;
	events[0] = event_of(MEMORY_COMMIT, 0x10000, 0x2000);
	events[1] = grow;
	events[2] = away;
	events[3] = event_of(MEMORY_COMMIT, 0x10000, 0x1000);
	events[4] = event_of(MEMORY_RELEASE, 0x10000, 0x1000);
	events[5] = event_of(MEMORY_RELEASE, 0x51000, 0x1000);
	events[6] = event_of(MEMORY_RELEASE, 0x50000, 0x5000);
	expect(events, ARRAY_SIZE(events),
	       "commit 10000-12000\n"
	       "commit 12000-14000\n"
	       "commit 54000-55000\n"
	       "commit 100000000000000-100000000001000\n"
	       "free 100000000000000-100000000001000\n"
	       "free 11000-12000\n"
	       "free 10000-11000\n"
	       "free 12000-14000\n"
	       "free 54000-55000\n");
}

static void etl_memory__a_fork__has_calls_for_its_own_pages_only(void **state)
{
	struct etl_memory *parent = etl_memory_new(), *child;
	struct trace_memory event = event_of(MEMORY_COMMIT, 0x10000, 0x3000);
	struct etl_memory_calls calls = { NULL, 0, 0 };
	struct strbuf text = STRBUF_INIT;

	(void)state;
	etl_memory_apply(parent, &event, &calls);
	child = etl_memory_copy(parent);
	assert_int_equal(etl_memory_copied(child), 1);
	event = event_of(MEMORY_COMMIT, 0x11000, 0x1000);
	etl_memory_apply(child, &event, &calls);
	add_calls(&text, &calls);
	event = event_of(MEMORY_RELEASE, 0x10000, 0x1000);
	etl_memory_apply(child, &event, &calls);
	add_calls(&text, &calls);
	etl_memory_clear(child, &calls);
	add_calls(&text, &calls);
	assert_int_equal(etl_memory_copied(child), 0);
	assert_int_equal(etl_memory_ranges(child), 0);
	etl_memory_clear(parent, &calls);
	add_calls(&text, &calls);
	assert_string_equal(text.buf, "commit 11000-12000\n"
				      "free 11000-12000\n"
				      "free 10000-13000\n");
	etl_memory_free(parent);
	etl_memory_free(child);
	free(calls.v);
	strbuf_release(&text);
}

#define CALLS 4000

/* On whose account bytes came and went, by the number of the call that committed them. */
struct sums {
	int64_t committed[CALLS], released[CALLS];
};

static void sum(void *data, const struct page_account *account, uint64_t start, int64_t bytes)
{
	struct sums *sums = data;

	(void)start;
	if (bytes > 0)
		sums->committed[account->key] += bytes;
	else
		sums->released[account->key] -= bytes;
}

/* What a reader of the calls makes of them. */
static void play_calls(struct page_map *map, const struct etl_memory_calls *calls,
		       const struct page_account *account, struct sums *sums)
{
	for (size_t i = 0; i < calls->nr; i++) {
		const struct etl_memory_call *call = &calls->v[i];
		int64_t before = page_map_committed_in(map, 0, PAGE_MAP_END);

		if (call->what == ETL_MEMORY_FREE) {
			page_map_release(map, call->start, call->end - call->start, sum, sums);
			assert_int_equal(before - page_map_committed_in(map, 0, PAGE_MAP_END),
					 call->end - call->start);
		} else if (call->what == ETL_MEMORY_COMMIT) {
			page_map_commit_uncommitted(map, call->start, call->end - call->start,
						    account, sum, sums);
			assert_int_not_equal(before, page_map_committed_in(map, 0, PAGE_MAP_END));
		} else {
			page_map_reserve(map, call->start, call->end - call->start, sum, sums);
			assert_int_equal(before, page_map_committed_in(map, 0, PAGE_MAP_END));
		}
	}
}

static struct trace_memory event_of_call(const struct model_call *call)
{
	struct trace_memory event = event_of(model_memory_op(call->op), call->start * MODEL_PAGE,
					     call->length * MODEL_PAGE);

	event.to = call->to * MODEL_PAGE;
	event.to_length = call->to_length * MODEL_PAGE;
	event.keep = call->keep;
	return event;
}

static void etl_memory__random_calls__have_the_same_sums_on_each_account(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct page_map *right = page_map_new(), *converted = page_map_new();
		struct sums *right_sums = xcalloc(2, sizeof(*right_sums));
		struct sums *converted_sums = right_sums + 1;
		struct etl_memory *memory = etl_memory_new();
		struct etl_memory_calls calls = { NULL, 0, 0 };
		uint64_t random = seed;

		for (uint32_t i = 0; i < CALLS; i++) {
			struct model_call call = model_random_call(&random, seed % 2 ? 12 : 100);
			struct trace_memory event;

			/* Linux keeps nothing where it moves to the same place. */
			call.keep = call.keep && (call.start + call.length <= call.to ||
						  call.to + call.to_length <= call.start);
			event = event_of_call(&call);
			call.account = (struct page_account){ .key = i };
			model_call_map(right, &call, sum, right_sums);
			etl_memory_apply(memory, &event, &calls);
			play_calls(converted, &calls, &call.account, converted_sums);
			assert_int_equal(page_map_committed_in(converted, 0, PAGE_MAP_END),
					 page_map_committed_in(right, 0, PAGE_MAP_END));
			assert_int_equal(converted_sums->committed[i], right_sums->committed[i]);
		}
		assert_memory_equal(converted_sums, right_sums, sizeof(*converted_sums));
		etl_memory_clear(memory, &calls);
		play_calls(converted, &calls, NULL, converted_sums);
		assert_int_equal(page_map_committed_in(converted, 0, PAGE_MAP_END), 0);
		etl_memory_free(memory);
		page_map_free(right);
		page_map_free(converted);
		free(right_sums);
		free(calls.v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_memory__an_arena__commits_what_was_reserved),
		cmocka_unit_test(etl_memory__a_file_over_it__frees),
		cmocka_unit_test(etl_memory__moved_pages__keep_their_address_in_the_file),
		cmocka_unit_test(etl_memory__a_fork__has_calls_for_its_own_pages_only),
		cmocka_unit_test(etl_memory__random_calls__have_the_same_sums_on_each_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
