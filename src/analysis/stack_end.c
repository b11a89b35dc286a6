#include "analysis/stack_end.h"

#include <stdlib.h>

#include "model/stack_walk.h"
#include "util/array.h"

static const struct stack_end no_end = { FRAME_TRUNCATED, MODULE_ID_UNKNOWN };

/* The end of the previous stack of a slot, and the number of outer frames that it follows from. */
struct known_end {
	struct stack_end end;
	uint32_t frames;
};

struct stack_end_finder {
	struct known_end last[STACK_SLOTS];
};

/* Add a callee to the stack that has the end. */
static void add_frame(const struct machine *machine, struct stack_end *end, uint32_t frame,
		      bool outermost)
{
	uint32_t module = machine->stacks.frames[frame].module;

	if (outermost)
		end->frame = frame;
	if (end->module == MODULE_ID_UNKNOWN && (outermost || !machine->modules.v[module].kernel))
		end->module = module;
}

struct stack_end stack_end_of(const struct machine *machine, uint32_t stack)
{
	const struct stack_node *nodes = machine->stacks.nodes;
	struct stack_end end = no_end;

	/* Leaf first: what is further out counts more. */
	for (; stack != STACK_EMPTY; stack = nodes[stack].parent) {
		struct stack_end outer = no_end;

		add_frame(machine, &outer, nodes[stack].frame, nodes[stack].parent == STACK_EMPTY);
		end.frame = outer.frame;
		if (outer.module != MODULE_ID_UNKNOWN)
			end.module = outer.module;
	}
	return end;
}

struct stack_end *stack_ends_of_all(const struct machine *machine)
{
	const struct stack_table *stacks = &machine->stacks;
	struct stack_end *ends = xcalloc(stacks->nodes_nr + 1, sizeof(*ends));

	ends[STACK_EMPTY] = no_end;
	/* A parent has a smaller id than its children. */
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		const struct stack_node *node = &stacks->nodes[i];

		ends[i] = ends[node->parent];
		add_frame(machine, &ends[i], node->frame, node->parent == STACK_EMPTY);
	}
	return ends;
}

struct stack_end_finder *stack_end_finder_new(void)
{
	return xcalloc(1, sizeof(struct stack_end_finder));
}

void stack_end_finder_free(struct stack_end_finder *finder)
{
	free(finder);
}

struct stack_end stack_end_finder_next(struct stack_end_finder *finder,
				       const struct machine *machine,
				       const struct stack_steps *steps, size_t *at)
{
	struct known_end known = { no_end, 0 };
	struct stack_head head;
	const uint32_t *frames = stack_steps_next(steps, at, &head);

	if (head.keep)
		known = finder->last[head.slot];
	if (known.frames > head.keep)
		known = (struct known_end){ { known.end.frame, MODULE_ID_UNKNOWN }, head.keep };
	for (uint32_t i = 0; i < head.nr + head.more && known.end.module == MODULE_ID_UNKNOWN;
	     i++) {
		add_frame(machine, &known.end, frames[i], !head.keep && !i);
		known.frames = head.keep + i + 1;
	}
	if (head.slot != STACK_NO_SLOT)
		finder->last[head.slot] = known;
	return known.end;
}

uint32_t *stack_roots_of_all(const struct stack_table *stacks)
{
	uint32_t *roots = xcalloc(stacks->nodes_nr, sizeof(*roots));

	roots[STACK_EMPTY] = FRAME_TRUNCATED;
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		const struct stack_node *node = &stacks->nodes[i];

		roots[i] = node->parent == STACK_EMPTY ? node->frame : roots[node->parent];
	}
	return roots;
}

struct marker {
	struct stack_table *stacks;
	uint32_t root;
	uint32_t *path; /* the new stacks of those that were entered */
	size_t nr, alloc;
};

static void enter(void *data, uint32_t stack)
{
	struct marker *marker = data;
	uint32_t caller = marker->nr ? marker->path[marker->nr - 1] : marker->root;
	uint32_t frame = marker->stacks->nodes[stack].frame;

	ARRAY_ADD(marker->path, marker->nr, marker->alloc,
		  stack_table_append(marker->stacks, caller, frame));
}

static void leave(void *data, uint32_t stack)
{
	(void)stack;
	((struct marker *)data)->nr--;
}

/* There may be a root [truncated] with stacks already: they are not searched for equal ones, as no view needs that. */
void stack_mark_truncated(struct stack_table *stacks, uint32_t *v, size_t nr)
{
	struct marker marker = { .stacks = stacks };
	struct stack_walk walk = { .enter = enter, .leave = leave, .data = &marker };

	if (!nr)
		return;
	marker.root = stack_table_append(stacks, STACK_EMPTY, FRAME_TRUNCATED);
	for (size_t i = 0; i < nr; i++) {
		walk.nodes = stacks->nodes; /* which new ones may move */
		stack_walk_to(&walk, v[i]);
		v[i] = marker.path[marker.nr - 1];
	}
	stack_walk_release(&walk);
	free(marker.path);
}
