#include "model/stack.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/array.h"

#define INDEX_FIRST 1024

/* So many frames are looked up at once. */
#define BATCH 32

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

static uint64_t hash_frame(const struct frame *frame)
{
	return mix(frame->offset ^ (uint64_t)frame->module << 40 ^ (uint64_t)frame->level << 20);
}

/*
 * Of a stack by its frames, not by its caller's id: so where all stacks of a call chain are in the index is known
 * before any of them was found.
 */
static uint32_t hash_stack(uint32_t parent_hash, uint32_t frame)
{
	return (uint32_t)mix((uint64_t)parent_hash << 32 | frame);
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

static void index_nodes(struct stack_table *table, size_t alloc)
{
	free(table->node_index);
	table->node_index_alloc = alloc;
	table->node_index = xcalloc(alloc, sizeof(*table->node_index));
	for (size_t i = STACK_EMPTY + 1; i < table->nodes_nr; i++)
		place(table->node_index, alloc, table->hashes[i], (uint32_t)i);
}

/* Something is looked for after stack_table_rest(). */
static void wake(struct stack_table *table)
{
	if (table->node_index)
		return;
	index_frames(table, table->frame_index_alloc);
	index_nodes(table, table->node_index_alloc);
}

void stack_table_rest(struct stack_table *table)
{
	free(table->frame_index);
	free(table->node_index);
	table->frame_index = table->node_index = NULL;
}

/* With an index of at most three quarters. */
static bool is_full(size_t nr, size_t alloc)
{
	return nr > alloc / 4 * 3;
}

void stack_table_init(struct stack_table *table)
{
	*table = (struct stack_table){
		.frames_nr = FRAME_FIRST,
		.nodes_nr = STACK_EMPTY + 1,
		.frame_index_alloc = INDEX_FIRST,
		.node_index_alloc = INDEX_FIRST,
	};
	ARRAY_GROW(table->frames, INDEX_FIRST / 2, table->frames_alloc);
	ARRAY_GROW(table->nodes, INDEX_FIRST / 2, table->nodes_alloc);
	ARRAY_GROW(table->hashes, INDEX_FIRST / 2, table->hashes_alloc);
	table->frames[FRAME_TRUNCATED] = (struct frame){ .offset = FRAME_TRUNCATED };
	table->frames[FRAME_NOT_SAMPLED] = (struct frame){ .offset = FRAME_NOT_SAMPLED };
	table->frames[FRAME_UNKNOWN] = (struct frame){ .offset = FRAME_UNKNOWN };
	table->nodes[STACK_EMPTY] = (struct stack_node){ STACK_EMPTY, FRAME_TRUNCATED };
	table->hashes[STACK_EMPTY] = 0;
	table->frame_index = xcalloc(INDEX_FIRST, sizeof(*table->frame_index));
	table->node_index = xcalloc(INDEX_FIRST, sizeof(*table->node_index));
}

void stack_table_release(struct stack_table *table)
{
	free(table->frames);
	free(table->nodes);
	free(table->hashes);
	free(table->frame_index);
	free(table->node_index);
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

		if (at->offset == frame->offset && at->module == frame->module &&
		    at->level == frame->level)
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

	wake(table);
	return find_frame(table, &frame, hash_frame(&frame));
}

uint32_t stack_table_inlined(struct stack_table *table, uint32_t frame, uint32_t level)
{
	struct frame inlined = table->frames[frame];

	inlined.level = level;
	wake(table);
	return find_frame(table, &inlined, hash_frame(&inlined));
}

static uint32_t add_node(struct stack_table *table, uint32_t parent, uint32_t frame, uint32_t hash)
{
	uint32_t id = (uint32_t)table->nodes_nr;

	ARRAY_GROW(table->nodes, table->nodes_nr + 1, table->nodes_alloc);
	ARRAY_GROW(table->hashes, table->nodes_nr + 1, table->hashes_alloc);
	table->nodes[id] = (struct stack_node){ parent, frame };
	table->hashes[id] = hash;
	table->nodes_nr++;
	return id;
}

static uint32_t push_hashed(struct stack_table *table, uint32_t parent, uint32_t frame,
			    uint32_t hash)
{
	size_t i = hash & (table->node_index_alloc - 1);
	uint32_t id;

	while ((id = table->node_index[i])) {
		if (table->nodes[id].parent == parent && table->nodes[id].frame == frame)
			return id;
		i = (i + 1) & (table->node_index_alloc - 1);
	}
	id = add_node(table, parent, frame, hash);
	table->node_index[i] = id;
	if (is_full(table->nodes_nr, table->node_index_alloc))
		index_nodes(table, table->node_index_alloc * 2);
	return id;
}

uint32_t stack_table_push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	wake(table);
	return push_hashed(table, parent, frame, hash_stack(table->hashes[parent], frame));
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

static uint32_t push_batch(struct stack_table *table, uint32_t parent, const uint32_t *frames,
			   size_t nr)
{
	size_t mask = table->node_index_alloc - 1;
	uint32_t hash = table->hashes[parent], hashes[BATCH];

	for (size_t i = 0; i < nr; i++) {
		hashes[i] = hash = hash_stack(hash, frames[i]);
		__builtin_prefetch(&table->node_index[hash & mask]);
	}
	for (size_t i = 0; i < nr; i++)
		__builtin_prefetch(&table->nodes[table->node_index[hashes[i] & mask]]);
	for (size_t i = 0; i < nr; i++)
		parent = push_hashed(table, parent, frames[i], hashes[i]);
	return parent;
}

uint32_t stack_table_push_all(struct stack_table *table, uint32_t parent,
			      const struct frame *frames, size_t nr)
{
	uint32_t ids[BATCH];

	wake(table);
	for (size_t i = 0; i < nr; i += BATCH) {
		size_t batch = nr - i < BATCH ? nr - i : BATCH;

		find_frames(table, frames + i, batch, ids);
		parent = push_batch(table, parent, ids, batch);
	}
	return parent;
}

uint32_t stack_table_push_ids(struct stack_table *table, uint32_t parent, const uint32_t *frames,
			      size_t nr)
{
	wake(table);
	for (size_t i = 0; i < nr; i += BATCH)
		parent = push_batch(table, parent, frames + i, nr - i < BATCH ? nr - i : BATCH);
	return parent;
}
