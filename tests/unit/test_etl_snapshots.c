#include "trace/etl/etl_snapshots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "etl_record_fixture.h"
#include "util/array.h"

static bool add(struct etl_snapshots *snapshots, uint64_t time, uint32_t pid, unsigned id,
		uint32_t instance, uint32_t second, uint32_t length, uint32_t written)
{
	struct strbuf payload = STRBUF_INIT;
	struct etl_record record;
	bool added;

	put32(&payload, instance);
	put32(&payload, second);
	if (id == 100)
		put32(&payload, length);
	strbuf_pad(&payload, 'x', payload.len + written);
	record = record_of(ETL_HEAP_SNAPSHOT, 0, 1, &payload);
	record.kind = ETL_EVENT;
	record.id = (uint16_t)id;
	record.time = time;
	record.pid = pid;
	added = etl_snapshots_add(snapshots, &record);
	strbuf_release(&payload);
	return added;
}

static void etl_snapshots__parts__are_put_together(void **state)
{
	static const struct trace_snapshot expected[] = {
		{ 8, 1, 2000, 30, 2, true },  /* its parts in any order */
		{ 7, 1, 3000, 10, 1, false }, /* the end is missing */
		{ 7, 2, 4000, 10, 1, false }, /* a part is missing */
		{ 7, 3, 5000, 0, 0, true },   /* of nothing */
	};
	struct etl_snapshots *snapshots = etl_snapshots_new();
	struct etl_clock_base base = { 10000000, 0 };
	struct trace_facts facts;

	(void)state;
	trace_facts_init(&facts);
	assert_true(add(snapshots, 30, 7, 100, 1, 0, 10, 10));
	assert_true(add(snapshots, 40, 7, 100, 2, 0, 10, 10));
	assert_true(add(snapshots, 41, 7, 200, 2, 20, 0, 0));
	assert_true(add(snapshots, 22, 8, 200, 1, 30, 0, 0));
	assert_true(add(snapshots, 21, 8, 100, 1, 1, 10, 10));
	assert_true(add(snapshots, 20, 8, 100, 1, 0, 20, 20));
	assert_true(add(snapshots, 50, 7, 200, 3, 0, 0, 0));
	assert_true(add(snapshots, 60, 7, 101, 9, 0, 0, 0));   /* of another id */
	assert_false(add(snapshots, 61, 7, 100, 9, 0, 10, 9)); /* truncated */
	etl_snapshots_make(snapshots);
	etl_snapshots_report(snapshots, &facts);
	etl_snapshots_set_times(snapshots, &base, &facts);
	assert_int_equal(facts.snapshots_nr, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(facts.snapshots[i].pid, expected[i].pid);
		assert_int_equal(facts.snapshots[i].instance, expected[i].instance);
		assert_int_equal(facts.snapshots[i].time_ns, expected[i].time_ns);
		assert_int_equal(facts.snapshots[i].bytes, expected[i].bytes);
		assert_int_equal(facts.snapshots[i].parts, expected[i].parts);
		assert_int_equal(facts.snapshots[i].whole, expected[i].whole);
	}
	trace_facts_release(&facts);
	etl_snapshots_free(snapshots);
}

static void etl_snapshots__too_many__are_left_out(void **state)
{
	struct etl_snapshots *snapshots = etl_snapshots_new();
	struct trace_facts facts;

	(void)state;
	trace_facts_init(&facts);
	for (uint32_t i = 0; i < 70000; i++)
		assert_true(add(snapshots, i, i, 200, 1, 0, 0, 0));
	etl_snapshots_make(snapshots);
	etl_snapshots_report(snapshots, &facts);
	assert_int_equal(facts.snapshots_nr, 65536);
	trace_facts_release(&facts);
	etl_snapshots_free(snapshots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_snapshots__parts__are_put_together),
		cmocka_unit_test(etl_snapshots__too_many__are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
