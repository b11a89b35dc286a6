#include "trace/perf/perf_reader.h"

#include <stdlib.h>
#include <string.h>

#include "platform/pipeline.h"
#include "trace/perf/perf_decode.h"
#include "trace/perf/perf_format.h"
#include "trace/perf/perf_uses.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/fnv.h"
#include "util/intmap.h"
#include "util/text.h"

#define CHUNK_BYTES ((size_t)1 << 20)

/* Maximum number of records that are examined before and after the end of a batch, together. */
#define NEARBY 512

/* Maximum time between two samples of one hit of a tracepoint. The kernel writes them at once, unless it is interrupted. */
#define NEAR_NS ((uint64_t)NS_PER_MS)
#define TRIES   64

/* Memory for copies of records that span two blocks or are not aligned to 8 bytes. */
struct chunk {
	struct chunk *next;
	size_t nr;
	unsigned char bytes[];
};

/* Events, decoded from the first records of the queue, with the memory that they point into. */
struct batch {
	struct trace_event *events;
	size_t nr, events_alloc;
	/* Valid until the batch is filled again. */
	struct perf_sample *samples;
	size_t *partner;
	size_t samples_nr;
	uint64_t *pins; /* locations of pinned blocks */
	size_t pins_nr, pins_alloc;
	struct chunk *chunks;
	/* Owned by the walk; NULL: memory is not requested, or cannot be accounted. */
	struct linux_memory *memory;
	/* Values for the facts, set when the batch is delivered; strings are borrowed from the file. */
	struct trace_counters counters;
	struct trace_event_count *counts; /* by event */
	size_t counts_nr, counts_alloc;
	const char *first_damage, *stop; /* NULL */
};

/* A sample close to the end of a batch. */
struct nearby {
	size_t at; /* in the queue, from its head */
	int32_t tid;
	uint64_t config, hash; /* number of the tracepoint; hash of its raw data */
	uint32_t event;
};

/* State of decoding that is kept from batch to batch. */
struct decoding {
	int64_t base_ns; /* TRACE_BASE_FIRST: unknown yet */
	uint64_t last;   /* the last time delivered */
	uint64_t serial;
	struct nearby *nearby; /* room for find_end() */
	struct linux_touches *touches;
};

/* State of accounting that is kept from batch to batch. */
struct accounting {
	struct intmap alive; /* number of living threads by process */
	uint64_t unmatched;  /* duplicates without a plain event */
};

struct perf_reader {
	struct trace_input input;
	struct perf_file file;
	struct perf_walk walk;
	struct decoding decoding;
	struct accounting accounting;
	struct trace_facts *facts; /* borrowed */
	struct batch batches[PIPELINE_SLOTS];
	struct pipeline *pipeline;
	bool ended;
};

static void init_batch(struct batch *batch, const struct perf_limits *limits)
{
	*batch = (struct batch){ .nr = 0 };
	ARRAY_GROW(batch->events, limits->batch, batch->events_alloc);
	batch->samples = xcalloc(limits->batch, sizeof(*batch->samples));
	batch->partner = xcalloc(limits->batch, sizeof(*batch->partner));
}

