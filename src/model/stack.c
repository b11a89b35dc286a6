#include "model/stack.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define FIRST_ALLOC 512

/* This many frames are looked up at once. */
#define BATCH 32

static uint64_t frame_key(const struct frame *frame)
{
	return frame->offset ^ (uint64_t)frame->module << 40;
}

static uint64_t node_key(uint32_t parent, uint32_t frame)
{
	return (uint64_t)parent << 32 | frame;
}

/*
 * A stack that was added right after its caller follows it in the array, where it is found at once. Most are like that: all
 * but the first callee that a new stack adds. Only the others are in the index.
 */
static bool follows_caller(const struct stack_table *table, uint32_t id)
{
	return table->nodes[id].parent == id - 1;
}

/* Stacks are indexed when the index is needed: not all lookups need it, and stack_table_trim() empties it. */
static void index_nodes(struct stack_table *table)
{
	for (; table->indexed < table->nodes_nr; table->indexed++) {
		uint32_t id = (uint32_t)table->indexed;

		if (id != STACK_EMPTY && !follows_caller(table, id))
			hash_index_add(&table->node_index,
				       node_key(table->nodes[id].parent, table->nodes[id].frame),
				       id);
	}
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
	table->indexed = 0;
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

static bool check_nodes(const struct stack_table *table)
{
	uint32_t *depths = xcalloc(table->nodes_nr, sizeof(*depths));
	bool ok = true;

	for (size_t id = STACK_EMPTY + 1; ok && id < table->nodes_nr; id++) {
		const struct stack_node *node = &table->nodes[id];

		ok = node->parent < id && node->frame < table->frames_nr;
		if (ok)
			depths[id] = depths[node->parent] + 1;
		ok = ok && depths[id] <= STACK_DEPTH_MAX;
	}
	free(depths);
	return ok;
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

/* Mark the callers of the stacks that are marked. Returns whether all stacks are. */
static bool mark_callers(const struct stack_table *table, uint32_t *marks)
{
	bool all = true;

	for (size_t id = table->nodes_nr - 1; id > STACK_EMPTY; id--) {
		if (marks[id])
			marks[table->nodes[id].parent] = 1;
		else
			all = false;
	}
	return all;
}

/* Move the stacks that are marked together, in their old order and with their old frames. */
static void move_nodes(struct stack_table *table, uint32_t *numbers)
{
	uint32_t nr = STACK_EMPTY + 1;

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

/* By frame: its place in the order of modules and offsets. */
static uint32_t *rank_frames(const struct stack_table *table)
{
	struct ranked_frame *sorted = xcalloc(table->frames_nr, sizeof(*sorted));
	uint32_t *ranks = xcalloc(table->frames_nr, sizeof(*ranks));

	for (uint32_t i = 0; i < table->frames_nr; i++)
		sorted[i] = (struct ranked_frame){ table->frames[i], i };
	qsort(sorted, table->frames_nr, sizeof(*sorted), compare_ranked);
	for (uint32_t i = 0; i < table->frames_nr; i++)
		ranks[sorted[i].id] = i;
	free(sorted);
	return ranks;
}

/* By stack: the first of its callees, and the next one of the same caller; STACK_EMPTY: there is none. */
struct callees {
	uint32_t *first, *next;
};

struct ranked_stack {
	uint32_t rank, id;
};

static int compare_ranked_stacks(const void *a, const void *b)
{
	const struct ranked_stack *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Sort the callees of each caller by frame. */
static void sort_callees(const struct stack_table *table, struct callees *callees)
{
	uint32_t *ranks = rank_frames(table);
	struct ranked_stack *sorted = NULL;
	size_t alloc = 0;

	for (uint32_t caller = STACK_EMPTY; caller < table->nodes_nr; caller++) {
		uint32_t *last = &callees->first[caller];
		size_t nr = 0;

		if (*last == STACK_EMPTY || callees->next[*last] == STACK_EMPTY)
			continue;
		for (uint32_t at = *last; at != STACK_EMPTY; at = callees->next[at])
			ARRAY_ADD(sorted, nr, alloc,
				  (struct ranked_stack){ ranks[table->nodes[at].frame], at });
		qsort(sorted, nr, sizeof(*sorted), compare_ranked_stacks);
		for (size_t i = 0; i < nr; i++) {
			*last = sorted[i].id;
			last = &callees->next[sorted[i].id];
		}
		*last = STACK_EMPTY;
	}
	free(sorted);
	free(ranks);
}

static struct callees find_callees(const struct stack_table *table)
{
	struct callees callees = {
		xcalloc(table->nodes_nr, sizeof(*callees.first)),
		xcalloc(table->nodes_nr, sizeof(*callees.next)),
	};

	for (uint32_t id = (uint32_t)table->nodes_nr - 1; id > STACK_EMPTY; id--) {
		uint32_t *first = &callees.first[table->nodes[id].parent];

		callees.next[id] = *first;
		*first = id;
	}
	sort_callees(table, &callees);
	return callees;
}

/* Number the stacks depth first: by stack its new number. */
static uint32_t *number_depth_first(const struct stack_table *table)
{
	struct callees callees = find_callees(table);
	uint32_t *numbers = xcalloc(table->nodes_nr, sizeof(*numbers));
	uint32_t at = callees.first[STACK_EMPTY], nr = STACK_EMPTY;

	while (at != STACK_EMPTY) {
		numbers[at] = ++nr;
		if (callees.first[at] != STACK_EMPTY) {
			at = callees.first[at];
			continue;
		}
		while (at != STACK_EMPTY && callees.next[at] == STACK_EMPTY)
			at = table->nodes[at].parent;
		at = callees.next[at];
	}
	free(callees.first);
	free(callees.next);
	return numbers;
}

/* Put the stacks into the order of are_ordered(). */
static void order_nodes(struct stack_table *table, uint32_t *numbers, size_t nr)
{
	uint32_t *places = number_depth_first(table);
	struct stack_node *ordered = xcalloc(table->nodes_nr, sizeof(*ordered));

	for (size_t id = 0; id < nr; id++)
		numbers[id] = places[numbers[id]];
	for (size_t id = 0; id < table->nodes_nr; id++)
		ordered[places[id]] = (struct stack_node){ places[table->nodes[id].parent],
							   table->nodes[id].frame };
	free(places);
	free(table->nodes);
	table->nodes = ordered;
	table->nodes_alloc = table->nodes_nr;
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

/* Whether stacks have all frames, in the order of their first use. */
static bool frames_are_ordered(const struct stack_table *table)
{
	uint32_t nr = FRAME_FIRST;

	for (size_t id = STACK_EMPTY + 1; id < table->nodes_nr; id++) {
		uint32_t frame = table->nodes[id].frame;

		if (frame > nr)
			return false;
		nr += frame == nr;
	}
	return nr == table->frames_nr;
}

bool stack_table_keep(struct stack_table *table, uint32_t *numbers)
{
	size_t nr = table->nodes_nr;
	bool all = mark_callers(table, numbers), ordered;

	stack_table_trim(table);
	if (!all)
		move_nodes(table, numbers);
	ordered = are_ordered(table);
	if (all && ordered && frames_are_ordered(table))
		return false;
	for (uint32_t id = 0; all && id < nr; id++)
		numbers[id] = id;
	if (!ordered)
		order_nodes(table, numbers, nr);
	keep_frames(table);
	return true;
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

/* STACK_EMPTY: there is none. */
static uint32_t find_callee(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	uint32_t id = parent + 1;

	if (id == table->nodes_nr)
		return STACK_EMPTY;
	if (follows_caller(table, id) && table->nodes[id].frame == frame)
		return id;
	index_nodes(table);
	HASH_INDEX_FIND(id, &table->node_index, node_key(parent, frame), i,
			table->nodes[i].parent == parent && table->nodes[i].frame == frame);
	return id == HASH_INDEX_NONE ? STACK_EMPTY : id;
}

uint32_t stack_table_append(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	ARRAY_ADD(table->nodes, table->nodes_nr, table->nodes_alloc,
		  (struct stack_node){ .parent = parent, .frame = frame });
	return (uint32_t)table->nodes_nr - 1;
}

static uint32_t push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	uint32_t id = find_callee(table, parent, frame);

	return id != STACK_EMPTY ? id : stack_table_append(table, parent, frame);
}

uint32_t stack_table_push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	return push(table, parent, frame);
}

static void find_frames(struct stack_table *table, const struct frame *frames, size_t nr,
			uint32_t *ids)
{
	for (size_t i = 0; i < nr; i++)
		hash_index_prefetch(&table->frame_index, frame_key(&frames[i]));
	for (size_t i = 0; i < nr; i++) {
		uint32_t first = hash_index_first(&table->frame_index, frame_key(&frames[i]));

		if (first != HASH_INDEX_NONE)
			__builtin_prefetch(&table->frames[first]);
	}
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
