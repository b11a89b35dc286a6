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
