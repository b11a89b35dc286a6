#include "trace/etl/etl_heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "etl_trace_fixture.h"

/* A number for a pointer of `size` bytes. */
static void put_pointer(struct strbuf *sb, unsigned size, uint64_t value)
{
	if (size == 8)
		put64(sb, value);
	else
		put32(sb, (uint32_t)value);
}

static const struct {
	uint8_t opcode;
	size_t pointers;
	bool source;
	bool acts;
	enum heap_op op;
	uint64_t address, size;
	uint64_t fields[5];
} cases[] = {
	{ 32, 1, true, true, HEAP_CREATE, 0, 0, { 0x1a0000 } },
	{ 33, 3, true, true, HEAP_ALLOC, 0x5000, 24, { 0x1a0000, 24, 0x5000 } },
	{ 33, 3, true, false, HEAP_ALLOC, 0, 24, { 0x1a0000, 24, 0 } }, /* it failed */
	{ 34, 5, true, true, HEAP_RESIZE, 0x5000, 48, { 0x1a0000, 0x5000, 0x5000, 48, 24 } },
	{ 34, 5, true, false, HEAP_RESIZE, 0x6000, 48, { 0x1a0000, 0x6000, 0x5000, 48, 24 } },
	{ 35, 1, false, true, HEAP_DESTROY, 0, 0, { 0x1a0000 } },
	{ 36, 2, true, true, HEAP_FREE, 0x5000, 0, { 0x1a0000, 0x5000 } },
	{ 36, 2, true, false, HEAP_FREE, 0, 0, { 0x1a0000, 0 } },
};

static struct etl_record record_of_case(size_t number, unsigned pointer, struct strbuf *payload)
{
	struct etl_record record;

	for (size_t i = 0; i < cases[number].pointers; i++)
		put_pointer(payload, pointer, cases[number].fields[i]);
	if (cases[number].source)
		put32(payload, 3);
	record = record_of(ETL_HEAP, cases[number].opcode, 2, payload);
	record.pointer = (uint8_t)pointer;
	return record;
}

static void etl_decode_heap__each_call__of_both_pointer_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const unsigned pointer = i % 2 ? 4 : 8;
		struct strbuf payload = STRBUF_INIT;
		struct etl_record record = record_of_case(i / 2, pointer, &payload);
		struct etl_heap_call call;
		enum heap_op op;

		assert_true(etl_decode_heap(&record, &call));
		assert_int_equal(etl_heap_op(&call, &op), cases[i / 2].acts);
		assert_int_equal(op, cases[i / 2].op);
		assert_int_equal(call.heap, 0x1a0000);
		assert_int_equal(call.address, cases[i / 2].address);
		assert_int_equal(call.size, cases[i / 2].size);
		record.payload_nr--;
		assert_false(etl_decode_heap(&record, &call));
		strbuf_release(&payload);
	}
}

/* As views of blocks count: no call that failed, and of a block that moved its allocation and its free alone. */
static void etl_heaps__each_call__counts_if_it_changes_blocks(void **state)
{
	struct etl_heaps *heaps = etl_heaps_new();
	struct trace_facts facts;

	(void)state;
	trace_facts_init(&facts);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf payload = STRBUF_INIT;
		struct etl_record record = record_of_case(i, 8, &payload);

		record.pid = 7;
		assert_true(etl_heaps_add(heaps, &record));
		strbuf_release(&payload);
	}
	etl_heaps_report(heaps, &facts);
	assert_int_equal(facts.heaps_nr, 1);
	assert_int_equal(facts.heaps[0].pid, 7);
	assert_int_equal(facts.heaps[0].allocs, 1);
	assert_int_equal(facts.heaps[0].allocated_bytes, 24);
	assert_int_equal(facts.heaps[0].reallocs, 1);
	assert_int_equal(facts.heaps[0].grown_bytes, 24);
	assert_int_equal(facts.heaps[0].frees, 1);
	trace_facts_release(&facts);
	etl_heaps_free(heaps);
}

static void etl_decode_heap__a_size_that_no_block_has__is_damaged(void **state)
{
	struct strbuf payload = STRBUF_INIT;
	struct etl_record record;
	struct etl_heap_call call;

	(void)state;
	put64(&payload, 1);
	put64(&payload, (UINT64_C(1) << 47) + 1);
	put64(&payload, 3);
	put32(&payload, 3);
	record = record_of(ETL_HEAP, 33, 2, &payload);
	assert_false(etl_decode_heap(&record, &call));
	strbuf_release(&payload);
}

