#include "trace/etl/etl_keys.h"

#include <stdlib.h>

#include "model/stack.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/hash_index.h"

/* A few minutes of a fully loaded machine have a tenth of these. */
#define DEFINITIONS_MAX ((size_t)1 << 22)
#define LATE_MAX        ((size_t)1 << 21)
#define NODES_MAX       ((size_t)1 << 23)

/* Bits of an offset in a buffer, which has 16 MB at most. */
#define OFFSET_BITS 24

#define ADDRESSES 1 /* the module of all frames: offsets are addresses */

struct definition {
	uint64_t key;
	struct etl_moment recorded;
	uint32_t stack;
	uint16_t session;
};

/* The definitions of one key: begin to end. `next` is the first one that the next reference can mean. */
struct key {
	size_t begin, next, end;
};

struct etl_keys {
	struct stack_table stacks;
	struct definition *v;
	size_t nr, alloc;
	struct key *keys;
	size_t keys_nr;
	struct hash_index index; /* of keys */
	struct etl_late *late;
	size_t late_nr, late_alloc;
	struct frame *frames; /* scratch */
	uint32_t *ids;
	size_t frames_alloc, ids_alloc;
	uint64_t dropped;
};

struct etl_keys *etl_keys_new(void)
{
	struct etl_keys *keys = xcalloc(1, sizeof(*keys));

	stack_table_init(&keys->stacks);
	return keys;
}

void etl_keys_free(struct etl_keys *keys)
{
	if (!keys)
		return;
	stack_table_release(&keys->stacks);
	free(keys->v);
	free(keys->keys);
	hash_index_release(&keys->index);
	free(keys->late);
	free(keys->frames);
	free(keys->ids);
	free(keys);
}

/* Add frames from..to of a stack to the table, root first. */
static uint32_t intern(struct etl_keys *keys, const struct etl_stack *stack, size_t from, size_t to)
{
	size_t nr = to - from;

	if (!nr)
		return STACK_EMPTY;
	ARRAY_GROW(keys->frames, nr, keys->frames_alloc);
	ARRAY_GROW(keys->ids, nr, keys->ids_alloc);
	for (size_t i = 0; i < nr; i++)
		keys->frames[i] = (struct frame){ ADDRESSES, etl_stack_frame(stack, to - 1 - i) };
	stack_table_frames(&keys->stacks, keys->frames, nr, keys->ids);
	return stack_table_push_all(&keys->stacks, STACK_EMPTY, keys->ids, nr, NULL);
}

static struct etl_moment moment_of(const struct etl_record *record)
{
	return (struct etl_moment){ record->time,
				    record->buffer_offset << OFFSET_BITS | record->offset,
				    record->cpu };
}

static bool is_full(const struct etl_keys *keys)
{
	return keys->stacks.nodes_nr >= NODES_MAX;
}

uint64_t etl_keys_dropped(const struct etl_keys *keys)
{
	return keys->dropped;
}

void etl_keys_define(struct etl_keys *keys, const struct etl_record *record,
		     const struct etl_stack *stack)
{
	if (keys->nr >= DEFINITIONS_MAX || is_full(keys)) {
		keys->dropped++;
		return;
	}
	ARRAY_GROW(keys->v, keys->nr + 1, keys->alloc);
	keys->v[keys->nr++] =
		(struct definition){ stack->key, moment_of(record),
				     intern(keys, stack, 0, stack->nr), record->session };
}

static void add_late(struct etl_keys *keys, const struct etl_late *late)
{
	ARRAY_GROW(keys->late, keys->late_nr + 1, keys->late_alloc);
	keys->late[keys->late_nr++] = *late;
}

void etl_keys_add_late(struct etl_keys *keys, const struct etl_record *record,
		       const struct etl_stack *stack)
{
	struct etl_late late = {
		.time = stack->time,
		.recorded = moment_of(record),
		.pid = stack->pid,
		.tid = stack->tid,
		.session = record->session,
	};
	size_t kernel;

	if (keys->late_nr + 2 > LATE_MAX || is_full(keys)) {
		keys->dropped++;
		return;
	}
	if (record->opcode != ETL_STACK) {
		late.kernel = record->opcode == ETL_STACK_KERNEL_KEY;
		late.key = stack->key;
		add_late(keys, &late);
		return;
	}
	kernel = etl_stack_kernel_nr(stack);
	if (kernel) {
		late.kernel = true;
		late.stack = intern(keys, stack, 0, kernel);
		add_late(keys, &late);
	}
	if (kernel < stack->nr) {
		late.kernel = false;
		late.stack = intern(keys, stack, kernel, stack->nr);
		add_late(keys, &late);
	}
}

static int compare_moments(const struct etl_moment *a, const struct etl_moment *b)
{
	int order = compare_u64(a->time, b->time);

	if (!order)
		order = compare_u64(a->cpu, b->cpu);
	return order ? order : compare_u64(a->place, b->place);
}

