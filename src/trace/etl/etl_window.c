#include "trace/etl/etl_window.h"

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

/* More than ten million events per second: no recording has that many. */
#define WAITING_MAX   ((size_t)1 << 17)
#define WAITING_FIRST 1024
#define FRAMES_FIRST  ((size_t)1 << 16)
#define FRAMES_MAX    ((size_t)1 << 22)

/* If more events have one time stamp (with a coarse clock), only the last ones are searched for that of a part. */
#define SAME_TIME_MAX 1024

/* When a record was written: by time, then in the order of etl_merge.h. */
struct moment {
	uint64_t time;
	uint64_t place; /* position in the buffers of its processor */
	uint32_t cpu;
};

/* A part of a stack that was written late. */
struct late {
	uint64_t time; /* of its event */
	uint64_t key;
	struct moment recorded;
	uint32_t pid, tid;
	uint32_t stack; /* 0: its key is not defined */
	uint16_t session;
	bool kernel;
};

struct definition {
	uint64_t key;
	struct moment recorded;
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
	struct late *late;
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

static struct moment moment_of(const struct etl_record *record)
{
	return (struct moment){ record->time, record->buffer_offset << OFFSET_BITS | record->offset,
				record->cpu };
}

static bool keys_are_full(const struct etl_keys *keys)
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
	if (keys->nr >= DEFINITIONS_MAX || keys_are_full(keys)) {
		keys->dropped++;
		return;
	}
	ARRAY_ADD(keys->v, keys->nr, keys->alloc,
		  (struct definition){ stack->key, moment_of(record),
				       intern(keys, stack, 0, stack->nr), record->session });
}

static void add_late(struct etl_keys *keys, const struct late *late)
{
	ARRAY_ADD(keys->late, keys->late_nr, keys->late_alloc, *late);
}