static void free_chunks(struct chunk *chunk)
{
	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

static void release_batch(struct batch *batch)
{
	free_chunks(batch->chunks);
	free(batch->events);
	free(batch->samples);
	free(batch->partner);
	free(batch->pins);
	free(batch->counts);
	*batch = (struct batch){ .nr = 0 };
}

/* Empty the batch and unpin its blocks. */
static void clear_batch(struct batch *batch, struct perf_walk *walk)
{
	for (size_t i = 0; i < batch->pins_nr; i++) {
		struct perf_stream *stream = perf_walk_stream(walk, batch->pins[i]);

		perf_blocks_unpin(&stream->blocks, PERF_OFFSET(batch->pins[i]));
	}
	batch->pins_nr = batch->nr = batch->samples_nr = 0;
	if (batch->chunks) {
		free_chunks(batch->chunks->next);
		batch->chunks->next = NULL;
		batch->chunks->nr = 0;
	}
}

/* Memory aligned to 8 bytes; `nr` is at most CHUNK_BYTES. */
static unsigned char *get_room(struct batch *batch, size_t nr)
{
	struct chunk *chunk = batch->chunks;
	unsigned char *room;

	if (!chunk || nr > CHUNK_BYTES - chunk->nr) {
		chunk = xmalloc(sizeof(*chunk) + CHUNK_BYTES);
		*chunk = (struct chunk){ batch->chunks, 0 };
		batch->chunks = chunk;
	}
	room = chunk->bytes + chunk->nr;
	chunk->nr += (nr + 7) & ~(size_t)7;
	return room;
}

/* Pin the blocks of as many ready records as possible, in order. Returns the number of records, at least 1. */
static size_t pin_records(struct batch *batch, struct perf_walk *walk, struct decoding *decoding)
{
	const struct perf_limits *limits = walk->limits;
	const struct perf_entry *entries = walk->queue.v + walk->queue.head;
	size_t nr = walk->ready < limits->batch ? walk->ready : limits->batch;

	decoding->serial++;
	for (size_t i = 0; i < nr; i++) {
		struct perf_stream *stream = perf_walk_stream(walk, entries[i].location);
		uint64_t offset = PERF_OFFSET(entries[i].location);
		struct perf_block *block = perf_blocks_of(&stream->blocks, offset);

		if (block->mark == decoding->serial)
			continue;
		if (batch->pins_nr >= limits->batch_blocks)
			return i;
		block->mark = decoding->serial;
		perf_blocks_pin(&stream->blocks, offset);
		ARRAY_ADD(batch->pins, batch->pins_nr, batch->pins_alloc, entries[i].location);
	}
	return nr;
}

/* A record that stays valid as long as the batch is used; NULL: the file no longer has it. */
static const unsigned char *get_record(struct batch *batch, struct perf_walk *walk,
				       uint64_t location, size_t *size, struct err *err)
{
	bool moved;
	const unsigned char *record = perf_walk_record(walk, location, size, &moved, err);
	unsigned char *room;

	if (!record) {
		walk->file->counters.truncated = true;
		return NULL;
	}
	perf_blocks_drop(&perf_walk_stream(walk, location)->blocks, PERF_OFFSET(location), *size);
	if (!moved)
		return record;
	room = get_room(batch, *size);
	memcpy(room, record, *size);
	return room;
}

static struct trace_event *add_event(struct batch *batch, enum trace_event_kind kind,
				     int64_t time_ns)
{
	struct trace_event *event = &batch->events[batch->nr++];

	*event = trace_event_none;
	event->kind = kind;
	event->time_ns = time_ns;
	return event;
}

static void add_cpu_sample(struct batch *batch, struct perf_walk *walk, uint64_t location,
			   int64_t time_ns)
{
	const struct perf_sample *sample = &batch->samples[batch->samples_nr];
	int64_t weight = perf_uses_weight(&walk->file->events.v[sample->event], sample);
	struct trace_event *event;

	if (sample->pid == 0) /* idle */
		return;
	if (weight < 0) {
		perf_file_damage(walk->file, PERF_OFFSET(location),
				 "a sample with a period out of range");
		return;
	}
	event = add_event(batch, TRACE_CPU, time_ns);
	event->cpu = sample->cpu;
	event->pid = sample->pid;
	event->tid = sample->tid;
	event->cpu_sample = (struct trace_cpu){
		.weight_ns = weight,
		.stack_only = walk->file->events.v[sample->event].stack_only,
		.stack = sample->stack,
	};
	batch->samples_nr += sample->stack.copy != NULL;
}

static void add_touch(struct batch *batch, struct perf_walk *walk, struct decoding *decoding,
		      uint64_t location, int64_t time_ns)
{
	const struct perf_sample *sample = &batch->samples[batch->samples_nr];
	const struct linux_touch_event *how = &walk->file->events.v[sample->event].touch;
	struct trace_touch touch;
	struct trace_event *event;
	int rc = linux_touches_sample(decoding->touches, how, sample->tid, (uint64_t)sample->time,
				      sample->raw, sample->raw_nr, &touch);

	if (rc < 0)
		perf_file_damage(walk->file, PERF_OFFSET(location),
				 "a page fault, or allocation, that lacks fields");
	if (rc <= 0)
		return;
	event = add_event(batch, TRACE_TOUCH, time_ns);
	event->cpu = sample->cpu;
	event->pid = sample->pid;
	event->tid = sample->tid;
	event->touch = touch;
	event->touch.stack = sample->stack;
	batch->samples_nr += sample->stack.copy != NULL;
}

static void add_sample(struct batch *batch, struct perf_walk *walk, struct decoding *decoding,
		       const unsigned char *record, size_t size, uint64_t location, int64_t time_ns)
{
	struct perf_sample *sample = &batch->samples[batch->samples_nr];
	const struct perf_event *event = &walk->file->events.v[PERF_EVENT(location)];

	if (!perf_decode_sample(event, record, size, sample)) {
		perf_file_damage(walk->file, PERF_OFFSET(location), "a sample that lacks fields");
		return;
	}
	sample->event = PERF_EVENT(location);
	sample->copy.id = PERF_OFFSET(location) | (location & PERF_DECOMPRESSED);
	sample->copy.tid = sample->tid > 0 ? sample->tid : 0;
	if (event->use == PERF_CPU) {
		add_cpu_sample(batch, walk, location, time_ns);
		return;
	}
	if (event->use == PERF_TOUCH) {
		add_touch(batch, walk, decoding, location, time_ns);
		return;
	}
	walk->file->counters.stack_copies += linux_memory_is_duplicate(walk->memory, sample->event);
	/* The accounting needs all samples of the batch: until then `length` is the index of the sample. */
	add_event(batch, TRACE_MEMORY, time_ns)->memory.length = batch->samples_nr++;
}

/* Add the event of a FORK, EXIT, COMM or MMAP record. */
static void add_other(struct batch *batch, struct perf_walk *walk, const unsigned char *record,
		      size_t size, uint64_t location, int64_t time_ns, bool timed)
{
	const struct perf_event *trailer =
		perf_events_of_trailer(&walk->file->events, record, size);
	struct trace_event *event = add_event(batch, TRACE_MAP, time_ns);
	const char *damage = perf_decode_event(record, size, trailer ? trailer->trailer : 0, event);

	if (damage) {
		perf_file_damage(walk->file, PERF_OFFSET(location), "%s", damage);
		batch->nr--;
		return;
	}
	if (trailer && trailer->trailer_cpu && timed)
		event->cpu = (int32_t)le_get32(record + size - trailer->trailer_cpu);
	if (event->kind == TRACE_MAP)
		perf_build_ids_apply(&walk->file->build_ids, &event->map);
	/* perf synthesizes forks of processes that existed before the recording; their mappings follow. */
	if (event->kind == TRACE_PROCESS_START && !timed)
		event->start.copied =
			!walk->file->events.timed && !(le_get16(record + 4) & PERF_MISC_FORK_EXEC);
}

/* Nanoseconds from time zero; 0 for a record without a time. Counts records that are out of order. */
static int64_t get_time(struct perf_walk *walk, struct decoding *decoding, uint64_t time)
{
	if (!time)
		return 0;
	if (time < decoding->last)
		walk->file->counters.unordered++;
	else
		decoding->last = time;
	return (int64_t)time - decoding->base_ns;
}

static int add_records(struct batch *batch, struct perf_walk *walk, struct decoding *decoding,
		       size_t nr, struct err *err)
{
	const struct perf_entry *entries = walk->queue.v + walk->queue.head;

	for (size_t i = 0; i < nr; i++) {
		uint64_t location = entries[i].location;
		int64_t time_ns = get_time(walk, decoding, entries[i].time);
		size_t size;
		const unsigned char *record = get_record(batch, walk, location, &size, err);

		if (!record && err->code != ERR_NONE)
			return -1;
		if (!record)
			continue;
		if (PERF_EVENT(location) != PERF_NO_EVENT)
			add_sample(batch, walk, decoding, record, size, location, time_ns);
		else
			add_other(batch, walk, record, size, location, time_ns, entries[i].time);
	}
	walk->queue.head += nr;
	walk->ready -= nr;
	return 0;
}

static const void *copy_bytes(struct batch *batch, const void *bytes, size_t nr)
{
	unsigned char *room = get_room(batch, nr);

	if (nr)
		memcpy(room, bytes, nr);
	return room;
}

/*
 * The stack of a call's entry belongs to the accounting, and is valid for one batch: copy it, as this one may live longer.
 */
static void own_stack(struct batch *batch, const struct perf_sample *sample,
		      const struct perf_sample *duplicate, struct trace_stack *stack)
{
	const struct trace_stack *a = &sample->stack, *b = duplicate ? &duplicate->stack : a;
	const struct trace_stack_copy *lent = stack->copy;
	struct trace_stack_copy *owned;

	if (stack->kernel_nr && stack->kernel != a->kernel && stack->kernel != b->kernel)
		stack->kernel =
			copy_bytes(batch, stack->kernel, stack->kernel_nr * sizeof(uint64_t));
	if (stack->user_nr && stack->user != a->user && stack->user != b->user)
		stack->user = copy_bytes(batch, stack->user, stack->user_nr * sizeof(uint64_t));
	if (!lent || lent == a->copy || lent == b->copy)
		return;
	owned = (struct trace_stack_copy *)(void *)get_room(batch, sizeof(*owned));
	*owned = *lent;
	owned->values = copy_bytes(batch, lent->values, bits_count(lent->mask) * sizeof(uint64_t));
	owned->bytes = copy_bytes(batch, lent->bytes, lent->bytes_nr);
	stack->copy = owned;
}

/* Replace a system call by a memory event. Returns the number of events: of 2, *before is the first one. */
static size_t emit_memory(struct batch *batch, struct linux_memory *memory,
			  struct trace_event *event, struct trace_event *before)
{
	size_t at = (size_t)event->memory.length, nr;
	const struct perf_sample *sample = &batch->samples[at], *duplicate = NULL;

	if (linux_memory_is_duplicate(memory, sample->event))
		return 0;
	if (batch->partner[at] != SIZE_MAX)
		duplicate = &batch->samples[batch->partner[at]];
	nr = linux_memory_sample(memory, sample, duplicate, event, before);
	if (nr)
		own_stack(batch, sample, duplicate, &event->memory.stack);
	before->time_ns = event->time_ns;
	return nr;
}

/* A thread ended. A process ends with its last thread. */
static void end_thread(struct accounting *accounting, struct linux_memory *memory, int64_t pid,
		       int64_t tid)
{
	uintptr_t threads = (uintptr_t)intmap_get(&accounting->alive, pid);

	linux_memory_thread_exit(memory, tid);
	if (threads > 1) {
		intmap_put(&accounting->alive, pid, (void *)(threads - 1));
		return;
	}
	intmap_remove(&accounting->alive, pid);
	linux_memory_exit(memory, pid);
}

static void note_process(struct accounting *accounting, struct linux_memory *memory,
			 const struct trace_event *event)
{
	uintptr_t threads;

	switch (event->kind) {
	case TRACE_PROCESS_START:
		intmap_put(&accounting->alive, event->pid, (void *)(uintptr_t)1);
		linux_memory_fork(memory, event->pid, event->start.ppid);
		break;
	case TRACE_THREAD_START:
		threads = (uintptr_t)intmap_get(&accounting->alive, event->pid);
		intmap_put(&accounting->alive, event->pid, (void *)(threads ? threads + 1 : 2));
		break;
	case TRACE_THREAD_END:
		end_thread(accounting, memory, event->pid, event->tid);
		break;
	case TRACE_EXEC:
		linux_memory_exec(memory, event->pid);
		break;
	default:
		break;
	}
}

/* Move the events from `at` on up by one. */
static void make_room(struct batch *batch, size_t at)
{
	ARRAY_GROW(batch->events, batch->nr + 1, batch->events_alloc);
	memmove(&batch->events[at + 1], &batch->events[at],
		(batch->nr - at) * sizeof(*batch->events));
	batch->nr++;
}

/*
 * Replace system calls by memory events, or drop them; no event may be left. Call it for each batch, in order. Another
 * thread may fill other batches meanwhile.
 */
static void account_batch(struct batch *batch, struct accounting *accounting)
{
	struct linux_memory *memory = batch->memory;
	struct trace_event before;
	size_t nr = 0;

	if (!memory)
		return;
	linux_memory_pair(memory, batch->samples, batch->samples_nr, batch->partner,
			  &accounting->unmatched);
	for (size_t i = 0; i < batch->nr; i++) {
		struct trace_event *event = &batch->events[i];
		size_t made = 1;

		if (event->kind != TRACE_MEMORY)
			note_process(accounting, memory, event);
		else
			made = emit_memory(batch, memory, event, &before);
		if (made > 1 && nr == i)
			make_room(batch, i++);
		if (made > 1)
			batch->events[nr++] = before;
		if (made && nr != i)
			batch->events[nr] = batch->events[i];
		nr += made > 0;
	}
	batch->nr = nr;
	batch->counters.stack_copies_unmatched = accounting->unmatched;
	batch->counters.exits_unmatched = linux_memory_exits_unmatched(memory);
	batch->counters.damaged += linux_memory_damaged(memory);
	if (linux_memory_damaged(memory) && !batch->first_damage)
		batch->first_damage = "a system call that lacks fields";
	linux_memory_recycle(memory);
}

/* Set the counters, except those of the accounting. */
static void count_batch(struct batch *batch, const struct perf_walk *walk,
			const struct decoding *decoding)
{
	const struct perf_file *file = walk->file;
	const struct perf_events *events = &file->events;
	struct trace_counters *counters = &batch->counters;

	batch->memory = walk->memory;
	batch->first_damage = file->first_damage.len ? file->first_damage.buf : NULL;
	batch->stop = file->stop;
	*counters = file->counters;
	counters->read_bytes = walk->streams[0].at;
	counters->all_bytes = file->size;
	counters->last_ns = -1;
	if (decoding->base_ns != TRACE_BASE_FIRST) {
		counters->base_ns = decoding->base_ns;
		counters->first_ns = walk->oldest ? (int64_t)walk->oldest - decoding->base_ns : 0;
		counters->last_ns = walk->oldest ? (int64_t)walk->newest - decoding->base_ns : -1;
	}
	ARRAY_GROW(batch->counts, events->nr, batch->counts_alloc);
	for (size_t i = 0; i < events->nr; i++)
		batch->counts[i] =
			(struct trace_event_count){ events->v[i].name, events->v[i].samples,
						    perf_event_has_copies(&events->v[i]),
						    events->v[i].lost };
	batch->counts_nr = events->nr;
}

static bool describe(struct perf_walk *walk, size_t at, struct nearby *nearby)
{
	uint64_t location = walk->queue.v[walk->queue.head + at].location;
	uint32_t event = PERF_EVENT(location);
	const unsigned char *record;
	struct perf_sample sample;
	struct err err = ERR_INIT;
	size_t size;
	bool moved;

	if (event == PERF_NO_EVENT || !walk->file->events.v[event].paired)
		return false;
	record = perf_walk_record(walk, location, &size, &moved, &err);
	err_clear(&err);
	if (!record || !perf_decode_sample(&walk->file->events.v[event], record, size, &sample))
		return false;
	*nearby = (struct nearby){ at, sample.tid, walk->file->events.v[event].config,
				   fnv_add(FNV_FIRST, sample.raw, sample.raw_nr), event };
	return true;
}

/* Describe the records from `nr` on or, with `before`, those before it. Returns their number. */
static size_t collect(struct perf_walk *walk, size_t nr, bool before, struct nearby *nearby)
{
	const struct perf_queue *queue = &walk->queue;
	const struct perf_entry *entries = queue->v + queue->head;
	size_t waiting = queue->sorted - queue->head, found = 0;
	size_t room = NEARBY / 2;

	for (size_t i = 0; i < room && (before ? i < nr : nr + i < waiting); i++) {
		size_t at = before ? nr - 1 - i : nr + i;
		uint64_t apart = before ? entries[nr - 1].time - entries[at].time
					: entries[at].time - entries[nr - 1].time;

		if (apart > NEAR_NS)
			break;
		found += describe(walk, at, &nearby[found]);
	}
	return found;
}

static bool belong_together(const struct nearby *a, const struct nearby *b)
{
	return a->tid == b->tid && a->config == b->config && a->hash == b->hash &&
	       a->event != b->event;
}

/* The first record in the batch that belongs to the same hit as a record after the batch; `nr`: none. */
static size_t find_first(const struct nearby *before, size_t before_nr, const struct nearby *behind,
			 size_t behind_nr, size_t nr)
{
	for (size_t i = 0; i < behind_nr; i++) {
		for (size_t j = 0; j < before_nr; j++) {
			if (before[j].at < nr && belong_together(&behind[i], &before[j]))
				nr = before[j].at;
		}
	}
	return nr;
}

/*
 * The number of records of the queue that a batch may take, up to `nr`; 0: more must be ready first. A batch must not end
 * between an event and its duplicate, which the accounting joins (linux_memory.h). `nearby` is a buffer of NEARBY elements.
 */
static size_t find_end(struct perf_walk *walk, size_t nr, struct nearby *nearby)
{
	struct nearby *behind = nearby + NEARBY / 2;
	size_t cut = nr;

	for (int i = 0; i < TRIES && cut; i++) {
		size_t behind_nr = collect(walk, cut, false, behind), first;

		if (!behind_nr)
			return cut;
		first = find_first(nearby, collect(walk, cut, true, nearby), behind, behind_nr,
				   cut);
		if (first == cut)
			return cut;
		cut = first;
	}
	if (!cut && nr == walk->ready)
		return 0;
	/* There is no such position: some calls will lack their stacks. */
	return nr;
}

/*
 * Fill the batch with as many ready records of `walk` as possible. They may yield no event; if none can be taken before
 * more are ready, none is ready any more. Call account_batch() before the batch is used.
 */
static int fill_batch(struct batch *batch, struct perf_walk *walk, struct decoding *decoding,
		      struct err *err)
{
	size_t nr;

	if (decoding->base_ns == TRACE_BASE_FIRST)
		decoding->base_ns = (int64_t)walk->oldest;
	nr = pin_records(batch, walk, decoding);
	if (walk->memory && linux_memory_has_duplicates(walk->memory))
		nr = find_end(walk, nr, decoding->nearby);
	if (!nr)
		walk->ready = 0;
	if (add_records(batch, walk, decoding, nr, err))
		return -1;
	count_batch(batch, walk, decoding);
	return 0;
}

/* Copy the facts of a batch, as known when it was decoded, to the reader's facts. */
static void publish(struct trace_facts *facts, const struct batch *batch)
{
	facts->counters = batch->counters;
	for (size_t i = facts->counts_nr; i < batch->counts_nr; i++)
		trace_facts_add_count(facts, xstrdup(batch->counts[i].name), 0,
				      batch->counts[i].stacks);
	for (size_t i = 0; i < batch->counts_nr; i++) {
		facts->counts[i].nr = batch->counts[i].nr;
		facts->counts[i].lost = batch->counts[i].lost;
	}
	if (!facts->first_damage.len && batch->first_damage)
		strbuf_adds(&facts->first_damage, batch->first_damage);
	if (!facts->stop)
		facts->stop = xstrdup_or_null(batch->stop);
}

/* Decode the next batch that has at least one record that may become an event. */
static int decode(void *data, size_t slot, struct err *err)
{
	struct perf_reader *reader = data;
	struct batch *batch = &reader->batches[slot];
	struct perf_walk *walk = &reader->walk;
	int rc;

	do {
		clear_batch(batch, walk);
		rc = walk->ready ? 1 : perf_walk_next(walk, err);
		if (rc > 0 && fill_batch(batch, walk, &reader->decoding, err))
			rc = -1;
	} while (rc > 0 && !batch->nr);
	count_batch(batch, walk, &reader->decoding);
	return rc;
}

static void account(void *data, size_t slot)
{
	struct perf_reader *reader = data;

	account_batch(&reader->batches[slot], &reader->accounting);
}

/* After the last event: the steps that follow may need more memory than reading. */
static void free_buffers(struct perf_reader *reader)
{
	pipeline_free(reader->pipeline);
	reader->pipeline = NULL;
	for (size_t i = 0; i < PIPELINE_SLOTS; i++)
		release_batch(&reader->batches[i]);
	perf_walk_free_buffers(&reader->walk);
}

int perf_reader_next(struct perf_reader *reader, const struct trace_event **events, size_t *nr,
		     struct err *err)
{
	struct batch *batch;
	size_t slot;
	int rc;

	if (reader->ended)
		return 0;
	do {
		rc = pipeline_next(reader->pipeline, &slot, err);
		batch = &reader->batches[slot];
		publish(reader->facts, batch);
	} while (rc > 0 && !batch->nr);
	if (rc <= 0) {
		reader->ended = true;
		free_buffers(reader);
		return rc;
	}
	*events = batch->events;
	*nr = batch->nr;
	return 1;
}

static void start(struct perf_reader *reader, int threads, const struct perf_limits *limits)
{
	for (size_t i = 0; i < (threads > 1 ? PIPELINE_SLOTS : 1); i++)
		init_batch(&reader->batches[i], limits);
	count_batch(&reader->batches[0], &reader->walk, &reader->decoding);
	publish(reader->facts, &reader->batches[0]);
	reader->pipeline = pipeline_new(decode, account, reader, threads);
}

int perf_reader_open(struct trace_input *input, const char *path,
		     const struct trace_options *options, const struct perf_limits *limits,
		     struct trace_facts *facts, struct perf_reader **reader, struct err *err)
{
	struct perf_reader *made = xcalloc(1, sizeof(*made));

	made->input = *input;
	made->facts = facts;
	made->decoding.base_ns = options->base_ns;
	made->decoding.nearby = xcalloc(NEARBY, sizeof(*made->decoding.nearby));
	made->decoding.touches = linux_touches_new();
	if (perf_file_open(&made->file, &made->input, path, facts, err)) {
		perf_file_release(&made->file);
		linux_touches_free(made->decoding.touches);
		free(made->decoding.nearby);
		trace_input_close(&made->input);
		free(made);
		return -1;
	}
	perf_walk_init(&made->walk, &made->file, options, limits);
	if (perf_walk_prepare(&made->walk, err)) {
		perf_reader_free(made);
		return -1;
	}
	start(made, options->threads, limits);
	*reader = made;
	return 0;
}

void perf_reader_free(struct perf_reader *reader)
{
	if (!reader)
		return;
	free_buffers(reader);
	intmap_release(&reader->accounting.alive);
	linux_touches_free(reader->decoding.touches);
	free(reader->decoding.nearby);
	perf_walk_release(&reader->walk);
	perf_file_release(&reader->file);
	trace_input_close(&reader->input);
	free(reader);
}

static int probe(const unsigned char *head, size_t nr)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP" };

	for (size_t i = 0; i < ARRAY_SIZE(magics) && nr >= 8; i++) {
		if (memcmp(head, magics[i], 8) == 0)
			return 100;
	}
	return 0;
}

static int open_path(const struct strvec *paths, const struct trace_options *options,
		     struct trace_facts *facts, void **reader, struct err *err)
{
	const char *path = paths->v[0];
	struct trace_input input;
	struct perf_reader *made;

	if (trace_input_open(&input, path, err))
		return -1;
	input.compressed_bytes = options->compressed_bytes;
	if (perf_reader_open(&input, path, options, &perf_limits_usual, facts, &made, err))
		return -1;
	*reader = made;
	return 0;
}

static int next(void *reader, const struct trace_event **events, size_t *nr, struct err *err)
{
	return perf_reader_next(reader, events, nr, err);
}

static void free_reader(void *reader)
{
	perf_reader_free(reader);
}

const struct trace_format perf_format = {
	.name = "perf.data",
	.probe = probe,
	.open = open_path,
	.next = next,
	.free = free_reader,
};
