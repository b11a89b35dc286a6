/*
 * The results of reading bytes as a trace, for comparison. All data that events point to is accessed.
 */
#ifndef TESTS_FUZZ_OUTCOME_H
#define TESTS_FUZZ_OUTCOME_H

#include <stdint.h>
#include <string.h>

#include "model/trace_event.h"

struct outcome {
	uint64_t hash, events, damaged, unknown, lost, unordered, truncated, missing_bytes;
	int rc;
};

static inline void mix(struct outcome *outcome, const void *bytes, size_t nr)
{
	const unsigned char *s = bytes;

	for (size_t i = 0; i < nr; i++)
		outcome->hash = (outcome->hash ^ s[i]) * UINT64_C(0x100000001b3);
}

static inline void mix_number(struct outcome *outcome, uint64_t number)
{
	outcome->hash = (outcome->hash ^ number) * UINT64_C(0x100000001b3);
}

static inline void mix_text(struct outcome *outcome, const char *text)
{
	mix(outcome, text, text ? strlen(text) : 0);
}

static inline void mix_stack(struct outcome *outcome, const struct trace_stack *stack)
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

static inline void mix_event(struct outcome *outcome, const struct trace_event *event)
{
	mix_number(outcome, event->kind);
	mix_number(outcome, (uint64_t)event->time_ns);
	mix_number(outcome, (uint64_t)event->pid);
	mix_number(outcome, (uint64_t)event->tid);
	mix_number(outcome, (uint64_t)event->cpu);
	if (event->kind == TRACE_PROCESS_START) {
		mix_number(outcome, (uint64_t)event->start.ppid);
		mix_text(outcome, event->start.image);
		mix_text(outcome, event->start.command_line);
	} else if (event->kind == TRACE_CPU) {
		mix_number(outcome, (uint64_t)event->cpu_sample.weight_ns);
		mix_stack(outcome, &event->cpu_sample.stack);
	} else if (event->kind == TRACE_MEMORY) {
		mix_number(outcome, event->memory.op);
		mix_number(outcome, event->memory.address);
		mix_stack(outcome, &event->memory.stack);
	} else if (event->kind == TRACE_TOUCH) {
		mix_number(outcome, event->touch.address);
		mix_number(outcome, event->touch.length);
		mix_number(outcome, event->touch.one_in);
		mix_stack(outcome, &event->touch.stack);
	} else if (event->kind == TRACE_HEAP) {
		mix_number(outcome, event->heap.op);
		mix_number(outcome, event->heap.heap);
		mix_number(outcome, event->heap.address);
		mix_number(outcome, event->heap.size);
		mix_number(outcome, event->heap.weight);
		mix_stack(outcome, &event->heap.stack);
	} else if (event->kind == TRACE_RUN) {
		mix_number(outcome, (uint64_t)event->run.blocked_ns);
		mix_number(outcome, (uint64_t)event->run.ready_ns);
		mix_number(outcome, (uint64_t)event->run.from_ns);
		mix_number(outcome, (uint64_t)event->run.to_ns);
	} else if (event->kind == TRACE_MAP) {
		mix_text(outcome, event->map.path);
		mix_text(outcome, event->map.debug_path);
		mix(outcome, event->map.id, event->map.id_length);
	} else if (event->kind == TRACE_EXEC || event->kind == TRACE_THREAD_NAME) {
		mix_text(outcome, event->name);
	}
}

#endif
