#include "analysis/stack_filter.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/function_pattern.h"
#include "analysis/name_hint.h"
#include "analysis/stack_class.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

/* What a function, or any function of a stack, matches. */
enum {
	HAS_FUNCTION = 1,
	HAS_MODULE = 2,
	HAS_PHASE = 4,
	HAS_QUERY = 8,
	HAS_NOT = 16,
	RUNS_QUERY = 32, /* any */
	KNOWN = 64,
};

enum list {
	FUNCTIONS,
	NOT_FUNCTIONS,
	MODULES,
	NOT_MODULES,
	PHASES,
	NOT_PHASES,
	QUERIES,
	NOT_QUERIES,
	LISTS,
};

static const struct {
	size_t offset;
	const char *option;
	unsigned has;
} lists[LISTS] = {
	[FUNCTIONS] = { offsetof(struct stack_filter, functions), "function", HAS_FUNCTION },
	[NOT_FUNCTIONS] = { offsetof(struct stack_filter, not_functions), "not-function", HAS_NOT },
	[MODULES] = { offsetof(struct stack_filter, modules), "module", HAS_MODULE },
	[NOT_MODULES] = { offsetof(struct stack_filter, not_modules), "not-module", HAS_NOT },
	[PHASES] = { offsetof(struct stack_filter, phases), "phase", HAS_PHASE },
	[NOT_PHASES] = { offsetof(struct stack_filter, not_phases), "not-phase", HAS_NOT },
	[QUERIES] = { offsetof(struct stack_filter, queries), "query", HAS_QUERY },
	[NOT_QUERIES] = { offsetof(struct stack_filter, not_queries), "not-query", HAS_NOT },
};

/* What classes match, by their numbers plus two, so that STACK_CLASS_NONE and STACK_CLASS_NOT_SAMPLED are the first. */
struct class_matches {
	struct stack_classes *classes; /* NULL: there are no patterns */
	uint8_t *v;
	size_t nr, alloc;
};

struct stack_matcher {
	const struct stack_filter *filter;
	const struct machine *machine;
	struct function_table *functions;
	unsigned wanted;   /* what a stack must match */
	bool *used[LISTS]; /* by pattern */
	uint8_t *of_function;
	size_t functions_nr, functions_alloc;
	uint8_t *of_stack;
	size_t stacks_nr, stacks_alloc;
	struct class_matches phases, queries;
	struct frame_function levels[FUNCTION_LEVELS]; /* of the current frame */
};

static const struct strvec *list_of(const struct stack_filter *filter, enum list list)
{
	return (const struct strvec *)(const void *)((const char *)filter + lists[list].offset);
}

bool stack_filter_is_empty(const struct stack_filter *filter)
{
	for (int list = 0; list < LISTS; list++) {
		if (list_of(filter, (enum list)list)->nr)
			return false;
	}
	return true;
}

bool stack_filter_has_phases(const struct stack_filter *filter)
{
	return filter->phases.nr || filter->not_phases.nr;
}

static bool has_queries(const struct stack_filter *filter)
{
	return filter->queries.nr || filter->not_queries.nr;
}

bool stack_filter_has_classes(const struct stack_filter *filter)
{
	return stack_filter_has_phases(filter) || has_queries(filter);
}

struct stack_matcher *stack_matcher_new(const struct stack_filter *filter,
					const struct machine *machine,
					struct function_table *functions,
					const struct stack_tags *tags)
{
	struct stack_matcher *matcher = xcalloc(1, sizeof(*matcher));

	matcher->filter = filter;
	matcher->machine = machine;
	matcher->functions = functions;
	for (int list = 0; list < LISTS; list++) {
		size_t nr = list_of(filter, (enum list)list)->nr;

		matcher->used[list] = xcalloc(nr + 1, sizeof(**matcher->used));
		if (nr && lists[list].has != HAS_NOT)
			matcher->wanted |= lists[list].has;
	}
	if (stack_filter_has_phases(filter))
		matcher->phases.classes = stack_classes_new(STACK_PHASE, machine, functions, tags);
	if (has_queries(filter))
		matcher->queries.classes = stack_classes_new(STACK_QUERY, machine, functions, NULL);
	return matcher;
}

void stack_matcher_free(struct stack_matcher *matcher)
{
	if (!matcher)
		return;
	for (int list = 0; list < LISTS; list++)
		free(matcher->used[list]);
	free(matcher->of_function);
	free(matcher->of_stack);
	stack_classes_free(matcher->phases.classes);
	stack_classes_free(matcher->queries.classes);
	free(matcher->phases.v);
	free(matcher->queries.v);
	free(matcher);
}

bool stack_filter_names_phase(const char *pattern, const char *phase)
{
	static const char *const before[] = { "", "*: " }, *const after[] = { "", ": *" };
	bool found = false;

	for (size_t i = 0; !found && i < ARRAY_SIZE(before) * ARRAY_SIZE(after); i++) {
		char *whole = xasprintf("%s%s%s", before[i / 2], pattern, after[i % 2]);

		found = text_glob(whole, phase, true);
		free(whole);
	}
	return found;
}

/* Where there is no module, `name` is shown as one. */
static bool names_module(const char *pattern, const char *name, const struct module *module)
{
	size_t len = strlen(pattern);

	if (!module)
		return text_glob(pattern, name, true);
	if (text_glob(pattern, module->name, true) ||
	    (module->path && text_glob(pattern, module->path, false)))
		return true;
	/* "libLLVM", "librustc_driver" */
	return strlen(module->name) > len && strchr(".-", module->name[len]) &&
	       text_starts_with(module->name, pattern);
}

