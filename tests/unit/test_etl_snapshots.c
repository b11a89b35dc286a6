#include "trace/etl/etl_snapshots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "etl_record_fixture.h"
#include "trace/etl/etl_kernel.h"
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

/* The processes are those of `spans`, which are made here. */
static void expect(struct etl_snapshots *snapshots, struct etl_spans *spans,
		   const struct trace_snapshot *expected, size_t nr)
{
	struct etl_clock_base base = { 10000000, 0 };
	struct trace_facts facts;

	trace_facts_init(&facts);
	etl_spans_make(spans);
	etl_snapshots_make(snapshots, spans);
	etl_snapshots_report(snapshots, &facts);
	etl_snapshots_set_times(snapshots, &base, &facts);
	assert_int_equal(facts.snapshots_nr, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(facts.snapshots[i].pid, expected[i].pid);
		assert_int_equal(facts.snapshots[i].instance, expected[i].instance);
		assert_int_equal(facts.snapshots[i].time_ns, expected[i].time_ns);
		assert_int_equal(facts.snapshots[i].bytes, expected[i].bytes);
		assert_int_equal(facts.snapshots[i].parts, expected[i].parts);
		assert_int_equal(facts.snapshots[i].whole, expected[i].whole);
	}
	trace_facts_release(&facts);
	etl_snapshots_free(snapshots);
	etl_spans_release(spans);
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
	struct etl_spans spans = { .nr = 0 };

	(void)state;
	assert_true(add(snapshots, 30, 7, 100, 1, 0, 10, 10));
	assert_true(add(snapshots, 40, 7, 100, 2, 0, 10, 10));
	assert_true(add(snapshots, 41, 7, 200, 2, 20, 0, 0));
	assert_true(add(snapshots, 22, 8, 200, 1, 30, 0, 0));
	assert_true(add(snapshots, 21, 8, 100, 1, 1, 10, 10));
	assert_true(add(snapshots, 20, 8, 100, 1, 0, 20, 20));
	assert_true(add(snapshots, 50, 7, 200, 3, 0, 0, 0));
	assert_true(add(snapshots, 60, 7, 101, 9, 0, 0, 0));   /* of another id */
	assert_false(add(snapshots, 61, 7, 100, 9, 0, 10, 9)); /* truncated */
	expect(snapshots, &spans, expected, ARRAY_SIZE(expected));
}

static void see(struct etl_spans *spans, uint32_t pid, uint64_t time, uint8_t what)
{
	etl_spans_add(spans, &(struct etl_sighting){ .id = pid,
						     .time = time,
						     .item = (uint32_t)spans->sightings_nr,
						     .what = what });
}

/* Windows reuses pids soon, and each process numbers its snapshots from 1. The file is in no order of time. */
static void etl_snapshots__a_pid_of_two_processes__has_the_snapshots_of_each(void **state)
{
	static const struct trace_snapshot expected[] = {
		{ 7, 1, 2000, 30, 2, true },
		{ 7, 2, 2600, 5, 1, true }, /* its end was written when the process had ended */
		{ 7, 1, 4000, 40, 1, true },
		{ 9, 1, 4100, 20, 2, true }, /* of one process, whose lifetime is unknown */
		{ 7, 1, 6000, 10, 1, false },
	};
	struct etl_snapshots *snapshots = etl_snapshots_new();
	struct etl_spans spans = { .nr = 0 };

	(void)state;
	see(&spans, 7, 27, ETL_OPCODE_END);
	see(&spans, 7, 35, ETL_OPCODE_START);
	see(&spans, 7, 45, ETL_OPCODE_END);
	see(&spans, 7, 55, ETL_OPCODE_START);
	see(&spans, 8, 1, ETL_OPCODE_START);
	assert_true(add(snapshots, 40, 7, 100, 1, 0, 40, 40));
	assert_true(add(snapshots, 60, 7, 100, 1, 0, 10, 10));
	assert_true(add(snapshots, 21, 7, 100, 1, 1, 10, 10));
	assert_true(add(snapshots, 41, 9, 100, 1, 0, 10, 10));
	assert_true(add(snapshots, 42, 7, 200, 1, 40, 0, 0));
	assert_true(add(snapshots, 22, 7, 200, 1, 30, 0, 0));
	assert_true(add(snapshots, 20, 7, 100, 1, 0, 20, 20));
	assert_true(add(snapshots, 90, 9, 100, 1, 1, 10, 10));
	assert_true(add(snapshots, 91, 9, 200, 1, 20, 0, 0));
	assert_true(add(snapshots, 26, 7, 100, 2, 0, 5, 5));
	assert_true(add(snapshots, 28, 7, 200, 2, 5, 0, 0));
	expect(snapshots, &spans, expected, ARRAY_SIZE(expected));
}

static void etl_snapshots__too_many__are_left_out(void **state)
{
	struct etl_snapshots *snapshots = etl_snapshots_new();
	const struct etl_spans none = { .nr = 0 };
	struct trace_facts facts;

	(void)state;
	trace_facts_init(&facts);
	for (uint32_t i = 0; i < 70000; i++)
		assert_true(add(snapshots, i, i, 200, 1, 0, 0, 0));
	etl_snapshots_make(snapshots, &none);
	etl_snapshots_report(snapshots, &facts);
	assert_int_equal(facts.snapshots_nr, 65536);
	trace_facts_release(&facts);
	etl_snapshots_free(snapshots);
}

static void etl_snapshots__too_many_parts__are_damage(void **state)
{
	struct etl_snapshots *snapshots = etl_snapshots_new();
	struct strbuf payload = STRBUF_INIT;
	struct etl_record record;

	(void)state;
	put32(&payload, 1);
	put32(&payload, 0);
	put32(&payload, 0);
	record = record_of(ETL_HEAP_SNAPSHOT, 0, 1, &payload);
	record.kind = ETL_EVENT;
	record.id = 100;
	for (size_t i = 0; i < (size_t)1 << 21; i++)
		assert_true(etl_snapshots_add(snapshots, &record));
	assert_false(etl_snapshots_add(snapshots, &record));
	etl_snapshots_free(snapshots);
	strbuf_release(&payload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_snapshots__parts__are_put_together),
		cmocka_unit_test(etl_snapshots__a_pid_of_two_processes__has_the_snapshots_of_each),
		cmocka_unit_test(etl_snapshots__too_many__are_left_out),
		cmocka_unit_test(etl_snapshots__too_many_parts__are_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
