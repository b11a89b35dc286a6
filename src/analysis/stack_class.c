#include "analysis/stack_class.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/query_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strset.h"
#include "util/text.h"

struct stack_classes {
	enum stack_class_kind kind;
	const struct machine *machine;
	struct function_table *functions;
	const struct stack_tags *tags;
	struct strset queries;
	struct strset parts;   /* of phases: "LLVM", "LLVM: optimize" of "LLVM: optimize: inline" */
	uint32_t *of_function; /* plus two; 0: unknown yet */
	size_t functions_nr, functions_alloc;
	uint32_t *of_frame; /* of all its functions; plus two; 0: unknown yet */
	size_t frames_nr, frames_alloc;
	uint32_t *of_stack; /* of their functions alone */
	size_t stacks_nr, stacks_alloc;
};

struct stack_classes *stack_classes_new(enum stack_class_kind kind, const struct machine *machine,
					struct function_table *functions,
					const struct stack_tags *tags)
{
	struct stack_classes *classes = xcalloc(1, sizeof(*classes));

	classes->kind = kind;
	classes->machine = machine;
	classes->functions = functions;
	classes->tags = tags;
	classes->queries = (struct strset)STRSET_INIT;
	classes->parts = (struct strset)STRSET_INIT;
	return classes;
}

void stack_classes_free(struct stack_classes *classes)
{
	if (!classes)
		return;
	strset_release(&classes->queries);
	strset_release(&classes->parts);
	free(classes->of_function);
	free(classes->of_frame);
	free(classes->of_stack);
	free(classes);
}

static uint32_t classify(struct stack_classes *classes, struct frame_function found)
{
	const struct function_table *functions = classes->functions;
	const char *name = function_table_name(functions, found.name), *query;
	uint32_t number;
	char *copy;
	size_t len;

	if (classes->kind == STACK_PHASE)
		return stack_tags_find(
			classes->tags,
			classes->machine->modules.v[functions->v[found.function].module].name,
			name);
	query = query_name(name, &len);
	if (!query)
		return STACK_CLASS_NONE;
	copy = xstrndup(query, len);
	number = strset_add(&classes->queries, copy);
	free(copy);
	return number;
}

uint32_t stack_classes_of_function(struct stack_classes *classes, struct frame_function function)
{
	uint32_t *known;

	ARRAY_REACH(classes->of_function, (size_t)function.function + 1, classes->functions_nr,
		    classes->functions_alloc);
	known = &classes->of_function[function.function];
	if (!*known)
		*known = classify(classes, function) + 2; /* STACK_CLASS_NONE becomes 1 */
	return *known - 2;
}

void stack_classes_trim(struct stack_classes *classes)
{
	free(classes->of_stack);
	classes->of_stack = NULL;
	classes->stacks_nr = classes->stacks_alloc = 0;
}

static uint32_t join(const struct stack_classes *classes, uint32_t callers, uint32_t innermost)
{
	if (classes->kind == STACK_PHASE)
		return stack_tags_join(classes->tags, callers, innermost);
	return innermost == STACK_CLASS_NONE ? callers : innermost;
}

/* It does not matter which are joined first: those of a frame, or its outermost one and the callers'. */
static uint32_t of_frame(struct stack_classes *classes, uint32_t frame)
{
	struct frame_function levels[FUNCTION_LEVELS];
	uint32_t found = STACK_CLASS_NONE;
	size_t nr;

	ARRAY_REACH(classes->of_frame, (size_t)frame + 1, classes->frames_nr,
		    classes->frames_alloc);
	if (classes->of_frame[frame])
		return classes->of_frame[frame] - 2;
	nr = function_table_levels(classes->functions, frame, levels);
	for (size_t i = 0; i < nr; i++)
		found = join(classes, found, stack_classes_of_function(classes, levels[i]));
	classes->of_frame[frame] = found + 2;
	return found;
}

