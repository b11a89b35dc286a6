/*
 * Frames and stacks, each kept once.
 *
 * A frame is a module and an offset in its file, so that the same code in two processes is one frame. A return address is
 * stored as the offset of the byte before it: a call at the end of a function is then still in the function. The function
 * table knows the functions inlined at a frame.
 * Stacks are a trie: a stack is its caller's stack and a frame, and its id is a small number. STACK_EMPTY has no frames.
 * Frames and stacks share no data: two threads may look them up, one of them frames, the other stacks.
 */
#ifndef MODEL_STACK_H
#define MODEL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash_index.h"

#define STACK_EMPTY UINT32_C(0)

/*
 * Frames that stand for missing ones; they are in module 0. All addresses that are in no file are one frame: they mean
 * nothing in another process, and following invalid frame pointers finds a million of them.
 */
#define FRAME_TRUNCATED   UINT32_C(0) /* the root: callers are missing */
#define FRAME_NOT_SAMPLED UINT32_C(1) /* memory whose stack was not recorded */
#define FRAME_UNKNOWN     UINT32_C(2) /* nothing is mapped at its address */
#define FRAME_MISSING     UINT32_C(3) /* callers between two known ones are missing */
#define FRAME_FIRST       UINT32_C(4)

struct frame {
	uint32_t module;
	uint64_t offset;
};

struct stack_node {
	uint32_t parent; /* the caller's stack; smaller than its own id */
	uint32_t frame;
};

/* A stack as its frames, root first; those from `user_nr` on are the kernel's. */
struct stack_path {
	const uint32_t *frames;
	size_t nr, user_nr;
};

struct stack_table {
	struct frame *frames;
	size_t frames_nr, frames_alloc;
	struct stack_node *nodes;
	size_t nodes_nr, nodes_alloc;
	/* For lookups; empty after stack_table_trim(). */
	struct hash_index frame_index, node_index; /* node_index: of those that need one */
	size_t indexed; /* of the first stacks, those that need it are in node_index */
};

void stack_table_init(struct stack_table *table);
void stack_table_release(struct stack_table *table);

/* FRAME_UNKNOWN for module 0, whatever the offset. */
uint32_t stack_table_frame(struct stack_table *table, uint32_t module, uint64_t offset);

/* The stack of `parent` calling `frame`. */
uint32_t stack_table_push(struct stack_table *table, uint32_t parent, uint32_t frame);

/* The same as a stack of its own, even if there is an equal one. */
uint32_t stack_table_append(struct stack_table *table, uint32_t parent, uint32_t frame);

/* The ids of several frames: several times faster than one by one. */
void stack_table_frames(struct stack_table *table, const struct frame *frames, size_t nr,
			uint32_t *ids);

/*
 * The stack of `parent` calling frames[0], which calls frames[1] and so on; `stacks` (may be NULL) gets the stack of each
 * frame.
 */
uint32_t stack_table_push_all(struct stack_table *table, uint32_t parent, const uint32_t *frames,
			      size_t nr, uint32_t *stacks);

/*
 * Fill a fresh table: `frames` and `nodes` are arrays of xmalloc(), which it takes. Their first FRAME_FIRST and STACK_EMPTY
 * + 1 elements are set here. False: they make no stacks, as a parent does not come before its callee, a frame is none of
 * these, or a stack has more than STACK_DEPTH_MAX frames; the table is empty.
 */
#define STACK_DEPTH_MAX ((uint32_t)1 << 16)

bool stack_table_fill(struct stack_table *table, struct frame *frames, size_t frames_nr,
		      struct stack_node *nodes, size_t nodes_nr);

/* Frames of the module `modules_nr` and later ones are nowhere from now on. */
void stack_table_limit_modules(struct stack_table *table, size_t modules_nr);

/*
 * Keep some stacks, those that they continue, and their frames, and number them in an order that depends on nothing else:
 * stacks depth first, callees of one caller by module and offset; frames by their first use in this order. `numbers` is by
 * stack: what is not 0 is kept, and gets its new number. False: all is kept and has that order, as the stacks that a run
 * keeps, so that all numbers stay what they are; those in `numbers` mean nothing then.
 */
bool stack_table_keep(struct stack_table *table, uint32_t *numbers);

/* Free all stacks, when only frames are needed. Their numbers mean nothing from then on, wherever they are. */
void stack_table_forget_stacks(struct stack_table *table);

/* Free what only lookups need, when no more stacks are expected. Lookups build it again. */
void stack_table_trim(struct stack_table *table);

#endif
