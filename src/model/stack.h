/*
 * Frames and stacks, each kept once.
 *
 * A frame is a place, (module, offset in its file), so that the same code in two processes is one frame. The offset of
 * a return address is that of the byte before it, so that a call at the end of a function is still in it. What was
 * inlined at the place is told by the function table.
 * Stacks are a trie: a stack is (its caller's stack, frame), the root side first, and its id is a small
 * number. STACK_EMPTY has no frames. Frames and stacks share nothing: each may be looked up by a thread of its own.
 */
#ifndef MODEL_STACK_H
#define MODEL_STACK_H

#include <stddef.h>
#include <stdint.h>

#define STACK_EMPTY UINT32_C(0)

/*
 * Frames that stand for what is not there; they are in module 0. An address that is in no file means nothing in
 * another process, and walks along frame pointers that are none find a million of them: they are all one frame.
 */
#define FRAME_TRUNCATED   UINT32_C(0) /* at the root side: the stack goes on, unseen */
#define FRAME_NOT_SAMPLED UINT32_C(1) /* memory whose stack was not recorded */
#define FRAME_UNKNOWN     UINT32_C(2) /* nothing is mapped at its address */
#define FRAME_FIRST       UINT32_C(3)

struct frame {
	uint32_t module;
	uint64_t offset;
};

struct stack_node {
	uint32_t parent; /* the caller's stack; smaller than its own id */
	uint32_t frame;
};

/* The first of those that a stack calls, and the next one that its caller calls; 0: none. */
struct stack_link {
	uint32_t child, sibling;
};

struct stack_table {
	struct frame *frames;
	size_t frames_nr, frames_alloc;
	struct stack_node *nodes; /* nodes[STACK_EMPTY] is not used */
	size_t nodes_nr, nodes_alloc;
	/* For finding; NULL at rest. */
	struct stack_link *links; /* by node; a few for each stack */
	size_t links_alloc;
	/* Open addressing; powers of two; the nodes that have no link. */
	uint32_t *frame_index, *node_index;
	size_t frame_index_alloc, node_index_alloc, node_index_nr;
};

void stack_table_init(struct stack_table *table);
void stack_table_release(struct stack_table *table);

/* FRAME_UNKNOWN for module 0, whatever the offset. */
uint32_t stack_table_frame(struct stack_table *table, uint32_t module, uint64_t offset);

/* The stack of `parent` calling `frame`. */
uint32_t stack_table_push(struct stack_table *table, uint32_t parent, uint32_t frame);

/* The ids of frames: the same as one by one, but several times as fast. */
void stack_table_frames(struct stack_table *table, const struct frame *frames, size_t nr,
			uint32_t *ids);

/* The stack of `parent` calling frames[0], and so on; `stacks` (NULL) gets those on the way, each frame's. */
uint32_t stack_table_push_all(struct stack_table *table, uint32_t parent, const uint32_t *frames,
			      size_t nr, uint32_t *stacks);

/*
 * Give back what only finding needs, a third of the memory, where nothing more is to come. It is made again, slowly,
 * when something comes nevertheless.
 */
void stack_table_rest(struct stack_table *table);

#endif
