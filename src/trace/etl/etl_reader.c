#include "trace/etl/etl_reader.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/pipeline.h"
#include "trace/etl/etl_clock.h"
#include "trace/etl/etl_digest.h"
#include "trace/etl/etl_heap.h"
#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_merge.h"
#include "trace/etl/etl_scan.h"
#include "trace/etl/etl_switches.h"
#include "trace/etl/etl_window.h"
#include "util/alloc.h"
#include "util/intmap.h"

/* Enough that threads rarely wait for each other. */
#define EVENTS_MAX 1024

/* A stack has at most two parts, each of a record's 64 KB. */
#define FRAMES_MAX ((size_t)1 << 18)
#define STACK_MAX  ((size_t)1 << 15)

struct batch {
	struct trace_event *events;
	size_t nr;
	uint64_t *frames; /* frames that the events point to */
	size_t frames_nr;
};

/* State that is kept from batch to batch. */
struct decoding {
	const struct etl_scan *scan;
	struct etl_merge *merge; /* NULL: only changes are requested, or there is a digest */
	struct etl_digest_reader *digest; /* NULL: there is none */
	struct etl_window *window;
	struct etl_switches *switches; /* NULL: the trace has none, or they are not requested */
	struct etl_clock_base clock;
	bool cpu, memory, heap, no_stacks;
	const struct etl_record *records; /* current records, from `at` on */
	size_t records_nr, at;
	uint64_t now;
	size_t waiting; /* events in the window */
	bool ended;     /* no more records */
	size_t change, rate;
	uint64_t change_time; /* at least that of the next change, if there is one */
	int64_t before_ns;    /* time of what existed before the trace */
	struct intmap pids;   /* by thread; pid plus one */
};

struct etl_reader {
	struct etl_file **files;
	size_t files_nr;
	struct helper *helper;
	struct etl_merge *merge;
	struct etl_scan scan;
	struct decoding decoding;
	struct batch batches[PIPELINE_SLOTS];
	struct pipeline *pipeline;
	struct trace_facts *facts;
	bool scanned, ended; /* scanned: the scan and everything above exist */
};

static void batch_init(struct batch *batch)
{
	*batch = (struct batch){ .nr = 0 };
	batch->events = xcalloc(EVENTS_MAX, sizeof(*batch->events));
	batch->frames = xcalloc(FRAMES_MAX, sizeof(*batch->frames));
}

static void batch_release(struct batch *batch)
{
	free(batch->events);
	free(batch->frames);
	*batch = (struct batch){ .nr = 0 };
}

/*
 * What is needed by time. If stacks are not, they name the process of an event that waits because its thread is not
 * known.
 */
static unsigned kinds_of(const struct etl_scan *scan, const struct trace_options *options,
			 bool switches)
{
	/* Whether the threads of heap calls are known is not checked. */
	bool waits = (options->cpu && !scan->threads_known) || options->heap;

	/* Samples too show who ran, and what was lost. */
	return (options->cpu || switches ? ETL_SAMPLES : 0u) | (options->memory ? ETL_MEMORY : 0u) |
	       (!options->no_stacks || waits ? ETL_STACKS : 0u) |
	       (options->heap || switches ? ETL_OTHERS : 0u);
}

/* `switches` become the decoding's. */
static void decoding_init(struct decoding *decoding, const struct etl_scan *scan,
			  struct etl_merge *merge, struct etl_switches *switches,
			  const struct etl_clock_base *clock, const struct trace_options *options)
{
	bool digest = etl_scan_has_digest(scan, options);
	bool events = !digest && (options->cpu || options->memory || options->heap || switches);

	*decoding = (struct decoding){
		.scan = scan,
		.switches = switches,
		.merge = events ? merge : NULL,
		.digest = digest ? etl_digest_reader_new(scan->digest) : NULL,
		.window = etl_window_new(scan->keys, scan->span),
		.clock = *clock,
		.cpu = options->cpu,
		.memory = options->memory,
		.heap = options->heap,
		.no_stacks = options->no_stacks,
		.ended = !events,
		.pids = INTMAP_INIT,
	};
	if (scan->first <= scan->last && etl_clock_time(clock, scan->first) < 0)
		decoding->before_ns = etl_clock_time(clock, scan->first);
}

