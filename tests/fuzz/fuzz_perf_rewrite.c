/*
 * Any bytes as a perf.data file: distilled and read again, it has the same events without a stack copy, and a stack that
 * had a copy has the chain that was given for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_perf.h"
#include "trace/perf/perf_rewrite.h"

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

static void take(void *data, struct outcome *outcome, struct trace_event *event)
{
	if (event->kind == TRACE_CPU)
		take_stack(outcome, &event->cpu_sample.stack, data);
	else if (event->kind == TRACE_MEMORY)
		take_stack(outcome, &event->memory.stack, data);
	mix_event(outcome, event);
}

static void compare(const struct outcome *before, FILE *out)
{
	struct outcome after;
	size_t nr;
	void *bytes = read_all(out, &nr);

	after = read_perf(bytes, nr, take, NULL);
	if (memcmp(before, &after, sizeof(after)) != 0)
		abort();
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_chains *chains = perf_chains_new();
	struct outcome before = read_perf(data, size, take, chains);
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