static bool is_about(enum list list, const char *pattern, const char *name,
		     const struct module *module)
{
	switch (list) {
	case MODULES:
	case NOT_MODULES:
		return names_module(pattern, name, module);
	case PHASES:
	case NOT_PHASES:
		return stack_filter_names_phase(pattern, name);
	case QUERIES:
	case NOT_QUERIES:
		return text_glob(pattern, name, false);
	default:
		return function_pattern_matches(pattern, name);
	}
}

/* What a name, or a module, matches by a list and the one after it. Patterns that match become known as used. */
static unsigned match(struct stack_matcher *matcher, enum list first, const char *name,
		      const struct module *module)
{
	unsigned has = 0;

	for (int list = first; list < (int)first + 2; list++) {
		const struct strvec *patterns = list_of(matcher->filter, (enum list)list);

		for (size_t i = 0; i < patterns->nr; i++) {
			if (!is_about((enum list)list, patterns->v[i], name, module))
				continue;
			matcher->used[list][i] = true;
			has |= lists[list].has;
		}
	}
	return has;
}

/* Each class is compared once. */
static unsigned of_class(struct stack_matcher *matcher, struct class_matches *matches,
			 uint32_t stack_class)
{
	uint32_t at = stack_class + 2;

	ARRAY_REACH(matches->v, (size_t)at + 1, matches->nr, matches->alloc);
	if (!matches->v[at])
		matches->v[at] =
			(uint8_t)(KNOWN |
				  match(matcher, matches == &matcher->phases ? PHASES : QUERIES,
					stack_classes_name(matches->classes, stack_class), NULL));
	return matches->v[at];
}

static uint8_t compare(struct stack_matcher *matcher, struct frame_function found)
{
	const struct function_table *functions = matcher->functions;
	const char *name = function_table_name(functions, found.name);
	uint32_t id = functions->v[found.function].module, query;
	/* [truncated] and its like have no module. */
	const struct module *module =
		id != MODULE_ID_UNKNOWN ? &matcher->machine->modules.v[id] : NULL;
	unsigned has = KNOWN;

	has |= match(matcher, FUNCTIONS, name, NULL) | match(matcher, MODULES, name, module);
	if (matcher->queries.classes) {
		query = stack_classes_of_function(matcher->queries.classes, found);
		if (query != STACK_CLASS_NONE)
			has |= RUNS_QUERY | of_class(matcher, &matcher->queries, query);
	}
	return (uint8_t)has;
}

/* The most similar functions of those that were compared. */
static void add_functions(const struct stack_matcher *matcher, const char *pattern,
			  struct strbuf *notes)
{
	const struct function_table *functions = matcher->functions;
	struct name_hints hints;
	size_t len = notes->len;

	name_hints_init(&hints, pattern);
	for (size_t i = 0; i < matcher->functions_nr; i++) {
		const char *name = function_table_name(functions, functions->v[i].name);

		if (matcher->of_function[i])
			name_hints_see_function(&hints, name, name, 0);
	}
	name_hints_add(&hints, notes);
	name_hints_release(&hints);
	if (notes->len == len)
		strbuf_adds(notes, ": names are whole, or end so after '::', or are patterns with "
				   "* and ?");
}

/* Files of similar names, of which some code was mapped. */
static void add_modules(const struct stack_matcher *matcher, const char *pattern,
			struct strbuf *notes)
{
	const struct module_table *modules = &matcher->machine->modules;
	struct name_hints hints;
	size_t len = notes->len;

	name_hints_init(&hints, pattern);
	for (uint32_t i = 0; i < modules->nr; i++) {
		if (modules->v[i].kind == MODULE_FILE &&
		    !names_module(pattern, NULL, &modules->v[i]))
			name_hints_see(&hints, modules->v[i].name, modules->v[i].name, 1);
	}
	name_hints_add(&hints, notes);
	name_hints_release(&hints);
	if (notes->len == len)
		strbuf_adds(notes, ": names are those of files, or patterns with * and ?");
}

static void add_class(struct stack_classes *classes, const char *pattern, struct strbuf *notes)
{
	const char *near = stack_classes_nearest(classes, pattern);

	if (!near)
		return;
	strbuf_adds(notes, " (did you mean '");
	utf8_add_printable(notes, near);
	strbuf_adds(notes, "'?)");
}

static void explain(const struct stack_matcher *matcher, enum list list, struct strbuf *notes)
{
	const struct strvec *patterns = list_of(matcher->filter, list);

	for (size_t i = 0; i < patterns->nr; i++) {
		if (matcher->used[list][i])
			continue;
		strbuf_addf(notes, "nothing on the stacks matches --%s '", lists[list].option);
		utf8_add_printable(notes, patterns->v[i]);
		strbuf_addc(notes, '\'');
		if (list <= NOT_FUNCTIONS)
			add_functions(matcher, patterns->v[i], notes);
		else if (list >= QUERIES)
			add_class(matcher->queries.classes, patterns->v[i], notes);
		else if (list >= PHASES)
			add_class(matcher->phases.classes, patterns->v[i], notes);
		else
			add_modules(matcher, patterns->v[i], notes);
		strbuf_addc(notes, '\n');
	}
}

void stack_matcher_explain(const struct stack_matcher *matcher, struct strbuf *notes)
{
	for (int list = 0; list < LISTS; list++)
		explain(matcher, (enum list)list, notes);
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
	struct class_matches *phases = &matcher->phases, *queries = &matcher->queries;
	unsigned has = of_stack(matcher, stack);

	if (queries->classes && !(has & RUNS_QUERY))
		has |= of_class(matcher, queries, stack_classes_of_stack(queries->classes, stack));
	if (phases->classes)
		has |= of_class(matcher, phases, stack_classes_of_stack(phases->classes, stack));
	return (has & matcher->wanted) == matcher->wanted && !(has & HAS_NOT);
}
