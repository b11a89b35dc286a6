#include "trace/etl/etl_spans.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/strbuf.h"

/* What is said, "4b/8" is a begin at 4 of what 8 owns: b begins, e ends, s at the start, r at the end. */
static void add_sightings(struct etl_spans *spans, uint32_t id, uint64_t key, const char *text)
{
	static const char letters[] = " besr";
	uint32_t item = (uint32_t)spans->sightings_nr;

	for (; *text; text += *text == ' ') {
		struct etl_sighting sighting = { .id = id, .key = key, .item = item++ };

		for (; *text >= '0' && *text <= '9'; text++)
			sighting.time = sighting.time * 10 + (uint64_t)(*text - '0');
		sighting.what = (uint8_t)(strchr(letters, *text++) - letters);
		if (*text == '/')
			sighting.owner = (uint32_t)(text[1] - '0');
		text += *text == '/' ? 2 : 0;
		etl_spans_add(spans, &sighting);
	}
}

static void add_spans(const struct etl_span *v, size_t nr, struct strbuf *sb)
{
	strbuf_clear(sb);
	for (size_t i = 0; i < nr; i++) {
		strbuf_addf(sb, "%s%" PRIu64 "-", i ? " " : "", v[i].start);
		if (v[i].end != ETL_TO_THE_END)
			strbuf_addf(sb, "%" PRIu64, v[i].end);
	}
}

static void etl_spans_make__sightings__have_start_and_end(void **state)
{
	static const struct {
		const char *said, *spans;
	} cases[] = {
		{ "5b 9e", "5-9" },
		{ "9e 5b", "5-9" },
		{ "5b", "5-" },
		{ "9e", "0-9" },
		{ "5s", "0-" },
		{ "9r", "0-" },
		{ "5s 7e", "0-7" },
		{ "5s 9r", "0-" },
		{ "5b 9r", "5-" },
		{ "5b 6s 9r", "5-" },
		{ "5b 7e 8b 9e", "5-7 8-9" },
		{ "7e 8b", "0-7 8-" },
		/* The end of the first was lost, the begin of the second. */
		{ "5b 8b 9e", "5-7 8-9" },
		{ "5b/1 8r/2", "5-7 8-" },
		{ "5b/1 5b/2", "5-5 5-" },
		{ "5b/1 0r/2", "0-4 5-" },
		/* One ends before the other begins, also within a tick. */
		{ "5b 8e 8b", "5-7 8-" },
		{ "5b/1 7e/1 9r/2", "5-7 9-" },
		{ "5b/1 9e/2", "5-8 9-9" },
		{ "5b/1 7e/1 9e/2", "5-7 9-9" },
		/* Repeated sightings count once. */
		{ "5b 5b 9e 9e", "5-9" },
		{ "5s 5s 9r 9r", "0-" },
		/* It was there again at the end, or still. */
		{ "5b 7e 9r", "5-7 9-" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct etl_spans spans = { .nr = 0 };
		const struct etl_span *v;
		size_t nr;

		add_sightings(&spans, 4, 100, cases[i].said);
		etl_spans_make(&spans);
		v = etl_spans_of(&spans, 4, &nr);
		add_spans(v, nr, &sb);
		assert_int_equal(nr, spans.nr);
		if (strcmp(sb.buf, cases[i].spans) != 0)
			fail_msg("%s: %s, not %s", cases[i].said, sb.buf, cases[i].spans);
		etl_spans_release(&spans);
	}
	strbuf_release(&sb);
}

static void etl_spans_of__ids_and_keys__are_distinguished(void **state)
{
	struct etl_spans spans = { .nr = 0 };
	struct strbuf sb = STRBUF_INIT;
	const struct etl_span *v;
	size_t nr;

	(void)state;
	add_sightings(&spans, UINT32_MAX, 0, "3b");
	add_sightings(&spans, 8, 0x2000, "1b 2e");
	add_sightings(&spans, 8, 0x1000, "7e 9b");
	add_sightings(&spans, 4, 0x1000, "6e");
	etl_spans_make(&spans);
	v = etl_spans_of(&spans, 8, &nr);
	add_spans(v, nr, &sb);
	assert_string_equal(sb.buf, "0-7 9- 1-2");
	assert_int_equal(v[0].key, 0x1000);
	assert_int_equal(v[0].seen, 7);
	assert_int_equal(v[0].item, v[0].end_item);
	assert_int_equal(v[1].end_item, UINT32_MAX);
	assert_int_not_equal(v[2].item, v[2].end_item);
	assert_non_null(etl_spans_of(&spans, UINT32_MAX, &nr));
	assert_int_equal(nr, 1);
	assert_null(etl_spans_of(&spans, 5, &nr));
	assert_int_equal(nr, 0);
	strbuf_release(&sb);
	etl_spans_release(&spans);
}

static void etl_spans_at__times__are_of_the_last_that_started(void **state)
{
	static const struct {
		uint64_t time, start;
	} cases[] = { { 0, 5 }, { 5, 5 }, { 7, 5 }, { 8, 5 }, { 9, 9 }, { 100, 9 } };
	struct etl_spans spans = { .nr = 0 };

	(void)state;
	add_sightings(&spans, 3, 0, "1b");
	add_sightings(&spans, 4, 0, "5b 7e 9b 9r");
	add_sightings(&spans, 5, 0, "2b");
	etl_spans_make(&spans);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(etl_spans_at(&spans, 4, cases[i].time)->start, cases[i].start);
	assert_null(etl_spans_at(&spans, 6, 5));
	etl_spans_release(&spans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_spans_make__sightings__have_start_and_end),
		cmocka_unit_test(etl_spans_of__ids_and_keys__are_distinguished),
		cmocka_unit_test(etl_spans_at__times__are_of_the_last_that_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
