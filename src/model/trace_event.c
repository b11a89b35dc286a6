#include "model/trace_event.h"

const struct trace_event trace_event_none = { .cpu = -1 };

bool trace_stack_is_unwound(const struct trace_stack *stack)
{
	return stack->copy || stack->origin != STACK_CHAIN;
}

bool trace_stack_has_user(const struct trace_stack *stack)
{
	return stack->user_nr || trace_stack_is_unwound(stack);
}

const struct trace_stack *trace_event_stack(const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_CPU:
		return &event->cpu_sample.stack;
	case TRACE_MEMORY:
		return &event->memory.stack;
	case TRACE_TOUCH:
		return &event->touch.stack;
	case TRACE_HEAP:
		return &event->heap.stack;
	default:
		return NULL;
	}
}
