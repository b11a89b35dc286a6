/*
 * Any bytes as an ETL file: read with one thread and with two to the same events; without some kinds of events the others
 * are the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "trace/etl/etl_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DECOMPRESSED_MAX (UINT64_C(32) << 20) /* more takes too long */

static void check_run(const struct trace_run *run)
{
	if (run->blocked_ns > run->ready_ns || run->ready_ns > run->from_ns ||
	    run->from_ns > run->to_ns)
		abort();
}

/* Only what changes processes counts where events are not wanted. */
static void take_event(struct outcome *outcome, const struct trace_event *event, bool changes)
{
	if (changes &&
	    (event->kind == TRACE_CPU || event->kind == TRACE_MEMORY || event->kind == TRACE_RUN))
		return;
	if (event->kind == TRACE_RUN)
		check_run(&event->run);
	mix_event(outcome, event);
	outcome->events++;
}

static struct etl_file *open_bytes(const uint8_t *data, size_t size)
{
	struct etl_file *file = NULL;
	struct err err = ERR_INIT;
	const struct etl_extent *extents;
	uint64_t decompressed = 0;
	size_t nr;

	if (etl_file_open_memory(data, size, &file, &err)) {
		err_clear(&err);
		return NULL;
	}
	extents = etl_file_extents(file, &nr);
	for (size_t i = 0; i < nr; i++)
		decompressed += extents[i].filled;
	if (decompressed <= DECOMPRESSED_MAX)
		return file;
	etl_file_free(file);
	return NULL;
}

static struct outcome read_bytes(const uint8_t *data, size_t size,
				 const struct trace_options *options, bool changes)
{
	struct etl_file *file = open_bytes(data, size);
	struct outcome outcome = { 0 };
	const struct trace_event *events;
	struct etl_reader *reader;
	struct trace_facts facts;
	struct err err = ERR_INIT;
	size_t nr;

	if (!file)
		return outcome;
	trace_facts_init(&facts);
	outcome.rc = etl_reader_open(&file, 1, options, &facts, &reader, &err);
	if (!outcome.rc) {
		while ((outcome.rc = etl_reader_next(reader, &events, &nr, &err)) > 0) {
			if (!nr)
				abort();
			for (size_t i = 0; i < nr; i++)
				take_event(&outcome, &events[i], changes);
		}
		etl_reader_free(reader);
	}
	if ((outcome.rc < 0) != (err.code != ERR_NONE))
		abort();
	outcome.damaged = facts.counters.damaged;
	outcome.unknown = facts.counters.unknown;
	outcome.lost = facts.counters.lost;
	outcome.unordered = changes ? 0 : facts.counters.unordered;
	if ((facts.counters.damaged > 0) != (facts.first_damage.len > 0))
		abort();
	trace_facts_release(&facts);
	err_clear(&err);
	return outcome;
}

static void compare(const uint8_t *data, size_t size, const struct trace_options *x,
		    const struct trace_options *y, bool changes)
{
	struct outcome a = read_bytes(data, size, x, changes);
	struct outcome b = read_bytes(data, size, y, changes);

	if (memcmp(&a, &b, sizeof(a)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct trace_options one = { .base_ns = TRACE_BASE_FIRST,
					   .cpu = true,
					   .memory = true,
					   .threads = 1,
					   .switches = true };
	const struct trace_options two = { .base_ns = TRACE_BASE_FIRST,
					   .cpu = true,
					   .memory = true,
					   .threads = 2,
					   .switches = true };
	const struct trace_options none = { .base_ns = TRACE_BASE_FIRST, .threads = 1 };

	compare(data, size, &one, &two, false);
	compare(data, size, &one, &none, true);
	return 0;
}
