#include "trace/etl/etl_window.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* More than ten million events per second: no recording has that many. */
#define WAITING_MAX   ((size_t)1 << 17)
#define WAITING_FIRST 1024
#define FRAMES_FIRST  ((size_t)1 << 16)
#define FRAMES_MAX    ((size_t)1 << 22)

/* If more events have one time stamp (with a coarse clock), only the last ones are searched for that of a part. */
#define SAME_TIME_MAX 1024

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

bool etl_window_is_late(uint64_t span, const struct etl_record *record,
			const struct etl_stack *stack)
{
	return record->time > stack->time && record->time - stack->time > span;
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
	size_t nr = etl_keys_depth(window->keys, stack);

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

static void join_kept(struct etl_window *window, const struct etl_late *part)
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
		join_kept(window, &(struct etl_late){
					  .time = stack->time,
					  .pid = stack->pid,
					  .tid = stack->tid,
					  .recorded.cpu = record->cpu,
					  .stack = etl_keys_find(window->keys, record, stack->key),
					  .kernel = record->opcode == ETL_STACK_KERNEL_KEY,
				  });
}

/* Join the late parts of all events with this time stamp, that of the oldest event. */
static void join_late(struct etl_window *window, uint64_t time)
{
	size_t nr;
	const struct etl_late *v = etl_keys_late(window->keys, &nr);

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
		etl_keys_frames(window->keys, (uint32_t)part->at, to, part->nr);
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
