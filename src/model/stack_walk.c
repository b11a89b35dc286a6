#include "model/stack_walk.h"

#include <stdlib.h>

#include "util/array.h"

/* Numbers fall towards the root, on the path as on the way of the stack: the larger one is not common to both. */
void stack_walk_to(struct stack_walk *walk, uint32_t stack)
{
	while ((walk->nr ? walk->path[walk->nr - 1] : STACK_EMPTY) != stack) {
		if (walk->nr && walk->path[walk->nr - 1] > stack) {
			walk->leave(walk->data, walk->path[--walk->nr]);
			continue;
		}
		ARRAY_ADD(walk->missing, walk->missing_nr, walk->missing_alloc, stack);
		stack = walk->nodes[stack].parent;
	}
	while (walk->missing_nr) {
		stack = walk->missing[--walk->missing_nr];
		ARRAY_ADD(walk->path, walk->nr, walk->alloc, stack);
		walk->enter(walk->data, stack);
	}
}

void stack_walk_release(struct stack_walk *walk)
{
	free(walk->path);
	free(walk->missing);
	walk->path = walk->missing = NULL;
	walk->nr = walk->alloc = walk->missing_nr = walk->missing_alloc = 0;
}
