/*
 * How far the call stacks of a recording reach. A stack that stops short hides who called: code built
 * without frame pointers breaks a chain of them.
 */
#ifndef ANALYSIS_STACK_QUALITY_H
#define ANALYSIS_STACK_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/machine.h"
#include "util/strbuf.h"

/* Of one stack. */
struct stack_samples {
	uint32_t stack;
	uint64_t chains, unwound;
};

/* A few of all stacks have samples: those of leaves. */
struct stack_quality {
	struct stack_samples *v;
	size_t nr, alloc;
	uint32_t *of_stack; /* their places, plus one; 0: it has none yet */
	size_t of_stack_nr;
};

void stack_quality_release(struct stack_quality *quality);

/*
 * More samples with that stack. One that was unwound reaches the start but for the root [truncated]; a chain of
 * frame pointers may end anywhere: it does where it begins with a function in which threads and processes start, on
 * Windows in a module in which they do.
 */
void stack_quality_add(struct stack_quality *quality, uint32_t stack, uint64_t chains,
		       uint64_t unwound);

/* The same without the memory of finding the stack again, which may be added several times. */
void stack_quality_append(struct stack_quality *quality, uint32_t stack, uint64_t chains,
			  uint64_t unwound);

struct stack_quality_result {
	uint64_t samples, whole;
	uint64_t truncated; /* of those that are not whole: no frames, or on the root [truncated] */
	uint64_t unnamed;   /* likewise: chains that end in code of a file, but of no function */
	uint64_t broken_chains; /* of those that are not whole, the chains */
	const char *worst;      /* the library where the most of the others stop; the machine's */
	uint64_t worst_samples;
};

/* Where a stack stops. */
struct stack_end {
	uint32_t frame;  /* its outermost one */
	uint32_t module; /* of its outermost frame in a file; MODULE_ID_UNKNOWN: none is */
};

/* Of all stacks of the machine, by stack; to be freed. */
struct stack_end *stack_quality_ends(const struct machine *machine);

void stack_quality_judge(const struct stack_quality *quality, const struct stack_end *ends,
			 const struct machine *machine, struct function_table *functions,
			 struct stack_quality_result *result);

/* Fewer whole stacks than that are worth a warning. */
bool stack_quality_is_low(const struct stack_quality_result *result);

/* Append a line for people: shares, the library, and, where it is mostly chains that stop, what would help (NULL). */
void stack_quality_explain(const struct stack_quality_result *result, const char *what,
			   const char *remedy, struct strbuf *text);

#endif
