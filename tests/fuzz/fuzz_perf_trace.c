/*
 * Any bytes as a perf.data file: read with one thread and large blocks, and with two and tiny ones, to the same
 * events. All that events point to is looked at.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
	uint64_t hash, events, damaged, unknown, lost, unordered;
	int rc;
};

static void mix(struct outcome *outcome, const void *bytes, size_t nr)
{
	const unsigned char *s = bytes;

	for (size_t i = 0; i < nr; i++)
		outcome->hash = (outcome->hash ^ s[i]) * UINT64_C(0x100000001b3);
}

static void mix_number(struct outcome *outcome, uint64_t number)
{
	outcome->hash = (outcome->hash ^ number) * UINT64_C(0x100000001b3);
}

static void mix_text(struct outcome *outcome, const char *text)
{
	mix(outcome, text, strlen(text));
}

static void mix_stack(struct outcome *outcome, const struct trace_stack *stack)
{
	for (uint32_t i = 0; i < stack->kernel_nr; i++)
		mix_number(outcome, stack->kernel[i]);
	for (uint32_t i = 0; i < stack->user_nr; i++)
		mix_number(outcome, stack->user[i]);
	if (!stack->copy)
		return;
	mix_number(outcome, stack->copy->id);
	mix_number(outcome, stack->copy->values[0]);
	mix(outcome, stack->copy->bytes, stack->copy->bytes_nr);
}

static void mix_event(struct outcome *outcome, const struct trace_event *event)
{
	mix_number(outcome, event->kind);
	mix_number(outcome, (uint64_t)event->time_ns);
	mix_number(outcome, (uint64_t)event->pid);
	mix_number(outcome, (uint64_t)event->tid);
	mix_number(outcome, (uint64_t)event->cpu);
	if (event->kind == TRACE_CPU) {
		mix_number(outcome, (uint64_t)event->cpu_sample.weight_ns);
		mix_stack(outcome, &event->cpu_sample.stack);
	} else if (event->kind == TRACE_MEMORY) {
		mix_number(outcome, event->memory.op);
		mix_number(outcome, event->memory.address);
		mix_stack(outcome, &event->memory.stack);
	} else if (event->kind == TRACE_MAP) {
		mix_text(outcome, event->map.path);
		mix(outcome, event->map.id, event->map.id_length);
	} else if (event->kind == TRACE_EXEC || event->kind == TRACE_THREAD_NAME) {
		mix_text(outcome, event->name);
	}
}

static struct outcome read_bytes(const uint8_t *data, size_t size, int threads,
				 const struct perf_limits *limits)
{
	const struct trace_options options = { TRACE_BASE_FIRST, true, true, threads };
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
	outcome.damaged = facts.damaged;
	outcome.unknown = facts.unknown;
	outcome.lost = facts.lost;
	outcome.unordered = facts.unordered;
	if ((facts.damaged > 0) != (facts.first_damage.len > 0))
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