/* An event with a SYSTEM header, of process 7 and thread 8. */
static void add_system(struct making *making, uint64_t time, unsigned group, unsigned opcode,
		       struct strbuf *payload)
{
	size_t begin = making->bytes.len;

	add_number(making, 0xc0020002, 4);
	add_number(making, 0, 2);
	add_number(making, opcode, 1);
	add_number(making, group, 1);
	add_number(making, 8, 4);
	add_number(making, 7, 4);
	add_number(making, time, 8);
	add_number(making, 0, 8);
	end_event(making, begin, 4, payload);
}

static void add_alloc(struct making *making, uint64_t time, uint64_t size, struct strbuf *payload)
{
	put64(payload, 0x1a0000);
	put64(payload, size);
	put64(payload, 0x5000);
	put32(payload, 3);
	add_system(making, time, GROUP_HEAP, 33, payload);
}

static void make_trace(struct making *making)
{
	static const uint64_t frames[] = { 0x7ff000001000, 0x7ff000002000 };
	struct strbuf payload = STRBUF_INIT;

	making_init(making);
	add_first_buffer(making);
	begin_buffer(making, 0, 1, 0);
	put64(&payload, 0x1a0000);
	put64(&payload, 0);
	add_system(making, 2000, GROUP_HEAP, 35, &payload);
	add_alloc(making, 2001, 24, &payload);
	put_stack(&payload, 2001, 7, 8, frames, 2);
	add_kernel(making, 2001, GROUP_STACK, 32, 2, &payload);
	add_alloc(making, 2002, 48, &payload);
	put64(&payload, 1); /* a lock */
	add_system(making, 2003, GROUP_HEAP, 43, &payload);
	put32(&payload, 1); /* lacks fields */
	add_system(making, 2004, GROUP_HEAP, 36, &payload);
	end_buffer(making, ETL_SIZE);
	strbuf_release(&payload);
}

static void etl_reader__heap_calls__come_with_stacks(void **state)
{
	static const struct trace_options options[] = {
		{ .base_ns = TRACE_BASE_FIRST, .heap = true, .threads = 1 },
		{ .base_ns = TRACE_BASE_FIRST, .heap = true, .threads = 2 },
		{ .base_ns = TRACE_BASE_FIRST, .heap = true, .no_stacks = true, .threads = 1 },
		{ .base_ns = TRACE_BASE_FIRST, .cpu = true, .memory = true, .threads = 1 },
	};
	static const char *const expected[] = {
		"100000 7/8@0 heap 1a0000 destroy 0+0 weight 0\n"
		"100100 7/8@0 heap 1a0000 alloc 5000+18 weight 1 u:7ff000001000 7ff000002000\n"
		"100200 7/8@0 heap 1a0000 alloc 5000+30 weight 0\n",
		NULL,
		"100000 7/8@0 heap 1a0000 destroy 0+0 weight 0\n"
		"100100 7/8@0 heap 1a0000 alloc 5000+18 weight 0\n"
		"100200 7/8@0 heap 1a0000 alloc 5000+30 weight 0\n",
		"",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct making making;
		struct reading reading;
		struct etl_file *file;

		make_trace(&making);
		file = open_making(&making);
		read_files(&reading, &file, 1, &options[i]);
		assert_int_equal(reading.rc, 0);
		assert_string_equal(reading.text.buf, expected[i] ? expected[i] : expected[0]);
		assert_null(reading.facts.heap_refusal);
		assert_int_equal(reading.facts.counters.damaged, 1);
		assert_int_equal(reading.facts.heaps_nr, 1);
		assert_int_equal(reading.facts.heaps[0].allocated_bytes, 72);
		assert_non_null(strstr(reading.facts.memory_refusal, "--of heap"));
		reading_release(&reading);
		strbuf_release(&making.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_decode_heap__each_call__of_both_pointer_sizes),
		cmocka_unit_test(etl_heaps__each_call__counts_if_it_changes_blocks),
		cmocka_unit_test(etl_decode_heap__a_size_that_no_block_has__is_damaged),
		cmocka_unit_test(etl_reader__heap_calls__come_with_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
