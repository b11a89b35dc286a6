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

struct stack_samples {
	uint64_t chains, unwound;
};

struct stack_quality {
	struct stack_samples *v; /* by stack */
	size_t nr, alloc;
};

void stack_quality_release(struct stack_quality *quality);

/*
 * Another sample with that stack. One that was unwound reaches the start but for the root [truncated]; a chain of
 * frame pointers may end anywhere: it does where it begins with a function in which threads and processes start.
 */
void stack_quality_add(struct stack_quality *quality, uint32_t stack, bool unwound);

struct stack_quality_result {
	uint64_t samples, whole;
	uint64_t broken_chains; /* of those that are not whole, the chains */
	/* Where the most of the others stop; MODULE_ID_UNKNOWN: in no file. */
	uint32_t worst_module;
	uint64_t worst_samples;
};

void stack_quality_judge(const struct stack_quality *quality, const struct machine *machine,
			 struct function_table *functions, struct stack_quality_result *result);

/* Append a line for people: shares, the library, and, where it is mostly chains that stop, what would help (NULL). */
void stack_quality_explain(const struct stack_quality_result *result, const struct machine *machine,
			   const char *what, const char *remedy, struct strbuf *text);

#endif
