/*
 * Reads bytes as a perf.data to the end, and files that were written.
 */
#ifndef TESTS_FUZZ_READ_PERF_H
#define TESTS_FUZZ_READ_PERF_H

#include <stdio.h>
#include <stdlib.h>

#include "outcome.h"
#include "trace/perf/perf_reader.h"

/* Gets each event, to be mixed into the outcome. */
typedef void read_perf_fn(void *data, struct outcome *outcome, struct trace_event *event);

static inline struct outcome read_perf(const void *bytes, size_t size, read_perf_fn *take,
				       void *data)
{
	static const struct perf_limits limits = {
		16, 64, (size_t)256 << 20, 4096, 2, 16, SIZE_MAX
	};
	const struct trace_options options = { TRACE_BASE_FIRST, true, true, true, 1, 0 };
	struct outcome outcome = { 0 };
	const struct trace_event *events;
	struct perf_reader *reader;
	struct trace_facts facts;
	struct trace_input input;
	struct err err = ERR_INIT;
	size_t nr;

	trace_facts_init(&facts);
	trace_input_memory(&input, bytes, size);
	outcome.rc = perf_reader_open(&input, "input", &options, &limits, &facts, &reader, &err);
	if (!outcome.rc) {
		while ((outcome.rc = perf_reader_next(reader, &events, &nr, &err)) > 0) {
			for (size_t i = 0; i < nr; i++) {
				struct trace_event event = events[i];

				take(data, &outcome, &event);
			}
			outcome.events += nr;
		}
		perf_reader_free(reader);
	}
	outcome.lost = facts.counters.lost;
	outcome.unordered = facts.counters.unordered;
	outcome.unknown = facts.counters.unknown;
	outcome.damaged = facts.counters.damaged;
	outcome.truncated = facts.counters.truncated;
	outcome.missing_bytes = facts.counters.missing_bytes;
	trace_facts_release(&facts);
	err_clear(&err);
	return outcome;
}

/* All bytes of a file, which the caller frees. */
static inline void *read_all(FILE *file, size_t *nr)
{
	void *bytes;

	if (fseek(file, 0, SEEK_END))
		abort();
	*nr = (size_t)ftell(file);
	bytes = malloc(*nr + 1);
	rewind(file);
	if (!bytes || fread(bytes, 1, *nr, file) != *nr)
		abort();
	return bytes;
}

#endif
