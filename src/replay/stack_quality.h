/*
 * How far the call stacks of a recording reach. A stack that stops short hides who called: code built
 * without frame pointers breaks a chain of them.
 */
#ifndef REPLAY_STACK_QUALITY_H
#define REPLAY_STACK_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/machine.h"
#include "util/strbuf.h"

struct stack_quality {
	uint64_t *samples; /* by stack */
	size_t nr, alloc;
};

void stack_quality_release(struct stack_quality *quality);

/* Another sample with that stack. */
void stack_quality_add(struct stack_quality *quality, uint32_t stack);

struct stack_quality_result {
	uint64_t samples,
		whole;         /* whole: the outermost frame is where threads and processes start */
	uint32_t worst_module; /* where most of the others stop */
	uint64_t worst_samples;
};

void stack_quality_judge(const struct stack_quality *quality, const struct machine *machine,
			 struct function_table *functions, struct stack_quality_result *result);

/* Append a line for people: shares, the library, and what would help. */
void stack_quality_explain(const struct stack_quality_result *result, const struct machine *machine,
			   const char *what, const char *remedy, struct strbuf *text);

#endif
