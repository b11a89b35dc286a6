#include "analysis/stack_filter.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* What a function, or any function of a stack, matches. */
enum {
	HAS_FUNCTION = 1,
	HAS_MODULE = 2,
	HAS_NOT = 4,
	KNOWN = 8,
};

struct stack_matcher {
	const struct stack_filter *filter;
	const struct machine *machine;
	struct function_table *functions;
	unsigned wanted; /* what a stack must match */
	uint8_t *of_function;
	size_t functions_nr, functions_alloc;
	uint8_t *of_stack;
	size_t stacks_nr, stacks_alloc;
	struct frame_function levels[FUNCTION_LEVELS]; /* of the current frame */
};

void stack_filter_release(struct stack_filter *filter)
{
	strvec_release(&filter->functions);
	strvec_release(&filter->modules);
	strvec_release(&filter->not_functions);
	strvec_release(&filter->not_modules);
}

bool stack_filter_is_empty(const struct stack_filter *filter)
{
	return !filter->functions.nr && !filter->modules.nr && !filter->not_functions.nr &&
	       !filter->not_modules.nr;
}

struct stack_matcher *stack_matcher_new(const struct stack_filter *filter,
					const struct machine *machine,
					struct function_table *functions)
{
	struct stack_matcher *matcher = xcalloc(1, sizeof(*matcher));

	matcher->filter = filter;
	matcher->machine = machine;
	matcher->functions = functions;
	matcher->wanted =
		(filter->functions.nr ? HAS_FUNCTION : 0) | (filter->modules.nr ? HAS_MODULE : 0);
	return matcher;
}

void stack_matcher_free(struct stack_matcher *matcher)
{
	if (!matcher)
		return;
	free(matcher->of_function);
	free(matcher->of_stack);
	free(matcher);
}

static bool matches(const struct strvec *patterns, const char *name, bool fold)
{
	for (size_t i = 0; i < patterns->nr; i++) {
		if (text_glob(patterns->v[i], name, fold))
			return true;
	}
	return false;
}

static bool matches_module(const struct strvec *patterns, const struct module *module)
{
	return matches(patterns, module->name, true) ||
	       (module->path && matches(patterns, module->path, false));
}

static uint8_t compare(const struct stack_matcher *matcher, struct frame_function found)
{
	const struct function_table *functions = matcher->functions;
	const struct stack_filter *filter = matcher->filter;
	const char *name = function_table_name(functions, found.name);
	const struct module *module =
		&matcher->machine->modules.v[functions->v[found.function].module];
	unsigned has = KNOWN;

	if (matches(&filter->functions, name, false))
		has |= HAS_FUNCTION;
	if (matches_module(&filter->modules, module))
		has |= HAS_MODULE;
	if (matches(&filter->not_functions, name, false) ||
	    matches_module(&filter->not_modules, module))
		has |= HAS_NOT;
	return (uint8_t)has;
}

static uint8_t of_function(struct stack_matcher *matcher, struct frame_function found)
{
	uint8_t *has;

	ARRAY_REACH(matcher->of_function, (size_t)found.function + 1, matcher->functions_nr,
		    matcher->functions_alloc);
	has = &matcher->of_function[found.function];
	if (!*has)
		*has = compare(matcher, found);
	return *has;
}

/* A stack has a higher number than that of its callers. */
static unsigned of_stack(struct stack_matcher *matcher, uint32_t stack)
{
	const struct stack_node *nodes = matcher->machine->stacks.nodes;
	size_t from = matcher->stacks_nr;

	if (stack < from)
		return matcher->of_stack[stack];
	ARRAY_REACH(matcher->of_stack, (size_t)stack + 1, matcher->stacks_nr,
		    matcher->stacks_alloc);
	for (size_t at = from ? from : STACK_EMPTY + 1; at <= stack; at++) {
		size_t nr =
			function_table_levels(matcher->functions, nodes[at].frame, matcher->levels);
		uint8_t has = matcher->of_stack[nodes[at].parent];

		for (size_t i = 0; i < nr; i++)
			has |= of_function(matcher, matcher->levels[i]);
		matcher->of_stack[at] = has;
	}
	return matcher->of_stack[stack];
}

bool stack_matcher_passes(struct stack_matcher *matcher, uint32_t stack)
{
	unsigned has = of_stack(matcher, stack);

	return (has & matcher->wanted) == matcher->wanted && !(has & HAS_NOT);
}
