#include "analysis/stack_filter.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

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
	bool *used;      /* by pattern: functions, not_functions, modules, not_modules */
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
	matcher->used = xcalloc(filter->functions.nr + filter->modules.nr +
					filter->not_functions.nr + filter->not_modules.nr + 1,
				sizeof(*matcher->used));
	matcher->wanted =
		(filter->functions.nr ? HAS_FUNCTION : 0) | (filter->modules.nr ? HAS_MODULE : 0);
	return matcher;
}

void stack_matcher_free(struct stack_matcher *matcher)
{
	if (!matcher)
		return;
	free(matcher->used);
	free(matcher->of_function);
	free(matcher->of_stack);
	free(matcher);
}

bool stack_filter_names(const char *pattern, const char *function)
{
	static const char *const forms[] = { "*::%s", "%s::<*", "*::%s::<*" };
	bool found = text_glob(pattern, function, false);

	for (size_t i = 0; !found && i < ARRAY_SIZE(forms); i++) {
		struct strbuf whole = STRBUF_INIT;

		for (const char *s = forms[i]; *s; s++) {
			if (*s == '%')
				strbuf_adds(&whole, pattern), s++;
			else
				strbuf_addc(&whole, *s);
		}
		found = text_glob(whole.buf, function, false);
		strbuf_release(&whole);
	}
	return found;
}

static bool names_module(const char *pattern, const struct module *module)
{
	size_t len = strlen(pattern);

	if (text_glob(pattern, module->name, true) ||
	    (module->path && text_glob(pattern, module->path, false)))
		return true;
	/* "libLLVM", "librustc_driver" */
	return strlen(module->name) > len && strchr(".-", module->name[len]) &&
	       text_starts_with(module->name, pattern);
}

/* Whether one of the patterns is about the function, or its module. Those that are become known as used. */
static bool matches(struct stack_matcher *matcher, const struct strvec *patterns, size_t first,
		    const char *name, const struct module *module)
{
	bool found = false;

	for (size_t i = 0; i < patterns->nr; i++) {
		bool match = name ? stack_filter_names(patterns->v[i], name)
				  : names_module(patterns->v[i], module);

		matcher->used[first + i] |= match;
		found = found || match;
	}
	return found;
}

static uint8_t compare(struct stack_matcher *matcher, struct frame_function found)
{
	const struct function_table *functions = matcher->functions;
	const struct stack_filter *filter = matcher->filter;
	const char *name = function_table_name(functions, found.name);
	uint32_t id = functions->v[found.function].module;
	const struct module *module = &matcher->machine->modules.v[id];
	size_t first = 0;
	unsigned has = KNOWN;

	if (matches(matcher, &filter->functions, first, name, NULL))
		has |= HAS_FUNCTION;
	first += filter->functions.nr;
	if (matches(matcher, &filter->not_functions, first, name, NULL))
		has |= HAS_NOT;
	/* [truncated] and its like have no module. */
	if (id == MODULE_ID_UNKNOWN)
		return (uint8_t)has;
	first += filter->not_functions.nr;
	if (matches(matcher, &filter->modules, first, NULL, module))
		has |= HAS_MODULE;
	first += filter->modules.nr;
	if (matches(matcher, &filter->not_modules, first, NULL, module))
		has |= HAS_NOT;
	return (uint8_t)has;
}

static void explain(const struct strvec *patterns, const bool *used, const char *option,
		    struct strbuf *notes)
{
	for (size_t i = 0; i < patterns->nr; i++) {
		if (used[i])
			continue;
		strbuf_addf(notes, "nothing on the stacks matches --%s '", option);
		utf8_add_printable(notes, patterns->v[i]);
		strbuf_adds(notes, "': names are whole, or end so after '::', or are patterns with "
				   "* and ?\n");
	}
}

void stack_matcher_explain(const struct stack_matcher *matcher, struct strbuf *notes)
{
	const struct stack_filter *filter = matcher->filter;
	const bool *used = matcher->used;

	explain(&filter->functions, used, "function", notes);
	used += filter->functions.nr;
	explain(&filter->not_functions, used, "not-function", notes);
	used += filter->not_functions.nr;
	explain(&filter->modules, used, "module", notes);
	used += filter->modules.nr;
	explain(&filter->not_modules, used, "not-module", notes);
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
