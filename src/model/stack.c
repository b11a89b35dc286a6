#include "model/stack.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/array.h"

#define INDEX_FIRST 1024

/* So many frames are looked up at once. */
#define BATCH 32

/*
 * Most stacks call one function or a few: those are looked through one by one, near to each other in memory, as they
 * came one after the other. What a stack calls beyond is found by its hash.
 */
#define LINKED 2

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

static uint64_t hash_frame(const struct frame *frame)
{
	return mix(frame->offset ^ (uint64_t)frame->module << 40);
}

static uint64_t hash_node(const struct stack_node *node)
{
	return mix((uint64_t)node->parent << 32 | node->frame);
}

/* Where an id that is not in the index yet goes; 0 is a free place: neither index ever holds it. */
static void place(uint32_t *index, size_t alloc, uint64_t hash, uint32_t id)
{
	size_t i = hash & (alloc - 1);

	while (index[i])
		i = (i + 1) & (alloc - 1);
	index[i] = id;
}

static void index_frames(struct stack_table *table, size_t alloc)
{
	free(table->frame_index);
	table->frame_index_alloc = alloc;
	table->frame_index = xcalloc(alloc, sizeof(*table->frame_index));
	for (size_t i = FRAME_FIRST; i < table->frames_nr; i++)
		place(table->frame_index, alloc, hash_frame(&table->frames[i]), (uint32_t)i);
}

/* With an index of at most three quarters. */
static bool is_full(size_t nr, size_t alloc)
{
	return nr > alloc / 4 * 3;
}

static void grow_node_index(struct stack_table *table)
{
	size_t alloc = table->node_index_alloc * 2;
	uint32_t *index = xcalloc(alloc, sizeof(*index));

	for (size_t i = 0; i < table->node_index_alloc; i++) {
		uint32_t id = table->node_index[i];

		if (id)
			place(index, alloc, hash_node(&table->nodes[id]), id);
	}
	free(table->node_index);
	table->node_index = index;
	table->node_index_alloc = alloc;
}

/* Its caller has so many linked. */
static void link_node(struct stack_table *table, uint32_t id, uint32_t linked)
{
	uint32_t parent = table->nodes[id].parent;

	ARRAY_GROW(table->links, (size_t)id + 1, table->links_alloc);
	table->links[id] = (struct stack_link){ 0, 0 };
	if (linked < LINKED) {
		table->links[id].sibling = table->links[parent].child;
		table->links[parent].child = id;
		return;
	}
	if (is_full(++table->node_index_nr, table->node_index_alloc))
		grow_node_index(table);
	place(table->node_index, table->node_index_alloc, hash_node(&table->nodes[id]), id);
}

static void link_nodes(struct stack_table *table)
{
	ARRAY_GROW(table->links, table->nodes_nr, table->links_alloc);
	table->links[STACK_EMPTY] = (struct stack_link){ 0, 0 };
	table->node_index_nr = 0;
	table->node_index_alloc = INDEX_FIRST;
	table->node_index = xcalloc(INDEX_FIRST, sizeof(*table->node_index));
	for (uint32_t id = STACK_EMPTY + 1; id < table->nodes_nr; id++) {
		uint32_t at = table->links[table->nodes[id].parent].child, linked = 0;

		for (; at; at = table->links[at].sibling)
			linked++;
		link_node(table, id, linked);
	}
}

/* Something is looked for after stack_table_rest(). */
static void wake_frames(struct stack_table *table)
{
	if (!table->frame_index)
		index_frames(table, table->frame_index_alloc);
}

static void wake_nodes(struct stack_table *table)
{
	if (!table->links)
		link_nodes(table);
}

void stack_table_rest(struct stack_table *table)
{
	free(table->frame_index);
	free(table->node_index);
	free(table->links);
	table->frame_index = table->node_index = NULL;
	table->links = NULL;
	table->links_alloc = 0;
}