static void decoding_release(struct decoding *decoding)
{
	etl_digest_reader_free(decoding->digest);
	etl_window_free(decoding->window);
	etl_switches_free(decoding->switches);
	intmap_release(&decoding->pids);
	*decoding = (struct decoding){ .window = NULL };
}

static bool is_full(const struct batch *batch)
{
	return batch->nr == EVENTS_MAX || batch->frames_nr + STACK_MAX > FRAMES_MAX;
}

static void emit_change(struct batch *batch, struct decoding *decoding,
			const struct etl_change *change)
{
	struct trace_event *event = &batch->events[batch->nr++];

	*event = trace_event_none;
	event->time_ns =
		change->time ? etl_clock_time(&decoding->clock, change->time) : decoding->before_ns;
	etl_timeline_event(decoding->scan->timeline, change, event);
	if (event->kind == TRACE_THREAD_START)
		intmap_put(&decoding->pids, event->tid, (void *)((uintptr_t)event->pid + 1));
}

static bool emit_next_changes(struct batch *batch, struct decoding *decoding, uint64_t time,
			      bool all)
{
	size_t nr;
	const struct etl_change *v = etl_timeline_changes(decoding->scan->timeline, &nr);

	for (; decoding->change < nr; decoding->change++) {
		const struct etl_change *change = &v[decoding->change];

		if (!all &&
		    (change->time > time || (change->time == time && etl_change_is_end(change)))) {
			decoding->change_time = change->time;
			return true;
		}
		if (is_full(batch))
			return false;
		emit_change(batch, decoding, change);
	}
	decoding->change_time = UINT64_MAX;
	return true;
}

/* Emit the changes before `time`. False: the batch is full. */
static inline bool emit_changes(struct batch *batch, struct decoding *decoding, uint64_t time,
				bool all)
{
	return (!all && time < decoding->change_time) ||
	       emit_next_changes(batch, decoding, time, all);
}

static const uint64_t *copy_part(struct batch *batch, const struct decoding *decoding,
				 const struct etl_part *part)
{
	uint64_t *frames = &batch->frames[batch->frames_nr];

	etl_window_copy(decoding->window, part, frames);
	batch->frames_nr += part->nr;
	return frames;
}

static struct trace_stack copy_stack(struct batch *batch, const struct decoding *decoding,
				     const struct etl_waiting *waiting)
{
	struct trace_stack stack = { .kernel_nr = waiting->kernel.nr,
				     .user_nr = waiting->user.nr,
				     .kernel_from = etl_kernel_from(waiting->pointer) };

	stack.kernel = copy_part(batch, decoding, &waiting->kernel);
	stack.user = copy_part(batch, decoding, &waiting->user);
	return stack;
}

