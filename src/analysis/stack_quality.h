/*
 * How many call stacks of a recording are complete, that is, reach the start of their thread. Code without frame
 * pointers breaks a call chain: the callers are missing then.
 */
#ifndef ANALYSIS_STACK_QUALITY_H
#define ANALYSIS_STACK_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/stack_end.h"
#include "model/function.h"
#include "model/machine.h"
#include "util/hash_index.h"
#include "util/strbuf.h"

/* The samples whose stacks have one end: recorded as call chains, or unwound from stack copies. */
struct samples_by_end {
	struct stack_end end;
	uint64_t chains, unwound;
};

/* All samples, by the ends of their stacks. */
struct stack_quality {
	struct samples_by_end *v;
	size_t nr, alloc;
	struct hash_index index;
};

void stack_quality_release(struct stack_quality *quality);

/*
 * Add samples by the end of their stack. An unwound stack is complete unless its root is [truncated]. A call chain is
 * complete if its root is a function (on Windows a module) in which threads and processes start.
 */
void stack_quality_add(struct stack_quality *quality, struct stack_end end, uint64_t chains,
		       uint64_t unwound);

/* What the outermost frame of a call chain says. */
enum chain_end {
	CHAIN_WHOLE,
	CHAIN_BROKEN,
	CHAIN_UNNAMED, /* code without a function name: unknown */
};

enum chain_end stack_chain_end(const struct machine *machine, struct function_table *functions,
			       uint32_t root);

struct stack_quality_result {
	uint64_t samples, complete;
	/* Of those that are not complete: */
	uint64_t truncated;     /* without frames, or with the root [truncated] */
	uint64_t unnamed;       /* call chains whose root is code without a function name */
	uint64_t broken_chains; /* call chains */
	const char *
		worst; /* the library in which most of these stacks end; borrowed from the machine */
	uint64_t worst_samples;
	const char *none; /* why no stack has callers: set by who knows, borrowed; NULL: some may */
};

void stack_quality_evaluate(const struct stack_quality *quality, const struct machine *machine,
			    struct function_table *functions, struct stack_quality_result *result);

/* Whether so few stacks are complete that views warn. */
bool stack_quality_is_low(const struct stack_quality_result *result);

/*
 * Append a line of text: why there are no callers; else shares, the library and, if most incomplete stacks are call
 * chains, the remedy (may be NULL).
 */
void stack_quality_explain(const struct stack_quality_result *result, const char *what,
			   const char *remedy, struct strbuf *text);

#endif
