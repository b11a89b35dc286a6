/*
 * The filters of views by what is on a stack: functions, modules and queries anywhere on it, and its phase.
 */
#ifndef ANALYSIS_STACK_FILTER_H
#define ANALYSIS_STACK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/stack_tags.h"
#include "model/function.h"
#include "model/machine.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/*
 * Patterns with * and ?. A stack passes if a pattern of each list matches something on it (an empty list: in any case), and
 * no pattern of the lists that begin with `not` does.
 *
 *   functions   by their names (function_pattern.h)
 *   modules     by the name of the file, without case, or its path; "[not sampled]", "[truncated]" and the like as they are
 *   phases      of the stack as a whole (stack_class.h), see stack_filter_names_phase()
 *   queries     by the whole name: those that functions on the stack run, not only the innermost one. A stack without any
 *               has "[no query]", or "[not sampled]".
 */
struct stack_filter {
	struct strvec functions, modules, phases, queries;
	struct strvec not_functions, not_modules, not_phases, not_queries;
};

#define STACK_FILTER_INIT \
	{ \
		STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, \
			STRVEC_INIT, STRVEC_INIT \
	}

/*
 * Whether a pattern is about a phase: it matches the whole name, without case, or some of the parts between ": ": "LLVM",
 * "optimize: inline" and "inline" are about "LLVM: optimize: inline".
 */
bool stack_filter_names_phase(const char *pattern, const char *phase);

/* Whether it has no patterns; whether it has some of phases; of phases or queries, which are found by demangled names. */
bool stack_filter_is_empty(const struct stack_filter *filter);
bool stack_filter_has_phases(const struct stack_filter *filter);
bool stack_filter_has_classes(const struct stack_filter *filter);

/* Matches stacks of a machine. Each function is compared once. */
struct stack_matcher;

/* All is borrowed. `tags`: if the filter has phases, else it may be NULL. */
struct stack_matcher *stack_matcher_new(const struct stack_filter *filter,
					const struct machine *machine,
					struct function_table *functions,
					const struct stack_tags *tags);
void stack_matcher_free(struct stack_matcher *matcher); /* accepts NULL */

bool stack_matcher_passes(struct stack_matcher *matcher, uint32_t stack);

/* Append a line for each pattern that nothing matched, of what was compared so far. */
void stack_matcher_explain(const struct stack_matcher *matcher, struct strbuf *notes);

#endif
