#include "trace/etl/etl_batch.h"

#include <stdlib.h>

#include "trace/etl/etl_kernel.h"
#include "util/alloc.h"

/* So many that threads wait for each other seldom. */
#define EVENTS_MAX 8192

/* A stack has two parts of a record's 64 KB at most. */
#define FRAMES_MAX ((size_t)1 << 18)
#define STACK_MAX  ((size_t)1 << 15)
#define PAGE       UINT64_C(4096)

void etl_batch_init(struct etl_batch *batch)
{
	*batch = (struct etl_batch){ .nr = 0 };
	batch->events = xcalloc(EVENTS_MAX, sizeof(*batch->events));
	batch->frames = xcalloc(FRAMES_MAX, sizeof(*batch->frames));
}

void etl_batch_release(struct etl_batch *batch)
{
	free(batch->events);
	free(batch->frames);
	*batch = (struct etl_batch){ .nr = 0 };
}

void etl_telling_init(struct etl_telling *telling, const struct etl_prelude *prelude,
		      struct etl_merge *merge, const struct etl_clock_base *clock, bool cpu,
		      bool memory)
{
	*telling = (struct etl_telling){
		.prelude = prelude,
		.merge = cpu || memory ? merge : NULL,
		.window = etl_window_new(prelude->keys, prelude->span),
		.clock = *clock,
		.cpu = cpu,
		.memory = memory,
		.ended = !cpu && !memory,
		.pids = INTMAP_INIT,
	};
	if (prelude->first <= prelude->last && etl_clock_time(clock, prelude->first) < 0)
		telling->before_ns = etl_clock_time(clock, prelude->first);
}

void etl_telling_release(struct etl_telling *telling)
{
	etl_window_free(telling->window);
	intmap_release(&telling->pids);
	*telling = (struct etl_telling){ .window = NULL };
}

static bool is_full(const struct etl_batch *batch)
{
	return batch->nr == EVENTS_MAX || batch->frames_nr + STACK_MAX > FRAMES_MAX;
}

static void tell_change(struct etl_batch *batch, struct etl_telling *telling,
			const struct etl_change *change)
{
	struct trace_event *event = &batch->events[batch->nr++];

	*event = trace_event_none;
	event->time_ns =
		change->time ? etl_clock_time(&telling->clock, change->time) : telling->before_ns;
	etl_timeline_tell(telling->prelude->timeline, change, event);
	if (event->kind == TRACE_THREAD_START)
		intmap_put(&telling->pids, event->tid, (void *)((uintptr_t)event->pid + 1));
}

/* What changed before something at `time`; false: the batch is full. */
static bool tell_changes(struct etl_batch *batch, struct etl_telling *telling, uint64_t time,
			 bool all)
{
	size_t nr;
	const struct etl_change *v = etl_timeline_changes(telling->prelude->timeline, &nr);

	for (; telling->change < nr; telling->change++) {
		const struct etl_change *change = &v[telling->change];

		if (!all &&
		    (change->time > time || (change->time == time && etl_change_is_end(change))))
			return true;
		if (is_full(batch))
			return false;
		tell_change(batch, telling, change);
	}
	return true;
}

static const uint64_t *copy_part(struct etl_batch *batch, const struct etl_telling *telling,
				 const struct etl_part *part)
{
	uint64_t *frames = &batch->frames[batch->frames_nr];

	etl_window_copy(telling->window, part, frames);
	batch->frames_nr += part->nr;
	return frames;
}

static struct trace_stack copy_stack(struct etl_batch *batch, const struct etl_telling *telling,
				     const struct etl_waiting *waiting)
{
	struct trace_stack stack = { .kernel_nr = waiting->kernel.nr, .user_nr = waiting->user.nr };

	stack.kernel = copy_part(batch, telling, &waiting->kernel);
	stack.user = copy_part(batch, telling, &waiting->user);
	return stack;
}

/* Where the part that it interrupted is not told its instruction is all of it. */
static void add_leaf(struct etl_batch *batch, const struct etl_waiting *waiting,
		     struct trace_stack *stack)
{
	bool kernel = etl_is_kernel(waiting->address, waiting->pointer);
	uint64_t *frame = &batch->frames[batch->frames_nr];

	if (kernel ? stack->kernel_nr : stack->user_nr)
		return;
	*frame = waiting->address;
	batch->frames_nr++;
	if (kernel) {
		stack->kernel = frame;
		stack->kernel_nr = 1;
	} else {
		stack->user = frame;
		stack->user_nr = 1;
	}
}

static int64_t id_of(uint32_t id, int64_t other)
{
	return id == ETL_NO_ID ? other : (int64_t)id;
}

static void tell_sample(struct etl_batch *batch, const struct etl_telling *telling,
			const struct etl_waiting *waiting, struct trace_event *event)
{
	uintptr_t pid = (uintptr_t)intmap_get(&telling->pids, waiting->tid);

	event->kind = TRACE_CPU;
	event->tid = waiting->tid;
	event->pid = pid ? (int64_t)pid - 1 : id_of(waiting->pid, -1);
	event->cpu_sample.weight_ns = (int64_t)waiting->size;
	event->cpu_sample.stack = copy_stack(batch, telling, waiting);
	add_leaf(batch, waiting, &event->cpu_sample.stack);
}

