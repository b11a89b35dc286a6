/*
 * Any bytes as a perf.data file: distilled and read again, it has the same events without a stack copy, and a stack that
 * had a copy has the chain that was given for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "trace/perf/perf_rewrite.h"
#include "trace/perf/perf_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reading the original: its copies get chains. Reading the distilled trace: NULL. */
static void take_stack(struct outcome *outcome, struct trace_stack *stack,
		       struct perf_chains *chains)
{
	if (!chains && stack->copy)
		abort();
	if (stack->copy) {
		uint64_t id = stack->copy->id;
		const uint64_t addresses[] = { id + 1, id | 1, 0x1000 };

		perf_chains_add(chains, id, addresses, 3, STACK_JOINED);
		for (size_t i = 0; i < 3; i++)
			mix_number(outcome, addresses[i]);
	} else {
		for (uint32_t i = 0; i < stack->user_nr; i++)
			mix_number(outcome, stack->user[i]);
	}
	for (uint32_t i = 0; i < stack->kernel_nr; i++)
		mix_number(outcome, stack->kernel[i]);
	*stack = (struct trace_stack){ .copy = NULL };
}

static struct outcome read_bytes(const void *data, size_t size, struct perf_chains *chains)
{
	static const struct perf_limits limits = {
		16, 64, (size_t)256 << 20, 4096, 2, 16, SIZE_MAX
	};
	const struct trace_options options = { TRACE_BASE_FIRST, true, true, 1 };
	struct outcome outcome = { 0 };
	const struct trace_event *events;
	struct perf_reader *reader;
	struct trace_facts facts;
	struct trace_input input;
	struct err err = ERR_INIT;
	size_t nr;

	trace_facts_init(&facts);
	trace_input_memory(&input, data, size);
	outcome.rc = perf_reader_open(&input, "input", &options, &limits, &facts, &reader, &err);
	if (!outcome.rc) {
		while ((outcome.rc = perf_reader_next(reader, &events, &nr, &err)) > 0) {
			for (size_t i = 0; i < nr; i++) {
				struct trace_event event = events[i];

				if (event.kind == TRACE_CPU)
					take_stack(&outcome, &event.cpu_sample.stack, chains);
				else if (event.kind == TRACE_MEMORY)
					take_stack(&outcome, &event.memory.stack, chains);
				mix_event(&outcome, &event);
			}
			outcome.events += nr;
		}
		perf_reader_free(reader);
	}
	outcome.lost = facts.counters.lost;
	outcome.unordered = facts.counters.unordered;
	outcome.unknown = facts.counters.unknown;
	trace_facts_release(&facts);
	err_clear(&err);
	return outcome;
}

/* All bytes of a file, which the caller frees. */
static void *read_all(FILE *file, size_t *nr)
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

static void compare(const struct outcome *before, FILE *out)
{
	struct outcome after;
	size_t nr;
	void *bytes = read_all(out, &nr);

	after = read_bytes(bytes, nr, NULL);
	if (memcmp(before, &after, sizeof(after)) != 0)
		abort();
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_chains *chains = perf_chains_new();
	struct outcome before = read_bytes(data, size, chains);
	struct perf_rewrite_result result;
	struct err err = ERR_INIT;
	struct trace_input input;
	FILE *out = tmpfile();
	const struct perf_rewrite_job job = { &input, "input", out, "output", chains, NULL, NULL };

	if (!out)
		abort();
	trace_input_memory(&input, data, size);
	if (perf_rewrite(&job, &result, &err)) {
		if (err.code == ERR_NONE)
			abort();
		err_clear(&err);
	} else if (!result.already) {
		compare(&before, out);
	}
	fclose(out);
	perf_chains_free(chains);
	return 0;
}
