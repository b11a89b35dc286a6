/*
 * Any bytes as a perf.data file: distilled and read again, it has the same events without a stack copy, and a stack that
 * had a copy has the chain that was given for it. What is no address is replaced in both.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_perf.h"
#include "trace/perf/perf_rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct expected {
	struct perf_code *code;
	/* Of the original's copies; NULL: this is the distilled trace. */
	struct perf_chains *chains;
};

static void mix_address(struct outcome *outcome, const struct expected *expected, uint64_t address)
{
	bool has = perf_code_has(expected->code, address);

	mix_number(outcome, has ? address : perf_code_free_address(expected->code));
}

static void take_code(void *data, struct outcome *outcome, struct trace_event *event)
{
	(void)outcome;
	perf_code_see(data, event);
}

static void take_stack(struct outcome *outcome, struct trace_stack *stack,
		       const struct expected *expected)
{
	if (!expected->chains && stack->copy)
		abort();
	if (stack->copy) {
		uint64_t id = stack->copy->id;
		const uint64_t addresses[] = { id + 1, id | 1, 0x1000 };

		perf_chains_add(expected->chains, id, addresses, 3, STACK_JOINED);
		for (size_t i = 0; i < 3; i++)
			mix_address(outcome, expected, addresses[i]);
	} else {
		/* Without a chain, the first is the address of the sample itself, which stays. */
		for (uint32_t i = 0; i < stack->user_nr; i++) {
			if (!expected->chains && i &&
			    stack->user[i] != perf_code_free_address(expected->code) &&
			    !perf_code_has(expected->code, stack->user[i]))
				abort();
			mix_address(outcome, expected, stack->user[i]);
		}
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
	else if (event->kind == TRACE_TOUCH)
		take_stack(outcome, &event->touch.stack, data);
	mix_event(outcome, event);
}

static void compare(const struct outcome *before, struct perf_code *code, FILE *out)
{
	struct expected expected = { code, NULL };
	struct outcome after;
	size_t nr;
	void *bytes = read_all(out, &nr);

	after = read_perf(bytes, nr, take, &expected);
	if (memcmp(before, &after, sizeof(after)) != 0)
		abort();
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct expected expected = { perf_code_new(), perf_chains_new() };
	struct outcome before;
	struct perf_rewrite_result result;
	struct err err = ERR_INIT;
	struct trace_input input;
	FILE *out = tmpfile();
	const struct perf_rewrite_job job = { .input = &input,
					      .from = "input",
					      .out = out,
					      .to = "output",
					      .chains = expected.chains,
					      .code = expected.code };

	if (!out)
		abort();
	read_perf(data, size, take_code, expected.code);
	before = read_perf(data, size, take, &expected);
	trace_input_memory(&input, data, size);
	if (perf_rewrite(&job, &result, &err)) {
		if (err.code == ERR_NONE)
			abort();
		err_clear(&err);
	} else if (!result.already) {
		compare(&before, expected.code, out);
	}
	fclose(out);
	perf_chains_free(expected.chains);
	perf_code_free(expected.code);
	return 0;
}
