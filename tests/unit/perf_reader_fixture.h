/*
 * Reads a perf.data file in memory to its end.
 */
#ifndef TESTS_UNIT_PERF_READER_FIXTURE_H
#define TESTS_UNIT_PERF_READER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/perf_writer.h"
#include "support/trace_text.h"
#include "trace/perf/perf_code.h"
#include "trace/perf/perf_reader.h"
#include "util/alloc.h"
#include "util/array.h"

/* Options of reading, and the results. */
struct reading {
	struct trace_options options;
	struct perf_limits limits;
	struct trace_facts facts;
	struct strbuf text;
	size_t events, batches;
	struct err err;
};

static inline void reading_init(struct reading *reading)
{
	*reading = (struct reading){ .options = { .base_ns = TRACE_BASE_FIRST,
						  .cpu = true,
						  .memory = true,
						  .touched = true,
						  .threads = 1 },
				     .limits = perf_limits_usual,
				     .text = STRBUF_INIT };
	reading->limits.round = 1;
	trace_facts_init(&reading->facts);
}

static inline void reading_release(struct reading *reading)
{
	trace_facts_release(&reading->facts);
	strbuf_release(&reading->text);
	err_clear(&reading->err);
}

/* Read all events as text. Returns 0, or -1 with err. */
static inline int read_bytes(struct reading *reading, const char *bytes, size_t nr)
{
	const struct trace_event *events;
	struct perf_reader *reader;
	struct trace_input input;
	size_t events_nr;
	int rc;

	trace_input_memory(&input, bytes, nr);
	if (perf_reader_open(&input, "x", &reading->options, &reading->limits, &reading->facts,
			     &reader, &reading->err))
		return -1;
	while ((rc = perf_reader_next(reader, &events, &events_nr, &reading->err)) > 0) {
		assert_in_range(events_nr, 1, 2 * reading->limits.batch);
		for (size_t i = 0; i < events_nr; i++)
			trace_text_add(&reading->text, &events[i]);
		reading->events += events_nr;
		reading->batches++;
	}
	assert_int_equal(perf_reader_next(reader, &events, &events_nr, &reading->err), 0);
	perf_reader_free(reader);
	return rc;
}

/* Finish the writer and read its file, which must have no damage. */
static inline void read_writer(struct reading *reading, struct perf_writer *writer)
{
	const struct strbuf *bytes = perf_writer_finish(writer);

	assert_int_equal(read_bytes(reading, bytes->buf, bytes->len), 0);
	perf_writer_free(writer);
	assert_string_equal(reading->facts.first_damage.buf, "");
	assert_int_equal(reading->facts.counters.damaged, 0);
}

/* The same with the usual options; the events must be `expected`. */
static inline void expect_text(struct perf_writer *writer, const char *expected)
{
	struct reading reading;

	reading_init(&reading);
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, expected);
	reading_release(&reading);
}

/* Code at all addresses: all of a call chain is taken for addresses. To be freed. */
static inline struct perf_code *code_everywhere(void)
{
	const struct trace_event event = { .kind = TRACE_MAP,
					   .map = { .length = UINT64_MAX, .code = true } };
	struct perf_code *code = perf_code_new();

	perf_code_see(code, &event);
	return code;
}

#endif