/* If the part of the stack in which the sample was taken is missing, it is the sampled address. */
static void add_leaf(struct batch *batch, const struct etl_waiting *waiting,
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

/* The process of a thread; -1: the trace has no start of the thread so far. */
static int64_t pid_of(const struct decoding *decoding, uint32_t tid)
{
	return (int64_t)(uintptr_t)intmap_get(&decoding->pids, tid) - 1;
}

static void emit_sample(struct batch *batch, const struct decoding *decoding,
			const struct etl_waiting *waiting, struct trace_event *event)
{
	int64_t pid = pid_of(decoding, waiting->tid);

	event->kind = TRACE_CPU;
	event->tid = waiting->tid;
	event->pid = pid >= 0 ? pid : id_of(waiting->pid, -1);
	event->cpu_sample.weight_ns = (int64_t)waiting->size;
	if (decoding->no_stacks)
		return;
	event->cpu_sample.stack = copy_stack(batch, decoding, waiting);
	add_leaf(batch, waiting, &event->cpu_sample.stack);
}

/* The caller of memory is not needed without its stack. */
static void set_memory(struct trace_event *event, uint32_t target, enum memory_op op,
		       uint64_t address, uint64_t length)
{
	event->kind = TRACE_MEMORY;
	event->pid = event->memory.target_pid = target;
	event->tid = -1;
	event->memory.op = op;
	event->memory.address = address;
	event->memory.length = length;
}

static void emit_memory(struct batch *batch, const struct decoding *decoding,
			const struct etl_waiting *waiting, struct trace_event *event)
{
	set_memory(event, waiting->target, (enum memory_op)waiting->op, waiting->address,
		   waiting->size);
	if (decoding->no_stacks)
		return;
	event->pid = id_of(waiting->pid, waiting->target);
	event->tid = id_of(waiting->tid, -1);
	event->memory.weight = waiting->stacked;
	event->memory.stack = copy_stack(batch, decoding, waiting);
}

static void emit_heap(struct batch *batch, const struct decoding *decoding,
		      const struct etl_waiting *waiting, struct trace_event *event)
{
	event->kind = TRACE_HEAP;
	event->pid = id_of(waiting->pid, -1);
	event->tid = id_of(waiting->tid, -1);
	event->heap.op = (enum heap_op)waiting->op;
	event->heap.heap = waiting->heap;
	event->heap.address = waiting->address;
	event->heap.size = waiting->size;
	if (decoding->no_stacks)
		return;
	event->heap.weight = waiting->stacked;
	event->heap.stack = copy_stack(batch, decoding, waiting);
}

static void emit(struct batch *batch, const struct decoding *decoding,
		 const struct etl_waiting *waiting)
{
	struct trace_event *event = &batch->events[batch->nr];

	if (waiting->kind == ETL_WAITING_NOTHING)
		return;
	*event = trace_event_none;
	event->cpu = (int32_t)waiting->cpu;
	event->time_ns = etl_clock_time(&decoding->clock, waiting->time);
	if (waiting->kind == ETL_WAITING_SAMPLE)
		emit_sample(batch, decoding, waiting, event);
	else if (waiting->kind == ETL_WAITING_HEAP)
		emit_heap(batch, decoding, waiting, event);
	else
		emit_memory(batch, decoding, waiting, event);
	batch->nr++;
}

/* If stacks are not needed, an event waits only if its process is known from its stack alone, or behind such an event. */
static bool has_to_wait(const struct decoding *decoding, const struct etl_waiting *waiting)
{
	return !decoding->no_stacks ||
	       (waiting->kind == ETL_WAITING_SAMPLE && pid_of(decoding, waiting->tid) < 0) ||
	       (waiting->kind == ETL_WAITING_HEAP && waiting->pid == ETL_NO_ID);
}

/* Emit the changes before an event. What waits for its stack alone is none. False: the batch is full. */
static bool emit_changes_before(struct batch *batch, struct decoding *decoding,
				const struct etl_waiting *waiting)
{
	return waiting->kind == ETL_WAITING_NOTHING ||
	       (emit_changes(batch, decoding, waiting->time, false) && !is_full(batch));
}

static bool may_emit(struct batch *batch, struct decoding *decoding,
		     const struct etl_waiting *waiting)
{
	return decoding->no_stacks && !decoding->waiting &&
	       emit_changes_before(batch, decoding, waiting) && !has_to_wait(decoding, waiting);
}

static void wait_for_stack(struct decoding *decoding, const struct etl_waiting *waiting)
{
	etl_window_add(decoding->window, waiting);
	decoding->waiting++;
}

static void add(struct batch *batch, struct decoding *decoding, const struct etl_waiting *waiting)
{
	if (may_emit(batch, decoding, waiting))
		emit(batch, decoding, waiting);
	else
		wait_for_stack(decoding, waiting);
}

/* Copied, as GCC 12 clears structs of this size slowly: see trace_event_none. */
static const struct etl_waiting none = { .pid = ETL_NO_ID, .tid = ETL_NO_ID };

static struct etl_waiting waiting_of(const struct etl_record *record, enum etl_waiting_kind kind)
{
	struct etl_waiting waiting = none;

	waiting.kind = (uint8_t)kind;
	waiting.time = record->time;
	waiting.cpu = record->cpu;
	waiting.pointer = record->pointer;
	return waiting;
}

/* The time that a sample stands for; to be called in order of time. */
static int64_t weight_of(struct decoding *decoding, uint64_t time, uint64_t count)
{
	uint64_t interval_ns = etl_rates_find(decoding->scan->rates, time, &decoding->rate);

	return (int64_t)(interval_ns * (count ? count : 1));
}

/* Samples of the idle thread belong to no process: they are dropped. */
static void take_sample(struct batch *batch, struct decoding *decoding,
			const struct etl_record *record)
{
	struct etl_waiting waiting;
	struct etl_sample sample;

	if (!decoding->cpu || !etl_decode_sample(record, &sample) || !sample.tid)
		return;
	waiting = waiting_of(record, ETL_WAITING_SAMPLE);
	waiting.address = sample.ip;
	waiting.size = (uint64_t)weight_of(decoding, record->time, sample.count);
	waiting.tid = sample.tid;
	add(batch, decoding, &waiting);
}

static void take_memory(struct batch *batch, struct decoding *decoding,
			const struct etl_record *record)
{
	struct etl_waiting waiting;
	struct etl_virtual call;
	struct etl_pages pages;
	bool effective;

	if (!decoding->memory || !etl_decode_virtual(record, &call))
		return;
	effective = etl_pages_of(record->opcode, &call, &pages);
	waiting = waiting_of(record, effective ? ETL_WAITING_MEMORY : ETL_WAITING_NOTHING);
	waiting.address = pages.address;
	waiting.size = pages.length;
	waiting.pid = record->pid;
	waiting.tid = record->tid;
	waiting.target = call.pid;
	waiting.op = effective ? (uint8_t)pages.op : 0;
	add(batch, decoding, &waiting);
}

static void take_heap(struct batch *batch, struct decoding *decoding,
		      const struct etl_record *record)
{
	struct etl_waiting waiting;
	struct etl_heap_call call;
	enum heap_op op;

	if (!decoding->heap || !etl_heap_is_call(record->opcode) ||
	    !etl_decode_heap(record, &call) || !etl_heap_op(&call, &op))
		return;
	waiting = waiting_of(record, ETL_WAITING_HEAP);
	waiting.op = (uint8_t)op;
	waiting.heap = call.heap;
	waiting.address = call.address;
	waiting.size = call.size;
	waiting.pid = record->pid;
	waiting.tid = record->tid;
	add(batch, decoding, &waiting);
}

static void take_stack(struct decoding *decoding, const struct etl_record *record)
{
	struct etl_stack stack;

	if (record->opcode != ETL_STACK && record->opcode != ETL_STACK_KERNEL_KEY &&
	    record->opcode != ETL_STACK_USER_KEY)
		return;
	if (decoding->no_stacks && !decoding->waiting)
		return;
	if (etl_decode_stack(record, &stack))
		etl_window_add_stack(decoding->window, record, &stack);
}

static void take(struct batch *batch, struct decoding *decoding, const struct etl_record *record)
{
	if (record->time > decoding->now)
		decoding->now = record->time;
	if (decoding->switches)
		etl_switches_take(decoding->switches, record);
	switch (record->provider) {
	case ETL_PERF_INFO:
		if (record->opcode == ETL_PERF_SAMPLE)
			take_sample(batch, decoding, record);
		break;
	case ETL_PAGE_FAULT:
		if (record->opcode == ETL_VIRTUAL_ALLOC || record->opcode == ETL_VIRTUAL_FREE)
			take_memory(batch, decoding, record);
		break;
	case ETL_HEAP:
		take_heap(batch, decoding, record);
		break;
	case ETL_STACK_WALK:
		take_stack(decoding, record);
		break;
	default:
		break;
	}
}

/* Process the next current record, or get the next ones. */
static int go_on(struct batch *batch, struct decoding *decoding, struct err *err)
{
	int rc = 1;

	if (decoding->at < decoding->records_nr) {
		take(batch, decoding, &decoding->records[decoding->at++]);
		return 0;
	}
	decoding->at = decoding->records_nr = 0;
	rc = etl_merge_next(decoding->merge, &decoding->records, &decoding->records_nr, err);
	decoding->ended = rc <= 0;
	if (!rc && decoding->switches)
		etl_switches_end(decoding->switches);
	return rc < 0 ? -1 : 0;
}

/* The oldest event that does not wait any more; NULL: there is none. */
static const struct etl_waiting *find_oldest(const struct decoding *decoding)
{
	const struct etl_waiting *oldest;

	if (!decoding->waiting)
		return NULL;
	oldest = etl_window_peek(decoding->window);
	return etl_window_oldest(decoding->window, decoding->now,
				 decoding->ended || !has_to_wait(decoding, oldest));
}

/* The next run, if no event that waits is before it; NULL. */
static const struct etl_run *find_run(const struct decoding *decoding)
{
	const struct etl_run *run =
		decoding->switches ? etl_switches_peek(decoding->switches) : NULL;
	const struct etl_waiting *oldest = run ? etl_window_peek(decoding->window) : NULL;

	return oldest && oldest->time < run->at ? NULL : run;
}

/* Times of a damaged file may be further apart than nanoseconds can count: such a run is dropped. */
static bool is_ordered(const struct trace_run *run)
{
	return run->blocked_ns <= run->ready_ns && run->ready_ns <= run->from_ns &&
	       run->from_ns <= run->to_ns;
}

static void emit_run(struct batch *batch, const struct decoding *decoding,
		     const struct etl_run *run)
{
	struct trace_event *event = &batch->events[batch->nr];
	const struct etl_clock_base *clock = &decoding->clock;

	*event = trace_event_none;
	event->kind = TRACE_RUN;
	event->cpu = (int32_t)run->cpu;
	event->time_ns = etl_clock_time(clock, run->at);
	event->tid = run->gap ? -1 : (int64_t)run->tid;
	event->pid = run->gap ? -1 : pid_of(decoding, run->tid);
	event->run = (struct trace_run){ .blocked_ns = etl_clock_time(clock, run->blocked),
					 .ready_ns = etl_clock_time(clock, run->ready),
					 .from_ns = etl_clock_time(clock, run->from),
					 .to_ns = etl_clock_time(clock, run->to),
					 .switched = run->switched,
					 .gap = run->gap };
	batch->nr += is_ordered(&event->run);
}

static void emit_brief(struct batch *batch, struct decoding *decoding,
		       const struct etl_brief *brief)
{
	struct trace_event *event = &batch->events[batch->nr++];

	*event = trace_event_none;
	event->cpu = (int32_t)brief->cpu;
	event->time_ns = etl_clock_time(&decoding->clock, brief->time);
	if (brief->sample) {
		event->kind = TRACE_CPU;
		event->tid = brief->id;
		event->pid = pid_of(decoding, brief->id);
		event->cpu_sample.weight_ns = weight_of(decoding, brief->time, brief->count);
	} else {
		set_memory(event, brief->id, brief->op, brief->address, brief->length);
	}
}

static void fill_from_digest(struct batch *batch, struct decoding *decoding)
{
	const struct etl_brief *brief = etl_digest_reader_first(decoding->digest);

	while (!is_full(batch)) {
		if (!emit_changes(batch, decoding, brief ? brief->time : 0, !brief) ||
		    is_full(batch) || !brief)
			return;
		emit_brief(batch, decoding, brief);
		brief = etl_digest_reader_next(decoding->digest);
	}
}

/* Get the next events. Returns 1; 0: end; -1: failure. */
static int fill_batch(struct batch *batch, struct decoding *decoding, struct err *err)
{
	batch->nr = batch->frames_nr = 0;
	if (decoding->digest) {
		fill_from_digest(batch, decoding);
		return batch->nr > 0;
	}
	while (!is_full(batch)) {
		const struct etl_run *run = find_run(decoding);
		const struct etl_waiting *oldest = run ? NULL : find_oldest(decoding);

		if (run) {
			if (!emit_changes(batch, decoding, run->at, false) || is_full(batch))
				break;
			emit_run(batch, decoding, run);
			etl_switches_drop(decoding->switches);
		} else if (oldest) {
			if (!emit_changes_before(batch, decoding, oldest))
				break;
			emit(batch, decoding, oldest);
			etl_window_drop(decoding->window);
			decoding->waiting--;
		} else if (decoding->ended) {
			emit_changes(batch, decoding, 0, true);
			break;
		} else if (go_on(batch, decoding, err)) {
			return -1;
		}
	}
	return batch->nr > 0;
}

static int make(void *data, size_t slot, struct err *err)
{
	struct etl_reader *reader = data;

	return fill_batch(&reader->batches[slot], &reader->decoding, err);
}

int etl_reader_next(struct etl_reader *reader, const struct trace_event **events, size_t *nr,
		    struct err *err)
{
	const struct batch *batch;
	size_t slot;
	int rc;

	if (reader->ended)
		return 0;
	rc = pipeline_next(reader->pipeline, &slot, err);
	reader->ended = rc <= 0;
	batch = &reader->batches[slot];
	*events = batch->events;
	*nr = batch->nr;
	return rc;
}

/* `base_ns` is a time of QPC, the clock of programs: for other clocks the first tick is used. */
static struct etl_clock_base find_base(const struct etl_reader *reader, int64_t base_ns)
{
	const struct etl_header *header = etl_file_header(reader->files[0]);
	struct etl_clock_base base = { header->frequency, base_ns };
	uint64_t first = header->first_tick;
	bool other = header->clock == ETL_CLOCK_SYSTEM || header->clock == ETL_CLOCK_CYCLES;

	if (base_ns != TRACE_BASE_FIRST && !other)
		return base;
	for (size_t i = 1; i < reader->files_nr; i++) {
		uint64_t tick = etl_file_header(reader->files[i])->first_tick;

		if (tick < first)
			first = tick;
	}
	base.base_ns = (int64_t)etl_clock_ns(first, base.frequency);
	return base;
}

static int open_merge(struct etl_reader *reader, int threads, struct err *err)
{
	reader->helper = helper_new(threads);
	return etl_merge_new(reader->files, reader->files_nr, reader->helper, &reader->merge, err);
}

static int scan_files(struct etl_reader *reader, const struct trace_options *options,
		      struct err *err)
{
	reader->scanned = true;
	if (etl_scan_files(&reader->scan, reader->files, reader->files_nr, options, reader->helper,
			   err))
		return -1;
	etl_scan_set_facts(&reader->scan, reader->files, reader->files_nr, reader->facts);
	return 0;
}

static void stop(struct etl_reader *reader)
{
	pipeline_free(reader->pipeline);
	reader->pipeline = NULL;
	for (size_t i = 0; i < PIPELINE_SLOTS; i++)
		batch_release(&reader->batches[i]);
	decoding_release(&reader->decoding);
	etl_merge_free(reader->merge);
	reader->merge = NULL;
	helper_free(reader->helper);
	reader->helper = NULL;
}

static void start(struct etl_reader *reader, const struct trace_options *options)
{
	struct etl_clock_base base = find_base(reader, options->base_ns);
	struct etl_switches *switches = NULL;

	etl_scan_set_times(&reader->scan, &base, reader->facts);
	etl_keys_rewind(reader->scan.keys);
	if (options->switches && reader->facts->has_switches)
		switches = etl_switches_new(reader->files, reader->files_nr);
	etl_merge_only(reader->merge, kinds_of(&reader->scan, options, switches));
	decoding_init(&reader->decoding, &reader->scan, reader->merge, switches, &base, options);
	for (size_t i = 0; i < (options->threads > 1 ? PIPELINE_SLOTS : 1); i++)
		batch_init(&reader->batches[i]);
	reader->ended = false;
	reader->pipeline = pipeline_new(make, NULL, reader, options->threads);
}

int etl_reader_open(struct etl_file *const *files, size_t nr, const struct trace_options *options,
		    struct trace_facts *facts, struct etl_reader **reader, struct err *err)
{
	struct etl_reader *made = xcalloc(1, sizeof(*made));

	made->files = xcalloc(nr, sizeof(struct etl_file *));
	memcpy(made->files, files, nr * sizeof(struct etl_file *));
	made->files_nr = nr;
	made->facts = facts;
	if (open_merge(made, options->threads, err) || scan_files(made, options, err)) {
		etl_reader_free(made);
		return -1;
	}
	start(made, options);
	*reader = made;
	return 0;
}

int etl_reader_again(struct etl_reader *reader, const struct trace_options *options,
		     struct err *err)
{
	stop(reader);
	if (open_merge(reader, options->threads, err))
		return -1;
	start(reader, options);
	return 0;
}

void etl_reader_free(struct etl_reader *reader)
{
	if (!reader)
		return;
	stop(reader);
	if (reader->scanned)
		etl_scan_release(&reader->scan);
	for (size_t i = 0; i < reader->files_nr; i++)
		etl_file_free(reader->files[i]);
	free(reader->files);
	free(reader);
}

/*
 * The first buffer has the type of a header at 0x36. After its own header, at 0x48, is a kernel event (0xc0 in the fourth
 * byte) whose group and opcode are 0.
 */
static int probe(const unsigned char *head, size_t nr)
{
	if (nr < 0x68 || head[0x36] != 4 || head[0x37])
		return 0;
	if (head[0x4b] != 0xc0 || (head[0x4a] != 1 && head[0x4a] != 2))
		return 0;
	return head[0x4e] || head[0x4f] ? 0 : 90;
}

static int open_paths(const struct strvec *paths, const struct trace_options *options,
		      struct trace_facts *facts, void **reader, struct err *err)
{
	struct etl_file **files = xcalloc(paths->nr, sizeof(*files));
	struct etl_reader *made = NULL;
	size_t nr = 0;
	int rc = 0;

	for (; nr < paths->nr && !rc; nr += !rc)
		rc = etl_file_open(paths->v[nr], options->compressed_bytes, &files[nr], err);
	for (size_t i = 0; options->names && i < nr; i++)
		etl_file_set_name(files[i], options->names->v[i]);
	if (!rc) {
		rc = etl_reader_open(files, nr, options, facts, &made, err);
		*reader = made;
	} else {
		for (size_t i = 0; i < nr; i++)
			etl_file_free(files[i]);
	}
	free(files);
	return rc;
}

static int next(void *reader, const struct trace_event **events, size_t *nr, struct err *err)
{
	return etl_reader_next(reader, events, nr, err);
}

static int again(void *reader, const struct trace_options *options, struct err *err)
{
	return etl_reader_again(reader, options, err);
}

static void free_reader(void *reader)
{
	etl_reader_free(reader);
}

const struct trace_format etl_format = {
	.name = "etl",
	.many = true,
	.probe = probe,
	.open = open_paths,
	.next = next,
	.again = again,
	.free = free_reader,
};