static bool find_op(const struct etl_waiting *waiting, enum memory_op *op)
{
	uint32_t flags = waiting->flags;

	if (waiting->kind == ETL_WAITING_FREE) {
		*op = flags & ETL_MEM_RELEASE ? MEMORY_RELEASE : MEMORY_DECOMMIT;
		return flags & (ETL_MEM_RELEASE | ETL_MEM_DECOMMIT);
	}
	*op = flags & ETL_MEM_COMMIT    ? MEMORY_FILL
	      : flags & ETL_MEM_RESERVE ? MEMORY_RESERVE
					: MEMORY_PURGE;
	return flags & (ETL_MEM_COMMIT | ETL_MEM_RESERVE | ETL_MEM_RESET);
}

static void tell_memory(struct etl_batch *batch, const struct etl_telling *telling,
			const struct etl_waiting *waiting, enum memory_op op,
			struct trace_event *event)
{
	uint64_t end = waiting->address + waiting->size;

	if (end < waiting->address || end > UINT64_MAX - PAGE)
		end = UINT64_MAX - PAGE + 1;
	event->kind = TRACE_MEMORY;
	event->pid = id_of(waiting->pid, waiting->target);
	event->tid = id_of(waiting->tid, -1);
	event->memory = (struct trace_memory){
		.op = op,
		.address = waiting->address & ~(PAGE - 1),
		.target_pid = waiting->target,
		.weight = waiting->stacked,
	};
	event->memory.length = ((end + PAGE - 1) & ~(PAGE - 1)) - event->memory.address;
	event->memory.stack = copy_stack(batch, telling, waiting);
}

static void tell(struct etl_batch *batch, const struct etl_telling *telling,
		 const struct etl_waiting *waiting)
{
	struct trace_event *event = &batch->events[batch->nr];
	enum memory_op op;

	*event = trace_event_none;
	event->cpu = (int32_t)waiting->cpu;
	event->time_ns = etl_clock_time(&telling->clock, waiting->time);
	if (waiting->kind == ETL_WAITING_SAMPLE)
		tell_sample(batch, telling, waiting, event);
	else if (waiting->size && find_op(waiting, &op))
		tell_memory(batch, telling, waiting, op, event);
	else
		return;
	batch->nr++;
}

/* The idle thread's are no one's. */
static void take_sample(struct etl_telling *telling, const struct etl_record *record)
{
	struct etl_sample sample;
	uint64_t interval_ns;

	if (!telling->cpu || !etl_decode_sample(record, &sample) || !sample.tid)
		return;
	interval_ns = etl_rates_find(telling->prelude->rates, record->time, &telling->rate);
	etl_window_add(telling->window,
		       &(struct etl_waiting){
			       .kind = ETL_WAITING_SAMPLE,
			       .time = record->time,
			       .address = sample.ip,
			       .size = interval_ns * (sample.count ? sample.count : 1),
			       .cpu = record->cpu,
			       .pid = ETL_NO_ID,
			       .tid = sample.tid,
			       .pointer = record->pointer,
		       });
}

static void take_memory(struct etl_telling *telling, const struct etl_record *record)
{
	struct etl_virtual call;

	if (!telling->memory || !etl_decode_virtual(record, &call))
		return;
	etl_window_add(telling->window,
		       &(struct etl_waiting){
			       .kind = record->opcode == ETL_VIRTUAL_ALLOC ? ETL_WAITING_ALLOC
									   : ETL_WAITING_FREE,
			       .time = record->time,
			       .address = call.base,
			       .size = call.size,
			       .cpu = record->cpu,
			       .pid = record->pid,
			       .tid = record->tid,
			       .target = call.pid,
			       .flags = call.flags,
			       .pointer = record->pointer,
		       });
}

static void take_stack(struct etl_telling *telling, const struct etl_record *record)
{
	struct etl_stack stack;

	if (record->opcode != ETL_STACK && record->opcode != ETL_STACK_KERNEL_KEY &&
	    record->opcode != ETL_STACK_USER_KEY)
		return;
	if (etl_decode_stack(record, &stack))
		etl_window_add_stack(telling->window, record, &stack);
}

static void take(struct etl_telling *telling, const struct etl_record *record)
{
	if (record->time > telling->now)
		telling->now = record->time;
	switch (record->provider) {
	case ETL_PERF_INFO:
		if (record->opcode == ETL_PERF_SAMPLE)
			take_sample(telling, record);
		break;
	case ETL_PAGE_FAULT:
		if (record->opcode == ETL_VIRTUAL_ALLOC || record->opcode == ETL_VIRTUAL_FREE)
			take_memory(telling, record);
		break;
	case ETL_STACK_WALK:
		take_stack(telling, record);
		break;
	default:
		break;
	}
}

/* A record in hand, or the next ones in hand. */
static int go_on(struct etl_telling *telling, struct err *err)
{
	int rc = 1;

	if (telling->at < telling->records_nr) {
		take(telling, &telling->records[telling->at++]);
		return 0;
	}
	telling->at = telling->records_nr = 0;
	rc = etl_merge_next(telling->merge, &telling->records, &telling->records_nr, err);
	telling->ended = rc <= 0;
	return rc < 0 ? -1 : 0;
}

int etl_batch_fill(struct etl_batch *batch, struct etl_telling *telling, struct err *err)
{
	batch->nr = batch->frames_nr = 0;
	while (!is_full(batch)) {
		const struct etl_waiting *oldest =
			etl_window_oldest(telling->window, telling->now, telling->ended);

		if (oldest) {
			if (!tell_changes(batch, telling, oldest->time, false) || is_full(batch))
				break;
			tell(batch, telling, oldest);
			etl_window_drop(telling->window);
		} else if (telling->ended) {
			tell_changes(batch, telling, 0, true);
			break;
		} else if (go_on(telling, err)) {
			return -1;
		}
	}
	return batch->nr > 0;
}