void stack_classes_see_frames(struct stack_classes *classes, size_t nr)
{
	for (size_t frame = classes->frames_nr; frame < nr; frame++)
		of_frame(classes, (uint32_t)frame);
}

/* Of the functions of a stack, which has a higher number than that of its callers. */
static uint32_t of_functions(struct stack_classes *classes, uint32_t stack)
{
	const struct stack_node *nodes = classes->machine->stacks.nodes;
	size_t from = classes->stacks_nr;

	if (stack < from)
		return classes->of_stack[stack];
	ARRAY_REACH(classes->of_stack, (size_t)stack + 1, classes->stacks_nr,
		    classes->stacks_alloc);
	classes->of_stack[STACK_EMPTY] = STACK_CLASS_NONE;
	for (size_t at = from ? from : STACK_EMPTY + 1; at <= stack; at++) {
		uint32_t callers = classes->of_stack[nodes[at].parent];
		uint32_t found = of_frame(classes, nodes[at].frame);

		classes->of_stack[at] =
			found == STACK_CLASS_NONE ? callers : join(classes, callers, found);
	}
	return classes->of_stack[stack];
}

uint32_t stack_classes_of_stack(struct stack_classes *classes, uint32_t stack)
{
	const struct stack_node *nodes = classes->machine->stacks.nodes;

	if (stack != STACK_EMPTY && nodes[stack].frame == FRAME_NOT_SAMPLED)
		return STACK_CLASS_NOT_SAMPLED;
	return of_functions(classes, stack);
}

const char *stack_classes_name(const struct stack_classes *classes, uint32_t stack_class)
{
	if (stack_class == STACK_CLASS_NOT_SAMPLED) {
		struct function_table *functions = classes->functions;
		uint32_t function = function_table_of(functions, FRAME_NOT_SAMPLED);

		return function_table_name(functions, functions->v[function].name);
	}
	if (stack_class == STACK_CLASS_NONE)
		return classes->kind == STACK_PHASE ? "[untagged]" : "[no query]";
	return classes->kind == STACK_PHASE ? stack_tags_name(classes->tags, stack_class)
					    : classes->queries.strings.v[stack_class];
}

/* What is after the last ": " of a phase, which is often all that is written of it. "other" says nothing. */
static const char *last_part(const char *name)
{
	const char *last = name;

	for (const char *at = name; (at = strstr(at, ": ")); at += 2)
		last = at + 2;
	return strcmp(last, "other") != 0 ? last : name;
}

/* Those around phases, which --phase takes too: "LLVM", "LLVM: optimize". */
static void add_outer_parts(struct strset *parts, const char *name)
{
	for (const char *at = name; (at = strstr(at, ": ")); at += 2) {
		char *part = xstrndup(name, (size_t)(at - name));

		strset_add(parts, part);
		free(part);
	}
}

static const char *nearest_phase(struct stack_classes *classes, const char *word)
{
	size_t nr = stack_tags_nr(classes->tags), parts;
	const char **names, *near;

	for (uint32_t i = 0; i < nr; i++)
		add_outer_parts(&classes->parts, stack_tags_name(classes->tags, i));
	parts = classes->parts.strings.nr;
	names = xcalloc(2 * nr + parts + 1, sizeof(*names));
	for (uint32_t i = 0; i < nr; i++) {
		names[i] = stack_tags_name(classes->tags, i);
		names[nr + i] = last_part(names[i]);
	}
	for (size_t i = 0; i < parts; i++)
		names[2 * nr + i] = classes->parts.strings.v[i];
	near = text_nearest(word, names, 2 * nr + parts);
	for (size_t i = 0; near && i < nr; i++) {
		if (near == names[nr + i]) {
			near = names[i];
			break;
		}
	}
	free(names);
	return near;
}

const char *stack_classes_nearest(struct stack_classes *classes, const char *word)
{
	const struct strvec *queries = &classes->queries.strings;

	return classes->kind == STACK_PHASE
		       ? nearest_phase(classes, word)
		       : text_nearest(word, (const char *const *)queries->v, queries->nr);
}
