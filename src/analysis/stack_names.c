#include "analysis/stack_names.h"

#include <stdlib.h>

#include "util/array.h"

void stack_names_init(struct stack_names *names, const struct machine *machine,
		      struct function_table *functions)
{
	*names = (struct stack_names){ .machine = machine, .functions = functions };
	stack_table_init(&names->table);
}

void stack_names_release(struct stack_names *names)
{
	stack_names_rest(names);
	stack_table_release(&names->table);
}

static uint32_t name_frame(struct stack_names *names, uint32_t parent, uint32_t frame)
{
	size_t nr = function_table_levels(names->functions, frame, names->levels);

	for (size_t i = 0; i < nr; i++)
		parent = stack_table_push(&names->table, parent, names->levels[i].name);
	return parent;
}

/*
 * In the order in which they were made, callers first: each is near to its caller in memory then, and in the same order
 * in both tables. The name of a stack is that of its innermost function.
 */
void stack_names_reach(struct stack_names *names, size_t nr)
{
	const struct stack_node *nodes = names->machine->stacks.nodes;
	size_t named = names->nr ? names->nr : STACK_EMPTY + 1;

	if (nr <= named)
		return;
	ARRAY_REACH(names->of_stack, nr, names->nr, names->alloc);
	for (size_t at = named; at < nr; at++)
		names->of_stack[at] =
			name_frame(names, names->of_stack[nodes[at].parent], nodes[at].frame);
}

uint32_t stack_names_find(struct stack_names *names, uint32_t stack)
{
	if (stack == STACK_EMPTY)
		return name_frame(names, STACK_EMPTY, FRAME_TRUNCATED);
	stack_names_reach(names, (size_t)stack + 1);
	return names->of_stack[stack];
}

void stack_names_rest(struct stack_names *names)
{
	free(names->of_stack);
	names->of_stack = NULL;
	names->nr = names->alloc = 0;
	stack_table_rest(&names->table);
}

void stack_names_add(const struct stack_names *names, uint32_t stack, struct strvec *frames)
{
	const struct stack_node *nodes = names->table.nodes;
	uint32_t *path = NULL;
	size_t depth = 0, alloc = 0;

	for (uint32_t at = stack; at != STACK_EMPTY; at = nodes[at].parent) {
		ARRAY_GROW(path, depth + 1, alloc);
		path[depth++] = nodes[at].frame;
	}
	while (depth-- > 0)
		strvec_push(frames, function_table_name(names->functions, path[depth]));
	free(path);
}
