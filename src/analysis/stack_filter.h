/*
 * The filters of views by what is on a stack: functions and modules anywhere on it.
 */
#ifndef ANALYSIS_STACK_FILTER_H
#define ANALYSIS_STACK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/function.h"
#include "model/machine.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/*
 * Patterns with * and ?, see stack_filter_names(). A stack passes if a pattern of each list matches something on it (an
 * empty list: in any case), and no pattern of the lists that begin with `not` does. Functions are compared by their names;
 * modules by the name of the file, without case, or its path.
 */
struct stack_filter {
	struct strvec functions, modules;
	struct strvec not_functions, not_modules;
};

#define STACK_FILTER_INIT \
	{ \
		STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT \
	}

void stack_filter_release(struct stack_filter *filter);

/*
 * Whether a pattern is about a function: it matches the whole name, or its end after "::", with or without type arguments:
 * "push" is about "<alloc::vec::Vec<u8>>::push" and about "vec::push::<u8>".
 */
bool stack_filter_names(const char *pattern, const char *function);

/* Whether it has no patterns. */
bool stack_filter_is_empty(const struct stack_filter *filter);

/* Matches stacks of a machine. Each function is compared once. */
struct stack_matcher;

/* All is borrowed. */
struct stack_matcher *stack_matcher_new(const struct stack_filter *filter,
					const struct machine *machine,
					struct function_table *functions);
void stack_matcher_free(struct stack_matcher *matcher); /* accepts NULL */

bool stack_matcher_passes(struct stack_matcher *matcher, uint32_t stack);

/* Append a line for each pattern that nothing matched, of what was compared so far. */
void stack_matcher_explain(const struct stack_matcher *matcher, struct strbuf *notes);

#endif
