#include "trace/etl/etl_counts.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const unsigned char guid[16] = { 0xd6, 0x2c, 0xfb, 0x22, 0x7b, 0x0e, 0x2b, 0x42,
					0xa0, 0xc7, 0x2f, 0xad, 0x1f, 0xd0, 0xe7, 0x16 };

static void add(struct etl_counts *counts, enum etl_provider provider, enum etl_header_kind kind,
		uint8_t opcode, uint16_t id)
{
	struct etl_record record = {
		.provider = (uint8_t)provider, .kind = (uint8_t)kind, .opcode = opcode, .id = id
	};

	if (provider == ETL_OTHER && kind != ETL_SYSTEM)
		record.guid = guid;
	record.group = provider == ETL_OTHER ? (uint8_t)id : 0;
	etl_counts_add(counts, &record);
}

static void etl_counts__events__are_counted_by_name(void **state)
{
	struct etl_counts *counts = etl_counts_new();
	struct strbuf text = STRBUF_INIT;
	struct trace_facts facts;

	(void)state;
	trace_facts_init(&facts);
	add(counts, ETL_OTHER, ETL_EVENT, 0, 300);
	add(counts, ETL_OTHER, ETL_EVENT, 0, 2);
	add(counts, ETL_OTHER, ETL_EVENT, 9, 2);
	add(counts, ETL_OTHER, ETL_FULL, 2, 0);
	add(counts, ETL_OTHER, ETL_MESSAGE, 0, 2);
	add(counts, ETL_OTHER, ETL_SYSTEM, 10, 1);
	add(counts, ETL_OTHER, ETL_SYSTEM, 99, 1);
	add(counts, ETL_OTHER, ETL_SYSTEM, 26, 6);
	add(counts, ETL_OTHER, ETL_SYSTEM, 26, 8);
	add(counts, ETL_OTHER, ETL_SYSTEM, 10, 14);
	add(counts, ETL_OTHER, ETL_SYSTEM, 10, 99);
	add(counts, ETL_PERF_INFO, ETL_PERFINFO, 46, 0);
	add(counts, ETL_PERF_INFO, ETL_FULL, 46, 0);
	add(counts, ETL_PROCESS, ETL_SYSTEM, 77, 0);
	add(counts, ETL_HEAP_SNAPSHOT, ETL_EVENT, 0, 100);
	assert_int_equal(etl_counts_get(counts, ETL_PERF_INFO, 46), 2);
	etl_counts_report(counts, &facts);
	for (size_t i = 0; i < facts.counts_nr; i++)
		strbuf_addf(&text, "%s %" PRIu64 "\n", facts.counts[i].name, facts.counts[i].nr);
	assert_string_equal(text.buf, "Process/77 1\n"
				      "PerfInfo/SampledProfile 2\n"
				      "HeapSnapshot/Buffer 1\n"
				      "DiskIo/Read 1\n"
				      "DiskIo/99 1\n"
				      "TcpIp/SendIPV6 1\n"
				      "UdpIp/SendIPV6 1\n"
				      "Pool/10 1\n"
				      "kernel group 99/10 1\n"
				      "{22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716}/2 3\n"
				      "{22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716}/300 1\n"
				      "{22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716}/message 2 1\n");
	strbuf_release(&text);
	trace_facts_release(&facts);
	etl_counts_free(counts);
}

static void etl_counts__too_many_providers__are_counted_together(void **state)
{
	struct etl_counts *counts = etl_counts_new();
	struct trace_facts facts;
	uint64_t sum = 0;

	(void)state;
	trace_facts_init(&facts);
	for (uint32_t i = 0; i < 70000; i++) {
		unsigned char other[16] = { (unsigned char)i, (unsigned char)(i >> 8),
					    (unsigned char)(i >> 16) };
		struct etl_record record = { .kind = ETL_EVENT, .guid = other };

		etl_counts_add(counts, &record);
	}
	etl_counts_report(counts, &facts);
	assert_int_equal(facts.counts_nr, 65537);
	for (size_t i = 0; i < facts.counts_nr; i++)
		sum += facts.counts[i].nr;
	assert_int_equal(sum, 70000);
	assert_string_equal(facts.counts[65536].name, "of other providers");
	trace_facts_release(&facts);
	etl_counts_free(counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_counts__events__are_counted_by_name),
		cmocka_unit_test(etl_counts__too_many_providers__are_counted_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
