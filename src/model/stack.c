#include "model/stack.h"

#include <stdlib.h>
#include <string.h>

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

static bool is_asleep(const struct stack_table *table, uint32_t parent)
{
	return parent < table->asleep_nr && table->asleep[parent / 8] >> parent % 8 & 1;
}

/* Add the children of a trimmed stack to the index again. */
static void wake_children(struct stack_table *table, uint32_t parent)
{
	uint32_t last = last_linked(table, parent);

	table->asleep[parent / 8] &= (unsigned char)~(1u << parent % 8);
	if (last == STACK_EMPTY)
		return;
	for (uint32_t id = table->nodes[last].sibling; id != STACK_EMPTY;
	     id = table->nodes[id].sibling)
		hash_index_add(&table->node_index, node_key(parent, table->nodes[id].frame), id);
}

/* Build the index of frames again, after stack_table_trim(). */
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
	free(table->asleep);
	table->asleep_nr = table->nodes_nr;
	table->asleep = xmalloc(table->nodes_nr / 8 + 1);
	memset(table->asleep, 0xff, table->nodes_nr / 8 + 1);
}

/* The frames and the stack that every table has. */
static void set_first(struct stack_table *table)
{
	for (uint32_t frame = 0; frame < FRAME_FIRST; frame++)
		table->frames[frame] = (struct frame){ .offset = frame };
	table->nodes[STACK_EMPTY] = (struct stack_node){ .frame = FRAME_TRUNCATED };
}

void stack_table_init(struct stack_table *table)
{
	*table = (struct stack_table){ .frames_nr = FRAME_FIRST, .nodes_nr = STACK_EMPTY + 1 };
	ARRAY_GROW(table->frames, FIRST_ALLOC, table->frames_alloc);
	ARRAY_GROW(table->nodes, FIRST_ALLOC, table->nodes_alloc);
	set_first(table);
}

void stack_table_release(struct stack_table *table)
{
	hash_index_release(&table->frame_index);
	hash_index_release(&table->node_index);
	free(table->asleep);
	free(table->frames);
	free(table->nodes);
	*table = (struct stack_table){ .frames = NULL };
}

void stack_table_forget_stacks(struct stack_table *table)
{
	table->nodes_nr = table->nodes_alloc = STACK_EMPTY + 1;
	table->nodes = xreallocarray(table->nodes, table->nodes_nr, sizeof(*table->nodes));
	table->nodes[STACK_EMPTY] = (struct stack_node){ .frame = FRAME_TRUNCATED };
	stack_table_trim(table);
}

/* Until the nodes are linked, `child` is the number of frames. */
static bool check_nodes(struct stack_table *table)
{
	for (size_t id = STACK_EMPTY + 1; id < table->nodes_nr; id++) {
		struct stack_node *node = &table->nodes[id];

		if (node->parent >= id || node->frame >= table->frames_nr)
			return false;
		node->child = table->nodes[node->parent].child + 1;
		if (node->child > STACK_DEPTH_MAX)
			return false;
	}
	return true;
}

/* The children of a stack are in the order of their numbers. */
static void link_nodes(struct stack_table *table)
{
	for (size_t id = STACK_EMPTY; id < table->nodes_nr; id++)
		table->nodes[id].child = STACK_EMPTY;
	for (uint32_t id = (uint32_t)table->nodes_nr - 1; id > STACK_EMPTY; id--) {
		struct stack_node *node = &table->nodes[id];
		uint32_t *first = &table->nodes[node->parent].child;

		node->sibling = *first;
		*first = id;
	}
}

bool stack_table_fill(struct stack_table *table, struct frame *frames, size_t frames_nr,
		      struct stack_node *nodes, size_t nodes_nr)
{
	stack_table_release(table);
	*table = (struct stack_table){
		.frames = frames,
		.frames_nr = frames_nr,
		.frames_alloc = frames_nr,
		.nodes = nodes,
		.nodes_nr = nodes_nr,
		.nodes_alloc = nodes_nr,
	};
	set_first(table);
	if (nodes_nr > UINT32_MAX || frames_nr > UINT32_MAX || !check_nodes(table)) {
		stack_table_release(table);
		stack_table_init(table);
		return false;
	}
	stack_table_limit_modules(table, SIZE_MAX);
	link_nodes(table);
	stack_table_trim(table);
	return true;
}

void stack_table_limit_modules(struct stack_table *table, size_t modules_nr)
{
	for (size_t i = FRAME_FIRST; i < table->frames_nr; i++) {
		struct frame *frame = &table->frames[i];

		if (!frame->module || frame->module >= modules_nr)
			*frame = (struct frame){ .module = 0, .offset = FRAME_UNKNOWN };
	}
}

/* Move the stacks that are kept together, in their old order and with their old frames. */
static void move_nodes(struct stack_table *table, uint32_t *numbers)
{
	uint32_t nr = STACK_EMPTY + 1;

	for (size_t id = table->nodes_nr - 1; id > STACK_EMPTY; id--)
		if (numbers[id])
			numbers[table->nodes[id].parent] = 1;
	numbers[STACK_EMPTY] = STACK_EMPTY;
	for (size_t id = STACK_EMPTY + 1; id < table->nodes_nr; id++) {
		const struct stack_node *node = &table->nodes[id];

		if (!numbers[id])
			continue;
		numbers[id] = nr;
		table->nodes[nr++] = (struct stack_node){ .parent = numbers[node->parent],
							  .frame = node->frame };
	}
	table->nodes_nr = table->nodes_alloc = nr;
	table->nodes = xreallocarray(table->nodes, nr, sizeof(*table->nodes));
}