void etl_keys_add_late(struct etl_keys *keys, const struct etl_record *record,
		       const struct etl_stack *stack)
{
	struct late late = {
		.time = stack->time,
		.recorded = moment_of(record),
		.pid = stack->pid,
		.tid = stack->tid,
		.session = record->session,
	};
	size_t kernel;

	if (keys->late_nr + 2 > LATE_MAX || keys_are_full(keys)) {
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

static int compare_moments(const struct moment *a, const struct moment *b)
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
	const struct late *x = a, *y = b;
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

static uint32_t find(const struct etl_keys *keys, struct key *key, const struct moment *recorded)
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
		struct late *late = &keys->late[i];
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

/* The stack of a reference; 0: its key is not defined later. To be called in order of time. */
static uint32_t find_reference(struct etl_keys *keys, const struct etl_record *record, uint64_t key)
{
	const struct moment recorded = moment_of(record);
	struct key *found = find_key(keys, record->session, key);

	return found ? find(keys, found, &recorded) : 0;
}

static size_t depth_of(const struct etl_keys *keys, uint32_t stack)
{
	size_t nr = 0;

	for (; stack != STACK_EMPTY; stack = keys->stacks.nodes[stack].parent)
		nr++;
	return nr;
}

/* The frames of a stack, the leaf first: at most `nr`. */
static void copy_frames(const struct etl_keys *keys, uint32_t stack, uint64_t *frames, size_t nr)
{
	for (size_t i = 0; i < nr && stack != STACK_EMPTY; i++) {
		const struct stack_node *node = &keys->stacks.nodes[stack];

		frames[i] = keys->stacks.frames[node->frame].offset;
		stack = node->parent;
	}
}

/* A ring of events, by time, and a ring of frames. Positions are counted from the start of the trace. */
struct etl_window {
	struct etl_keys *keys;
	uint64_t span;
	struct etl_waiting *v;
	size_t alloc; /* a power of two */
	uint64_t head, tail;
	uint64_t *frames;
	size_t frames_alloc; /* a power of two */
	uint64_t frames_head, frames_tail;
	size_t late_next;
	bool late_joined; /* late parts of `late_time` are joined */
	uint64_t late_time;
};

struct etl_window *etl_window_new(struct etl_keys *keys, uint64_t span)
{
	struct etl_window *window = xcalloc(1, sizeof(*window));

	window->keys = keys;
	window->span = span;
	window->alloc = WAITING_FIRST;
	window->v = xcalloc(window->alloc, sizeof(*window->v));
	window->frames_alloc = FRAMES_FIRST;
	window->frames = xcalloc(window->frames_alloc, sizeof(*window->frames));
	return window;
}

void etl_window_free(struct etl_window *window)
{
	if (!window)
		return;
	free(window->v);
	free(window->frames);
	free(window);
}

static struct etl_waiting *at(const struct etl_window *window, uint64_t place)
{
	return &window->v[place & (window->alloc - 1)];
}

static void grow(struct etl_window *window)
{
	struct etl_waiting *v = xcalloc(window->alloc * 2, sizeof(*v));

	for (uint64_t i = window->head; i < window->tail; i++)
		v[i & (window->alloc * 2 - 1)] = *at(window, i);
	free(window->v);
	window->v = v;
	window->alloc *= 2;
}

void etl_window_add(struct etl_window *window, const struct etl_waiting *waiting)
{
	struct etl_waiting *place;

	if (window->tail - window->head == window->alloc)
		grow(window);
	place = at(window, window->tail++);
	*place = *waiting;
	place->frames = window->frames_tail;
}

/* The first event that is not before `time`: usually one of the last. */
static uint64_t find_time(const struct etl_window *window, uint64_t time)
{
	uint64_t low = window->head, high = window->tail, step = 1;

	while (high > low) {
		uint64_t probe = high - low > step ? high - step : low;

		if (at(window, probe)->time < time) {
			low = probe + 1;
			break;
		}
		high = probe;
		step *= 2;
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (at(window, middle)->time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first event with this time stamp that is searched. */
static uint64_t find_first(const struct etl_window *window, uint64_t time)
{
	uint64_t first = find_time(window, time);

	if (window->tail - first <= SAME_TIME_MAX ||
	    at(window, first + SAME_TIME_MAX)->time != time)
		return first;
	return (time < UINT64_MAX ? find_time(window, time + 1) : window->tail) - SAME_TIME_MAX;
}

/* Parts of a stack, as bits. */
enum parts {
	KERNEL = 1,
	USER = 2,
};

static bool has_any(const struct etl_waiting *waiting, unsigned parts)
{
	return (parts & KERNEL && waiting->kernel.nr) || (parts & USER && waiting->user.nr);
}

/* The event that the parts belong to; NULL: it is not in the window. */
static struct etl_waiting *find_event(const struct etl_window *window, uint64_t time, uint32_t tid,
				      uint32_t cpu, unsigned parts)
{
	struct etl_waiting *same_cpu = NULL;

	for (uint64_t i = find_first(window, time); i < window->tail; i++) {
		struct etl_waiting *waiting = at(window, i);

		if (waiting->time != time)
			break;
		if (has_any(waiting, parts))
			continue;
		if (waiting->tid == tid)
			return waiting;
		if (waiting->tid == ETL_NO_ID && waiting->cpu == cpu && !same_cpu)
			same_cpu = waiting;
	}
	return same_cpu;
}

/* Note that the event has a stack, and set its thread from the stack's, if unknown. */
static void take_thread(struct etl_waiting *waiting, uint32_t pid, uint32_t tid)
{
	waiting->stacked = true;
	if (waiting->tid == ETL_NO_ID)
		waiting->tid = tid;
	if (waiting->pid == ETL_NO_ID)
		waiting->pid = pid;
}

static void grow_frames(struct etl_window *window, size_t nr)
{
	size_t alloc = window->frames_alloc;
	uint64_t *frames;

	while (window->frames_tail + nr - window->frames_head > alloc)
		alloc *= 2;
	if (alloc == window->frames_alloc)
		return;
	frames = xcalloc(alloc, sizeof(*frames));
	for (uint64_t i = window->frames_head; i < window->frames_tail; i++)
		frames[i & (alloc - 1)] = window->frames[i & (window->frames_alloc - 1)];
	free(window->frames);
	window->frames = frames;
	window->frames_alloc = alloc;
}

static void add_frames(struct etl_window *window, const struct etl_stack *stack, size_t from,
		       size_t to, struct etl_part *part)
{
	size_t mask;

	if (from == to)
		return;
	grow_frames(window, to - from);
	mask = window->frames_alloc - 1;
	*part = (struct etl_part){ .at = window->frames_tail, .nr = (uint32_t)(to - from) };
	for (size_t i = from; i < to; i++)
		window->frames[window->frames_tail++ & mask] = etl_stack_frame(stack, i);
}

static void add_kept(const struct etl_window *window, uint32_t stack, struct etl_part *part)
{
	size_t nr = depth_of(window->keys, stack);

	if (nr)
		*part = (struct etl_part){ .at = stack, .nr = (uint32_t)nr, .kept = true };
}

static void join_frames(struct etl_window *window, const struct etl_record *record,
			const struct etl_stack *stack)
{
	size_t kernel = etl_stack_kernel_nr(stack);
	unsigned parts = (kernel ? KERNEL : 0u) | (kernel < stack->nr ? USER : 0u);
	struct etl_waiting *waiting =
		find_event(window, stack->time, stack->tid, record->cpu, parts);

	if (!waiting)
		return;
	take_thread(waiting, stack->pid, stack->tid);
	add_frames(window, stack, 0, kernel, &waiting->kernel);
	add_frames(window, stack, kernel, stack->nr, &waiting->user);
}

static void join_kept(struct etl_window *window, const struct late *part)
{
	struct etl_waiting *waiting = find_event(window, part->time, part->tid, part->recorded.cpu,
						 part->kernel ? KERNEL : USER);

	if (!waiting)
		return;
	take_thread(waiting, part->pid, part->tid);
	add_kept(window, part->stack, part->kernel ? &waiting->kernel : &waiting->user);
}

void etl_window_add_stack(struct etl_window *window, const struct etl_record *record,
			  const struct etl_stack *stack)
{
	if (etl_window_is_late(window->span, record, stack))
		return;
	if (record->opcode == ETL_STACK)
		join_frames(window, record, stack);
	else
		join_kept(window, &(struct late){
					  .time = stack->time,
					  .pid = stack->pid,
					  .tid = stack->tid,
					  .recorded.cpu = record->cpu,
					  .stack = find_reference(window->keys, record, stack->key),
					  .kernel = record->opcode == ETL_STACK_KERNEL_KEY,
				  });
}

/* Join the late parts of all events with this time stamp, that of the oldest event. */
static void join_late(struct etl_window *window, uint64_t time)
{
	const struct late *v = window->keys->late;
	size_t nr = window->keys->late_nr;

	if (window->late_joined && window->late_time == time)
		return;
	window->late_joined = true;
	window->late_time = time;
	while (window->late_next < nr && v[window->late_next].time < time)
		window->late_next++;
	for (size_t i = window->late_next; i < nr && v[i].time == time; i++)
		join_kept(window, &v[i]);
}

static bool is_full(const struct etl_window *window)
{
	return window->tail - window->head >= WAITING_MAX ||
	       window->frames_tail - window->frames_head >= FRAMES_MAX;
}

const struct etl_waiting *etl_window_peek(const struct etl_window *window)
{
	return window->head < window->tail ? at(window, window->head) : NULL;
}

const struct etl_waiting *etl_window_oldest(struct etl_window *window, uint64_t now, bool all)
{
	const struct etl_waiting *oldest;

	if (window->head == window->tail)
		return NULL;
	oldest = at(window, window->head);
	if (!all && !is_full(window) && (oldest->time >= now || now - oldest->time <= window->span))
		return NULL;
	join_late(window, oldest->time);
	return oldest;
}

void etl_window_copy(const struct etl_window *window, const struct etl_part *part, uint64_t *to)
{
	if (part->kept) {
		copy_frames(window->keys, (uint32_t)part->at, to, part->nr);
		return;
	}
	for (uint32_t i = 0; i < part->nr; i++)
		to[i] = window->frames[(part->at + i) & (window->frames_alloc - 1)];
}

void etl_window_drop(struct etl_window *window)
{
	window->head++;
	window->frames_head = window->head == window->tail ? window->frames_tail
							   : at(window, window->head)->frames;
}
