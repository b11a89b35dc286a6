/*
 * A tree of the stacks of several runs, by the names of their functions, in which what is one stack in two builds becomes
 * one (docs/compare.md):
 *
 * - a function that calls itself, directly or through few others, is one frame, with all that its calls have and call;
 * - names of one function are one (joined_names.h);
 * - a frame that one side alone has below its caller is left out if most of what is called from it is called there without
 *   it on the other side: it was inlined. Its own value becomes that of its caller. A leaf is never left out: it may
 *   be new.
 */
#ifndef COMPARE_JOINED_STACKS_H
#define COMPARE_JOINED_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "compare/joined_names.h"
#include "util/hash_index.h"

#define JOINED_ROOT UINT32_C(0)

struct joined_stack {
	uint32_t parent; /* smaller than its own number */
	uint32_t name;
	unsigned int sides; /* which have the stack, or one that continues it */
};

struct joined_stacks {
	struct joined_names names;
	struct joined_stack *v; /* v[JOINED_ROOT] has no name */
	size_t nr, alloc;
	struct hash_index index;
};

void joined_stacks_init(struct joined_stacks *stacks);
void joined_stacks_release(struct joined_stacks *stacks);

/* The stack in which `parent` calls a function, in a run of the side. Callers must have been added for that side too. */
uint32_t joined_stacks_child(struct joined_stacks *stacks, uint32_t parent, uint32_t name,
			     enum compare_side side);

/*
 * Match the stacks of both sides, once all are there: the tree is made anew. `weights` is by stack: how much it matters,
 * without what continues it. Returns the new number by the old one; the caller frees it.
 */
uint32_t *joined_stacks_match(struct joined_stacks *stacks, const int64_t *weights);

const char *joined_stacks_text(const struct joined_stacks *stacks, uint32_t stack);

#endif