static int by_key(const void *a, const void *b)
{
	const struct definition *x = a, *y = b;
	int order = compare_u64(x->session, y->session);

	if (!order)
		order = compare_u64(x->key, y->key);
	return order ? order : compare_moments(&x->recorded, &y->recorded);
}

static int by_time(const void *a, const void *b)
{
	const struct etl_late *x = a, *y = b;
	int order = compare_u64(x->time, y->time);

	if (!order)
		order = compare_u64(x->session, y->session);
	if (!order)
		order = compare_moments(&x->recorded, &y->recorded);
	return order ? order : compare_u64(!x->kernel, !y->kernel);
}

static bool is_of(const struct definition *definition, uint16_t session, uint64_t key)
{
	return definition->session == session && definition->key == key;
}

static uint64_t hash_of(uint16_t session, uint64_t key)
{
	return key ^ (uint64_t)session << 48;
}

/* Find a key; NULL: it has no definition. */
static struct key *find_key(const struct etl_keys *keys, uint16_t session, uint64_t key)
{
	uint32_t at;

	HASH_INDEX_FIND(at, &keys->index, hash_of(session, key), i,
			is_of(&keys->v[keys->keys[i].begin], session, key));
	return at == HASH_INDEX_NONE ? NULL : &keys->keys[at];
}

/* Of successive equal definitions of a key keep only the last. */
static void merge_definitions(struct etl_keys *keys)
{
	size_t nr = 0;

	for (size_t i = 0; i < keys->nr; i++) {
		const struct definition *next = &keys->v[i];

		if (nr && is_of(next, keys->v[nr - 1].session, keys->v[nr - 1].key) &&
		    next->stack == keys->v[nr - 1].stack)
			nr--;
		keys->v[nr++] = *next;
	}
	keys->nr = nr;
}

static void index_keys(struct etl_keys *keys)
{
	size_t different = 0;

	for (size_t i = 0; i < keys->nr; i++)
		different += !i || !is_of(&keys->v[i], keys->v[i - 1].session, keys->v[i - 1].key);
	keys->keys = xcalloc(different, sizeof(*keys->keys));
	for (size_t i = 0; i < keys->nr; i++) {
		const struct definition *definition = &keys->v[i];

		if (!i || !is_of(definition, definition[-1].session, definition[-1].key)) {
			hash_index_add(&keys->index, hash_of(definition->session, definition->key),
				       (uint32_t)keys->keys_nr);
			keys->keys[keys->keys_nr++] = (struct key){ .begin = i, .next = i };
		}
		keys->keys[keys->keys_nr - 1].end = i + 1;
	}
}

static uint32_t find(const struct etl_keys *keys, struct key *key,
		     const struct etl_moment *recorded)
{
	while (key->next < key->end && compare_moments(&keys->v[key->next].recorded, recorded) < 0)
		key->next++;
	return key->next < key->end ? keys->v[key->next].stack : 0;
}

void etl_keys_make(struct etl_keys *keys)
{
	if (keys->nr)
		qsort(keys->v, keys->nr, sizeof(*keys->v), by_key);
	merge_definitions(keys);
	index_keys(keys);
	for (size_t i = 0; i < keys->late_nr; i++) {
		struct etl_late *late = &keys->late[i];
		const struct key *found;
		struct key key;

		if (!late->key)
			continue;
		found = find_key(keys, late->session, late->key);
		if (!found)
			continue;
		key = *found;
		late->stack = find(keys, &key, &late->recorded);
	}
	if (keys->late_nr)
		qsort(keys->late, keys->late_nr, sizeof(*keys->late), by_time);
}

void etl_keys_rewind(struct etl_keys *keys)
{
	for (size_t i = 0; i < keys->keys_nr; i++)
		keys->keys[i].next = keys->keys[i].begin;
}

uint32_t etl_keys_find(struct etl_keys *keys, const struct etl_record *record, uint64_t key)
{
	const struct etl_moment recorded = moment_of(record);
	struct key *found = find_key(keys, record->session, key);

	return found ? find(keys, found, &recorded) : 0;
}

const struct etl_late *etl_keys_late(const struct etl_keys *keys, size_t *nr)
{
	*nr = keys->late_nr;
	return keys->late;
}

size_t etl_keys_depth(const struct etl_keys *keys, uint32_t stack)
{
	size_t nr = 0;

	for (; stack != STACK_EMPTY; stack = keys->stacks.nodes[stack].parent)
		nr++;
	return nr;
}

void etl_keys_frames(const struct etl_keys *keys, uint32_t stack, uint64_t *frames, size_t nr)
{
	for (size_t i = 0; i < nr && stack != STACK_EMPTY; i++) {
		const struct stack_node *node = &keys->stacks.nodes[stack];

		frames[i] = keys->stacks.frames[node->frame].offset;
		stack = node->parent;
	}
}
