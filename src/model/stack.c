#include "model/stack.h"

#include <stdlib.h>

#include "util/array.h"

#define INDEX_FIRST 1024

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

static void grow_frame_index(struct stack_table *table)
{
	free(table->frame_index);
	table->frame_index_alloc *= 2;
	table->frame_index = xcalloc(table->frame_index_alloc, sizeof(*table->frame_index));
	for (size_t i = FRAME_FIRST; i < table->frames_nr; i++)
		place(table->frame_index, table->frame_index_alloc, hash_frame(&table->frames[i]),
		      (uint32_t)i);
}

static void grow_node_index(struct stack_table *table)
{
	free(table->node_index);
	table->node_index_alloc *= 2;
	table->node_index = xcalloc(table->node_index_alloc, sizeof(*table->node_index));
	for (size_t i = STACK_EMPTY + 1; i < table->nodes_nr; i++)
		place(table->node_index, table->node_index_alloc, hash_node(&table->nodes[i]),
		      (uint32_t)i);
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
	table->frames[FRAME_TRUNCATED] = (struct frame){ 0, FRAME_TRUNCATED };
	table->frames[FRAME_NOT_SAMPLED] = (struct frame){ 0, FRAME_NOT_SAMPLED };
	table->nodes[STACK_EMPTY] = (struct stack_node){ STACK_EMPTY, FRAME_TRUNCATED };
	table->frame_index = xcalloc(INDEX_FIRST, sizeof(*table->frame_index));
	table->node_index = xcalloc(INDEX_FIRST, sizeof(*table->node_index));
}

void stack_table_release(struct stack_table *table)
{
	free(table->frames);
	free(table->nodes);
	free(table->frame_index);
	free(table->node_index);
	*table = (struct stack_table){ .frames = NULL };
}

uint32_t stack_table_frame(struct stack_table *table, uint32_t module, uint64_t offset)
{
	const struct frame frame = { module, offset };
	size_t i = hash_frame(&frame) & (table->frame_index_alloc - 1);
	uint32_t id;

	while ((id = table->frame_index[i])) {
		if (table->frames[id].offset == offset && table->frames[id].module == module)
			return id;
		i = (i + 1) & (table->frame_index_alloc - 1);
	}
	id = (uint32_t)table->frames_nr;
	ARRAY_GROW(table->frames, table->frames_nr + 1, table->frames_alloc);
	table->frames[table->frames_nr++] = frame;
	table->frame_index[i] = id;
	if (table->frames_nr * 2 > table->frame_index_alloc)
		grow_frame_index(table);
	return id;
}

uint32_t stack_table_push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	const struct stack_node node = { parent, frame };
	size_t i = hash_node(&node) & (table->node_index_alloc - 1);
	uint32_t id;

	while ((id = table->node_index[i])) {
		if (table->nodes[id].parent == parent && table->nodes[id].frame == frame)
			return id;
		i = (i + 1) & (table->node_index_alloc - 1);
	}
	id = (uint32_t)table->nodes_nr;
	ARRAY_GROW(table->nodes, table->nodes_nr + 1, table->nodes_alloc);
	table->nodes[table->nodes_nr++] = node;
	table->node_index[i] = id;
	if (table->nodes_nr * 2 > table->node_index_alloc)
		grow_node_index(table);
	return id;
}
