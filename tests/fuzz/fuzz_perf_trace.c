/*
 * Any bytes as a perf.data file: read with one thread and large blocks, and with two and tiny ones, to the same
 * events. All data that events point to is accessed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "trace/perf/perf_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct outcome read_bytes(const uint8_t *data, size_t size, int threads,
				 const struct perf_limits *limits)
{
	const struct trace_options options = { TRACE_BASE_FIRST, true, true, true, threads, 0 };
	struct outcome outcome = { 0 };
	const struct trace_event *events;
	struct perf_reader *reader;
	struct trace_facts facts;
	struct trace_input input;
	struct err err = ERR_INIT;
	size_t nr;

	trace_facts_init(&facts);
	trace_input_memory(&input, data, size);
	outcome.rc = perf_reader_open(&input, "input", &options, limits, &facts, &reader, &err);
	if (!outcome.rc) {
		while ((outcome.rc = perf_reader_next(reader, &events, &nr, &err)) > 0) {
			if (!nr)
				abort();
			for (size_t i = 0; i < nr; i++)
				mix_event(&outcome, &events[i]);
			outcome.events += nr;
		}
		perf_reader_free(reader);
	}
	if ((outcome.rc < 0) != (err.code != ERR_NONE))
		abort();
	outcome.damaged = facts.counters.damaged;
	outcome.unknown = facts.counters.unknown;
	outcome.lost = facts.counters.lost;
	outcome.unordered = facts.counters.unordered;
	if ((facts.counters.damaged > 0) != (facts.first_damage.len > 0))
		abort();
	trace_facts_release(&facts);
	err_clear(&err);
	return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_limits large = { 16, 64, (size_t)256 << 20, 4096, 2, 16, SIZE_MAX };
	struct perf_limits tiny = large;
	struct outcome a, b;

	tiny.block_shift = 6;
	tiny.blocks = 3;
	a = read_bytes(data, size, 1, &large);
	b = read_bytes(data, size, 2, &tiny);
	if (memcmp(&a, &b, sizeof(a)) != 0)
		abort();
	return 0;
}
