#include "trace/etl/etl_rates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "etl_kernel_fixture.h"
#include "util/array.h"

#define OTHER_SOURCE 5

/* An event of the interval, of 100 ns; they come in this order. */
struct interval_event {
	uint64_t time;
	uint8_t opcode;
	uint32_t source, now, old;
};

struct found {
	uint64_t time, ns;
};

static void check(const struct interval_event *events, size_t events_nr, const struct found *found,
		  size_t found_nr)
{
	struct etl_rates *rates = etl_rates_new();
	size_t at = 0;

	for (size_t i = 0; i < events_nr; i++) {
		struct strbuf payload = STRBUF_INIT;
		struct etl_record record;

		put32(&payload, events[i].source);
		put32(&payload, events[i].now);
		put32(&payload, events[i].old);
		record = record_of(ETL_PERF_INFO, events[i].opcode, 2, &payload);
		record.time = events[i].time;
		assert_true(etl_rates_add(rates, &record));
		strbuf_release(&payload);
	}
	etl_rates_make(rates);
	for (size_t i = 0; i < found_nr; i++)
		assert_int_equal(etl_rates_find(rates, found[i].time, &at), found[i].ns);
	etl_rates_free(rates);
}

static void etl_rates_find__added_in_any_order__is_the_last_before(void **state)
{
	const struct interval_event events[] = {
		{ 300, ETL_PERF_INTERVAL, 0, 5000, 20000 },
		{ 100, ETL_PERF_INTERVAL_START, 0, 10000, 0 },
		{ 200, ETL_PERF_INTERVAL, 0, 20000, 10000 },
		{ 250, ETL_PERF_INTERVAL, OTHER_SOURCE, 70000, 0 },
		{ 260, ETL_PERF_INTERVAL, 0, 0, 20000 },
		{ 400, ETL_PERF_INTERVAL_END, 0, 5000, 5000 },
	};
	const struct found found[] = {
		{ 0, 1000000 },   { 100, 1000000 }, { 199, 1000000 }, { 200, 2000000 },
		{ 270, 2000000 }, { 300, 500000 },  { 500, 500000 },
	};

	(void)state;
	check(events, ARRAY_SIZE(events), found, ARRAY_SIZE(found));
}

static void etl_rates_find__first_is_a_change__knows_what_was_before(void **state)
{
	const struct interval_event events[] = { { 200, ETL_PERF_INTERVAL, 0, 20000, 1221 } };
	const struct found found[] = { { 0, 122100 }, { 199, 122100 }, { 200, 2000000 } };

	(void)state;
	check(events, ARRAY_SIZE(events), found, ARRAY_SIZE(found));
}

static void etl_rates__none__are_a_millisecond_and_not_known(void **state)
{
	const struct found found[] = { { 0, 1000000 }, { UINT64_MAX, 1000000 } };
	struct etl_rates *rates = etl_rates_new();

	(void)state;
	check(NULL, 0, found, ARRAY_SIZE(found));
	etl_rates_make(rates);
	assert_false(etl_rates_known(rates));
	etl_rates_free(rates);
}

static void etl_rates_add__payload_cut__is_refused(void **state)
{
	struct strbuf payload = STRBUF_INIT;
	struct etl_rates *rates = etl_rates_new();
	struct etl_record record;

	(void)state;
	put32(&payload, 0);
	put32(&payload, 10000);
	record = record_of(ETL_PERF_INFO, ETL_PERF_INTERVAL, 2, &payload);
	assert_false(etl_rates_add(rates, &record));
	strbuf_release(&payload);
	etl_rates_free(rates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_rates_find__added_in_any_order__is_the_last_before),
		cmocka_unit_test(etl_rates_find__first_is_a_change__knows_what_was_before),
		cmocka_unit_test(etl_rates__none__are_a_millisecond_and_not_known),
		cmocka_unit_test(etl_rates_add__payload_cut__is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