void stack_table_init(struct stack_table *table)
{
	*table = (struct stack_table){
		.frames_nr = FRAME_FIRST,
		.nodes_nr = STACK_EMPTY + 1,
		.frame_index_alloc = INDEX_FIRST,
	};
	ARRAY_GROW(table->frames, INDEX_FIRST / 2, table->frames_alloc);
	ARRAY_GROW(table->nodes, INDEX_FIRST / 2, table->nodes_alloc);
	table->frames[FRAME_TRUNCATED] = (struct frame){ .offset = FRAME_TRUNCATED };
	table->frames[FRAME_NOT_SAMPLED] = (struct frame){ .offset = FRAME_NOT_SAMPLED };
	table->frames[FRAME_UNKNOWN] = (struct frame){ .offset = FRAME_UNKNOWN };
	table->nodes[STACK_EMPTY] = (struct stack_node){ STACK_EMPTY, FRAME_TRUNCATED };
	table->frame_index = xcalloc(INDEX_FIRST, sizeof(*table->frame_index));
	link_nodes(table);
}

void stack_table_release(struct stack_table *table)
{
	stack_table_rest(table);
	free(table->frames);
	free(table->nodes);
	*table = (struct stack_table){ .frames = NULL };
}

static uint32_t find_frame(struct stack_table *table, const struct frame *frame, uint64_t hash)
{
	size_t i = hash & (table->frame_index_alloc - 1);
	uint32_t id;

	if (!frame->module)
		return FRAME_UNKNOWN;
	while ((id = table->frame_index[i])) {
		const struct frame *at = &table->frames[id];

		if (at->offset == frame->offset && at->module == frame->module)
			return id;
		i = (i + 1) & (table->frame_index_alloc - 1);
	}
	id = (uint32_t)table->frames_nr;
	ARRAY_GROW(table->frames, table->frames_nr + 1, table->frames_alloc);
	table->frames[table->frames_nr++] = *frame;
	table->frame_index[i] = id;
	if (is_full(table->frames_nr, table->frame_index_alloc))
		index_frames(table, table->frame_index_alloc * 2);
	return id;
}

uint32_t stack_table_frame(struct stack_table *table, uint32_t module, uint64_t offset)
{
	const struct frame frame = { .module = module, .offset = offset };

	wake_frames(table);
	return find_frame(table, &frame, hash_frame(&frame));
}

/* Among those that have no link; 0: it is not there. */
static uint32_t find_node(const struct stack_table *table, uint32_t parent, uint32_t frame)
{
	const struct stack_node node = { parent, frame };
	size_t i = hash_node(&node) & (table->node_index_alloc - 1);
	uint32_t id;

	while ((id = table->node_index[i])) {
		if (table->nodes[id].parent == parent && table->nodes[id].frame == frame)
			break;
		i = (i + 1) & (table->node_index_alloc - 1);
	}
	return id;
}

static uint32_t push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	uint32_t id = table->links[parent].child, linked = 0;

	for (; id; id = table->links[id].sibling) {
		if (table->nodes[id].frame == frame)
			return id;
		linked++;
	}
	if (linked == LINKED && (id = find_node(table, parent, frame)))
		return id;
	id = (uint32_t)table->nodes_nr;
	ARRAY_GROW(table->nodes, table->nodes_nr + 1, table->nodes_alloc);
	table->nodes[table->nodes_nr++] = (struct stack_node){ parent, frame };
	link_node(table, id, linked);
	return id;
}

uint32_t stack_table_push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	wake_nodes(table);
	return push(table, parent, frame);
}

/*
 * What is looked up is found by way of an index and of an array, each a wait for memory: have those of a whole
 * batch fetched at once.
 */
static void find_frames(struct stack_table *table, const struct frame *frames, size_t nr,
			uint32_t *ids)
{
	size_t mask = table->frame_index_alloc - 1;
	uint64_t hashes[BATCH];

	for (size_t i = 0; i < nr; i++) {
		hashes[i] = hash_frame(&frames[i]);
		__builtin_prefetch(&table->frame_index[hashes[i] & mask]);
	}
	for (size_t i = 0; i < nr; i++)
		__builtin_prefetch(&table->frames[table->frame_index[hashes[i] & mask]]);
	for (size_t i = 0; i < nr; i++)
		ids[i] = find_frame(table, &frames[i], hashes[i]);
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