static int compare_frames(const struct frame *a, const struct frame *b)
{
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Whether the stacks are depth first, the callees of each caller by frame. */
static bool are_ordered(const struct stack_table *table)
{
	const struct stack_node *nodes = table->nodes;

	for (uint32_t id = STACK_EMPTY + 2; id < table->nodes_nr; id++) {
		uint32_t at = id - 1, before = STACK_EMPTY;

		for (; at != STACK_EMPTY && at != nodes[id].parent; at = nodes[at].parent)
			before = at;
		if (at != nodes[id].parent ||
		    (before != STACK_EMPTY && compare_frames(&table->frames[nodes[before].frame],
							     &table->frames[nodes[id].frame]) >= 0))
			return false;
	}
	return true;
}

struct ranked_frame {
	struct frame frame;
	uint32_t id;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_frame *x = a, *y = b;
	int order = compare_frames(&x->frame, &y->frame);

	return order ? order : x->id < y->id ? -1 : x->id > y->id;
}

/* Link the stacks so that the callees of each caller are by frame. */
static void link_by_frame(struct stack_table *table)
{
	struct ranked_frame *ranked = xcalloc(table->frames_nr, sizeof(*ranked));
	uint32_t *of_frame = xcalloc(table->frames_nr, sizeof(*of_frame)); /* the last such stack */
	uint32_t *before = xcalloc(table->nodes_nr, sizeof(*before));      /* of the same frame */

	table->nodes[STACK_EMPTY].child = STACK_EMPTY;
	for (uint32_t id = STACK_EMPTY + 1; id < table->nodes_nr; id++) {
		uint32_t *last = &of_frame[table->nodes[id].frame];

		before[id] = *last;
		*last = id;
	}
	for (uint32_t i = 0; i < table->frames_nr; i++)
		ranked[i] = (struct ranked_frame){ table->frames[i], i };
	qsort(ranked, table->frames_nr, sizeof(*ranked), compare_ranked);
	for (size_t i = table->frames_nr; i--;) {
		for (uint32_t id = of_frame[ranked[i].id]; id != STACK_EMPTY; id = before[id]) {
			uint32_t *first = &table->nodes[table->nodes[id].parent].child;

			table->nodes[id].sibling = *first;
			*first = id;
		}
	}
	free(ranked);
	free(of_frame);
	free(before);
}

/* Number the linked stacks depth first: by stack its new number. */
static uint32_t *number_depth_first(const struct stack_table *table)
{
	const struct stack_node *nodes = table->nodes;
	uint32_t *numbers = xcalloc(table->nodes_nr, sizeof(*numbers));
	uint32_t at = nodes[STACK_EMPTY].child, nr = STACK_EMPTY;

	while (at != STACK_EMPTY) {
		numbers[at] = ++nr;
		if (nodes[at].child != STACK_EMPTY) {
			at = nodes[at].child;
			continue;
		}
		while (at != STACK_EMPTY && nodes[at].sibling == STACK_EMPTY)
			at = nodes[at].parent;
		at = nodes[at].sibling;
	}
	return numbers;
}

/* Put the stacks into the order of are_ordered(). */
static void order_nodes(struct stack_table *table, uint32_t *numbers, size_t nr)
{
	struct stack_node *nodes = table->nodes;
	uint32_t *places;

	link_by_frame(table);
	places = number_depth_first(table);
	for (size_t id = 0; id < nr; id++)
		numbers[id] = places[numbers[id]];
	for (size_t id = STACK_EMPTY + 1; id < table->nodes_nr; id++)
		nodes[id].parent = places[nodes[id].parent];
	for (uint32_t id = STACK_EMPTY + 1; id < table->nodes_nr; id++) {
		while (places[id] != id) {
			uint32_t place = places[id];
			struct stack_node moved = nodes[place];

			nodes[place] = nodes[id];
			nodes[id] = moved;
			places[id] = places[place];
			places[place] = place;
		}
	}
	free(places);
}

/* Keep the frames that stacks have, in the order of their first use. */
static void keep_frames(struct stack_table *table)
{
	struct frame *kept = xcalloc(table->frames_nr, sizeof(*kept));
	uint32_t *numbers = xcalloc(table->frames_nr, sizeof(*numbers));
	uint32_t nr = FRAME_FIRST;

	memcpy(kept, table->frames, FRAME_FIRST * sizeof(*kept));
	for (size_t id = STACK_EMPTY + 1; id < table->nodes_nr; id++) {
		uint32_t *frame = &table->nodes[id].frame;

		if (*frame < FRAME_FIRST)
			continue;
		if (!numbers[*frame]) {
			kept[nr] = table->frames[*frame];
			numbers[*frame] = nr++;
		}
		*frame = numbers[*frame];
	}
	free(numbers);
	free(table->frames);
	table->frames = kept;
	table->frames_alloc = table->frames_nr;
	table->frames_nr = nr;
}

void stack_table_keep(struct stack_table *table, uint32_t *numbers)
{
	size_t nr = table->nodes_nr;

	move_nodes(table, numbers);
	if (!are_ordered(table))
		order_nodes(table, numbers, nr);
	keep_frames(table);
	link_nodes(table);
	stack_table_trim(table);
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
		if (is_asleep(table, parent))
			wake_children(table, parent);
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
	for (size_t i = 0; i < nr; i++) {
		parent = push(table, parent, frames[i]);
		if (stacks)
			stacks[i] = parent;
	}
	return parent;
}
