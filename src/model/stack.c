#include "model/stack.h"

#include <stdlib.h>

#include "util/array.h"

#define FIRST_ALLOC 512

/* This many frames are looked up at once. */
#define BATCH 32

/*
 * Most stacks have one or two callees. These are the first ones in the list of its children, which is searched linearly:
 * they were added one soon after the other, so that they are close in memory. Further callees of a stack are found by hash.
 */
#define LINKED 2

static uint64_t frame_key(const struct frame *frame)
{
	return frame->offset ^ (uint64_t)frame->module << 40;
}

static uint64_t node_key(uint32_t parent, uint32_t frame)
{
	return (uint64_t)parent << 32 | frame;
}

/* The last of the children of a stack that are searched linearly; STACK_EMPTY: there are fewer of them. */
static uint32_t last_linked(const struct stack_table *table, uint32_t parent)
{
	uint32_t at = table->nodes[parent].child;

	for (int i = 1; i < LINKED; i++)
		at = table->nodes[at].sibling;
	return at;
}

static void link_node(struct stack_table *table, uint32_t id)
{
	struct stack_node *nodes = table->nodes;
	uint32_t parent = nodes[id].parent, last = last_linked(table, parent);

	if (last == STACK_EMPTY) {
		uint32_t *end = &nodes[parent].child;

		while (*end != STACK_EMPTY)
			end = &nodes[*end].sibling;
		*end = id;
	} else {
		nodes[id].sibling = nodes[last].sibling;
		nodes[last].sibling = id;
		hash_index_add(&table->node_index, node_key(parent, nodes[id].frame), id);
	}
}

/* Build the index of nodes again, after stack_table_trim(). */
static void wake_nodes(struct stack_table *table)
{
	if (!table->trimmed)
		return;
	table->trimmed = false;
	for (uint32_t parent = STACK_EMPTY; parent < table->nodes_nr; parent++) {
		uint32_t last = last_linked(table, parent);

		if (last == STACK_EMPTY)
			continue;
		for (uint32_t id = table->nodes[last].sibling; id != STACK_EMPTY;
		     id = table->nodes[id].sibling)
			hash_index_add(&table->node_index, node_key(parent, table->nodes[id].frame),
				       id);
	}
}

/* The same for the index of frames. */
static void wake_frames(struct stack_table *table)
{
	if (table->frame_index.nr)
		return;
	for (uint32_t id = FRAME_FIRST; id < table->frames_nr; id++)
		hash_index_add(&table->frame_index, frame_key(&table->frames[id]), id);
}

void stack_table_trim(struct stack_table *table)
{
	hash_index_release(&table->frame_index);
	hash_index_release(&table->node_index);
	table->trimmed = true;
}

void stack_table_init(struct stack_table *table)
{
	*table = (struct stack_table){ .frames_nr = FRAME_FIRST, .nodes_nr = STACK_EMPTY + 1 };
	ARRAY_GROW(table->frames, FIRST_ALLOC, table->frames_alloc);
	ARRAY_GROW(table->nodes, FIRST_ALLOC, table->nodes_alloc);
	table->frames[FRAME_TRUNCATED] = (struct frame){ .offset = FRAME_TRUNCATED };
	table->frames[FRAME_NOT_SAMPLED] = (struct frame){ .offset = FRAME_NOT_SAMPLED };
	table->frames[FRAME_UNKNOWN] = (struct frame){ .offset = FRAME_UNKNOWN };
	table->frames[FRAME_MISSING] = (struct frame){ .offset = FRAME_MISSING };
	table->nodes[STACK_EMPTY] = (struct stack_node){ .frame = FRAME_TRUNCATED };
}

void stack_table_release(struct stack_table *table)
{
	stack_table_trim(table);
	free(table->frames);
	free(table->nodes);
	*table = (struct stack_table){ .frames = NULL };
}

static uint32_t find_frame(struct stack_table *table, const struct frame *frame)
{
	uint64_t key = frame_key(frame);
	uint32_t id;

	if (!frame->module)
		return FRAME_UNKNOWN;
	HASH_INDEX_FIND(id, &table->frame_index, key, i,
			table->frames[i].offset == frame->offset &&
				table->frames[i].module == frame->module);
	if (id != HASH_INDEX_NONE)
		return id;
	id = (uint32_t)table->frames_nr;
	ARRAY_GROW(table->frames, table->frames_nr + 1, table->frames_alloc);
	table->frames[table->frames_nr++] = *frame;
	hash_index_add(&table->frame_index, key, id);
	return id;
}

uint32_t stack_table_frame(struct stack_table *table, uint32_t module, uint64_t offset)
{
	const struct frame frame = { .module = module, .offset = offset };

	wake_frames(table);
	return find_frame(table, &frame);
}

static uint32_t push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	uint32_t id = table->nodes[parent].child, linked = 0;

	for (; id != STACK_EMPTY && linked < LINKED; id = table->nodes[id].sibling, linked++) {
		if (table->nodes[id].frame == frame)
			return id;
	}
	if (linked == LINKED) {
		HASH_INDEX_FIND(id, &table->node_index, node_key(parent, frame), i,
				table->nodes[i].parent == parent && table->nodes[i].frame == frame);
		if (id != HASH_INDEX_NONE)
			return id;
	}
	id = (uint32_t)table->nodes_nr;
	ARRAY_GROW(table->nodes, table->nodes_nr + 1, table->nodes_alloc);
	table->nodes[table->nodes_nr++] = (struct stack_node){ .parent = parent, .frame = frame };
	link_node(table, id);
	return id;
}

uint32_t stack_table_push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	wake_nodes(table);
	return push(table, parent, frame);
}

/* A lookup has two cache misses, for the slot and for the frame: prefetch both for a whole batch. */
static void find_frames(struct stack_table *table, const struct frame *frames, size_t nr,
			uint32_t *ids)
{
	struct hash_walk walks[BATCH];

	for (size_t i = 0; i < nr; i++) {
		walks[i] = hash_index_walk(&table->frame_index, frame_key(&frames[i]));
		if (walks[i].slots)
			__builtin_prefetch(&walks[i].slots[walks[i].at]);
	}
	for (size_t i = 0; i < nr && walks[i].slots; i++)
		__builtin_prefetch(&table->frames[walks[i].slots[walks[i].at].number]);
	for (size_t i = 0; i < nr; i++)
		ids[i] = find_frame(table, &frames[i]);
}

void stack_table_frames(struct stack_table *table, const struct frame *frames, size_t nr,
			uint32_t *ids)
{
	wake_frames(table);
	for (size_t i = 0; i < nr; i += BATCH)
		find_frames(table, frames + i, nr - i < BATCH ? nr - i : BATCH, ids + i);
}

uint32_t stack_table_push_all(struct stack_table *table, uint32_t parent, const uint32_t *frames,
			      size_t nr, uint32_t *stacks)
{
	wake_nodes(table);
	for (size_t i = 0; i < nr; i++) {
		parent = push(table, parent, frames[i]);
		if (stacks)
			stacks[i] = parent;
	}
	return parent;
}
