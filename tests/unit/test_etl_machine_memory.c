#include "trace/etl/etl_machine_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "etl_record_fixture.h"
#include "util/array.h"

/* A measurement as the kernel lays it out. */
struct counts {
	uint64_t zero, free, standby, commit;
	unsigned priorities;
	bool has_commit;
};

static void put_pages(struct strbuf *payload, unsigned pointer, uint64_t pages)
{
	if (pointer == 4)
		put32(payload, (uint32_t)pages);
	else
		put64(payload, pages);
}

static void put_counts(struct strbuf *payload, unsigned pointer, const struct counts *counts)
{
	put_pages(payload, pointer, counts->zero);
	put_pages(payload, pointer, counts->free);
	for (unsigned i = 0; i < 3; i++)
		put_pages(payload, pointer, 1000); /* modified, not to be written, bad */
	for (unsigned i = 0; i < counts->priorities; i++)
		put_pages(payload, pointer, counts->standby);
	for (unsigned i = 0; i < counts->priorities; i++)
		put_pages(payload, pointer, 3000); /* repurposed */
	put_pages(payload, pointer, 4000);
	if (!counts->has_commit)
		return;
	for (unsigned i = 0; i < 3; i++)
		put_pages(payload, pointer, 5000); /* pools, locked */
	put_pages(payload, pointer, counts->commit);
}

/* `cut`: bytes that are missing at the end. */
static bool add_kernel(struct etl_machine_memory *memory, uint64_t time, unsigned pointer,
		       const struct counts *counts, size_t cut)
{
	struct strbuf payload = STRBUF_INIT;
	struct etl_record record;
	bool added;

	put_counts(&payload, pointer, counts);
	record = record_of(ETL_PAGE_FAULT, ETL_MEMORY_INFO, 2, &payload);
	record.payload_nr -= (uint32_t)cut;
	record.kind = ETL_PERFINFO;
	record.pointer = (uint8_t)pointer;
	record.time = time;
	added = etl_machine_memory_add(memory, &record);
	strbuf_release(&payload);
	return added;
}

static bool add_event(struct etl_machine_memory *memory, uint64_t time, unsigned id,
		      const struct counts *counts, size_t cut)
{
	struct strbuf payload = STRBUF_INIT;
	struct etl_record record;
	bool added;

	put8(&payload, counts->priorities);
	put_counts(&payload, 8, counts);
	record = record_of(ETL_KERNEL_MEMORY, 0, 1, &payload);
	record.payload_nr -= (uint32_t)cut;
	record.kind = ETL_EVENT;
	record.id = (uint16_t)id;
	record.time = time;
	added = etl_machine_memory_add(memory, &record);
	strbuf_release(&payload);
	return added;
}

static void expect(struct etl_machine_memory *memory, uint32_t page_size,
		   const struct trace_machine_memory *expected, size_t nr)
{
	const struct etl_clock_base base = { 10000000, 0 };
	struct trace_facts facts;

	trace_facts_init(&facts);
	etl_machine_memory_make(memory);
	etl_machine_memory_report(memory, page_size, &facts);
	etl_machine_memory_set_times(memory, &base, &facts);
	assert_int_equal(facts.machine_memory_nr, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(facts.machine_memory[i].time_ns, expected[i].time_ns);
		assert_int_equal(facts.machine_memory[i].commit_bytes, expected[i].commit_bytes);
		assert_int_equal(facts.machine_memory[i].available_bytes,
				 expected[i].available_bytes);
	}
	trace_facts_release(&facts);
}

static void etl_machine_memory__events_of_all_forms__are_measurements_by_time(void **state)
{
	static const struct counts full = { 1, 2, 10, 7, 8, true }, old = { 3, 4, 1, 0, 8, false };
	static const struct counts two = { 5, 6, 100, 9, 2, true };
	static const struct trace_machine_memory expected[] = {
		{ 1000, 7 * 4096, 83 * 4096 },
		{ 2000, -1, 15 * 4096 },
		{ 3000, 7 * 4096, 83 * 4096 },
		{ 4000, 9 * 4096, 211 * 4096 },
	};
	struct etl_machine_memory *memory = etl_machine_memory_new();

	(void)state;
	assert_true(add_kernel(memory, 30, 4, &full, 0));
	assert_true(add_kernel(memory, 20, 8, &old, 0));
	assert_true(add_kernel(memory, 10, 8, &full, 0));
	assert_true(add_event(memory, 40, 1, &two, 0));
	assert_true(add_event(memory, 50, 2, &two, 40)); /* of another id */
	expect(memory, 0, expected, ARRAY_SIZE(expected));
	etl_machine_memory_free(memory);
}

static void etl_machine_memory__what_lacks_fields__is_damage(void **state)
{
	static const struct counts full = { 1, 2, 10, 7, 8, true }, old = { 3, 4, 1, 0, 8, false };
	static const struct counts nine = { 1, 2, 10, 7, 9, true };
	static const struct counts huge = { 1, UINT64_C(1) << 40, 10, 7, 8, true };
	static const struct trace_machine_memory expected[] = { { 6000, -1, 83 * 16384 } };
	struct etl_machine_memory *memory = etl_machine_memory_new();
	struct etl_record empty = { .provider = ETL_KERNEL_MEMORY,
				    .kind = ETL_EVENT,
				    .id = 1,
				    .version = 1,
				    .pointer = 8,
				    .payload = (const unsigned char *)"" };

	(void)state;
	assert_false(add_kernel(memory, 10, 8, &old, 1));
	assert_false(add_kernel(memory, 20, 4, &old, 4));
	assert_false(add_kernel(memory, 30, 8, &huge, 0));
	assert_false(add_event(memory, 40, 1, &old, 8));
	assert_false(add_event(memory, 50, 1, &nine, 0));
	assert_false(etl_machine_memory_add(memory, &empty));
	/* The commit charge is the last one: without it the others are a version that ends before. */
	assert_true(add_kernel(memory, 60, 8, &full, 8));
	expect(memory, 16384, expected, ARRAY_SIZE(expected));
	etl_machine_memory_free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_machine_memory__events_of_all_forms__are_measurements_by_time),
		cmocka_unit_test(etl_machine_memory__what_lacks_fields__is_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
