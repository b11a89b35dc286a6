#include "trace/etl/etl_switches.h"

#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_kernel.h"
#include "util/array.h"
#include "util/intmap.h"

#define CPUS_MAX ((size_t)1 << 16)

#define DROPPED_MAX 1024

/* Some thousands live at a time; a damaged file may have any number. */
#define THREADS_MAX ((size_t)1 << 20)

struct thread {
	uint64_t since;      /* when it was switched to last, or forgotten */
	uint64_t out, ready; /* when it was switched from, and woken, since it ran */
	uint32_t cpu;        /* where it runs */
	bool runs, is_out, is_ready;
};

struct cpu {
	uint64_t since; /* of `tid`; if that is not known: of all events without a gap */
	uint64_t last;  /* latest event */
	uint64_t blocked, ready;
	uint64_t buffer; /* of the latest event */
	uint32_t tid;
	uint16_t session;
	bool seen, known; /* it has events; `tid` is known */
};

/* The buffers of a processor of a file. */
struct stream {
	const struct etl_extent *extents; /* borrowed */
	size_t nr;
	size_t passed; /* of these: up to the one of the latest event */
	uint32_t cpu;
	uint16_t session;
};

struct etl_switches {
	struct cpu *cpus;
	size_t cpus_nr;
	struct thread *threads;
	size_t threads_nr, threads_alloc;
	struct intmap by_tid;   /* index in `threads`, plus one */
	struct stream *streams; /* by session and processor */
	size_t streams_nr, streams_alloc;
	uint64_t now;
	struct etl_run *runs; /* a queue: from `first` on */
	size_t first, runs_nr, runs_alloc;
};

static void add_streams(struct etl_switches *switches, const struct etl_file *file,
			uint16_t session)
{
	size_t nr, begin = 0;
	const struct etl_extent *extents = etl_file_extents(file, &nr);

	for (size_t end = 1; end <= nr; end++) {
		if (end < nr && extents[end].cpu == extents[begin].cpu)
			continue;
		ARRAY_ADD(switches->streams, switches->streams_nr, switches->streams_alloc,
			  (struct stream){ .extents = extents + begin,
					   .nr = end - begin,
					   .cpu = extents[begin].cpu,
					   .session = session });
		begin = end;
	}
}

struct etl_switches *etl_switches_new(struct etl_file *const *files, size_t nr)
{
	struct etl_switches *switches = xcalloc(1, sizeof(*switches));

	for (size_t i = 0; i < nr; i++)
		add_streams(switches, files[i], (uint16_t)i);
	return switches;
}

void etl_switches_free(struct etl_switches *switches)
{
	if (!switches)
		return;
	free(switches->cpus);
	free(switches->threads);
	intmap_release(&switches->by_tid);
	free(switches->streams);
	free(switches->runs);
	free(switches);
}

static struct stream *stream_of(const struct etl_switches *switches,
				const struct etl_record *record)
{
	const struct stream *v = switches->streams;
	size_t at;

	ARRAY_SEARCH(at, switches->streams_nr, i,
		     v[i].session < record->session ||
			     (v[i].session == record->session && v[i].cpu < record->cpu));
	return &switches->streams[at];
}

/* Whether events were lost between the latest record of its processor and file and this one, which is in another buffer. */
static bool lost_before(const struct etl_switches *switches, const struct etl_record *record)
{
	struct stream *stream = stream_of(switches, record);
	const struct etl_extent *extents = stream->extents;
	bool lost = false;

	while (stream->passed < stream->nr &&
	       (!stream->passed || extents[stream->passed - 1].offset != record->buffer_offset))
		lost |= extents[stream->passed++].flags &
			(ETL_BUFFER_EVENTS_LOST | ETL_BUFFER_LOST);
	return lost;
}

/* NULL: none is known. */
static struct thread *find_thread(const struct etl_switches *switches, uint32_t tid)
{
	size_t at = (uintptr_t)intmap_get(&switches->by_tid, tid);

	return at ? &switches->threads[at - 1] : NULL;
}

/* Valid until the next call. NULL: there are too many. */
static struct thread *thread_of(struct etl_switches *switches, uint32_t tid)
{
	struct thread *thread = find_thread(switches, tid);

	if (thread || switches->threads_nr >= THREADS_MAX)
		return thread;
	ARRAY_ADD(switches->threads, switches->threads_nr, switches->threads_alloc,
		  (struct thread){ .runs = false });
	intmap_put(&switches->by_tid, tid, (void *)(uintptr_t)switches->threads_nr);
	return &switches->threads[switches->threads_nr - 1];
}

/* Nothing is known of a thread any more: switches are missing, it ended, or a new one has its id. */
static void forget(struct etl_switches *switches, uint32_t tid)
{
	struct thread *thread = find_thread(switches, tid);

	if (thread)
		*thread = (struct thread){ .since = switches->now };
}

static void add_run(struct etl_switches *switches, const struct etl_run *run)
{
	/* Those that were dropped are no more than those that wait, and some. */
	if (switches->first > DROPPED_MAX && switches->first > switches->runs_nr / 2) {
		switches->runs_nr -= switches->first;
		memmove(switches->runs, switches->runs + switches->first,
			switches->runs_nr * sizeof(*switches->runs));
		switches->first = 0;
	}
	ARRAY_ADD(switches->runs, switches->runs_nr, switches->runs_alloc, *run);
	switches->runs[switches->runs_nr - 1].at = switches->now;
}

static uint32_t number_of(const struct etl_switches *switches, const struct cpu *cpu)
{
	return (uint32_t)(cpu - switches->cpus);
}

static void add_gap(struct etl_switches *switches, const struct cpu *cpu, uint64_t from,
		    uint64_t to)
{
	if (from < to)
		add_run(switches, &(struct etl_run){ .blocked = from,
						     .ready = from,
						     .from = from,
						     .to = to,
						     .cpu = number_of(switches, cpu),
						     .gap = true });
}

/* The known thread ran until `to`. Idle is no thread. */
static void add_known(struct etl_switches *switches, const struct cpu *cpu, uint64_t to)
{
	if (cpu->tid)
		add_run(switches, &(struct etl_run){ .blocked = cpu->blocked,
						     .ready = cpu->ready,
						     .from = cpu->since,
						     .to = to,
						     .cpu = number_of(switches, cpu),
						     .tid = cpu->tid,
						     .switched = true });
}

/* The thread has run since before the first event of the processor. */
static void add_first(struct etl_switches *switches, const struct cpu *cpu, uint32_t tid,
		      uint64_t to)
{
	if (tid && cpu->since < to)
		add_run(switches, &(struct etl_run){ .blocked = cpu->since,
						     .ready = cpu->since,
						     .from = cpu->since,
						     .to = to,
						     .cpu = number_of(switches, cpu),
						     .tid = tid });
}

/* Whether the thread was switched to here, and not elsewhere since then. */
static bool is_on(const struct etl_switches *switches, const struct cpu *cpu,
		  const struct thread *thread)
{
	return thread->runs && thread->cpu == number_of(switches, cpu);
}

/*
 * Whether the known thread still ran here at `time`. Switches of two processors may have equal times, so that a thread is
 * switched to on another one first, and perhaps from it too.
 */
static bool ran_here(const struct etl_switches *switches, const struct cpu *cpu, uint64_t time)
{
	const struct thread *thread = cpu->tid ? find_thread(switches, cpu->tid) : NULL;

	return !thread || thread->since >= time || is_on(switches, cpu, thread);
}

/* The switch from the known thread is missing. What is known of it elsewhere stays. */
static void forget_known(struct etl_switches *switches, const struct cpu *cpu)
{
	const struct thread *thread = cpu->tid ? find_thread(switches, cpu->tid) : NULL;

	if (thread && is_on(switches, cpu, thread))
		forget(switches, cpu->tid);
}

/* No switch follows the latest event of the processor, or it is lost. */
static void end_known(struct etl_switches *switches, const struct cpu *cpu)
{
	if (ran_here(switches, cpu, cpu->last))
		add_known(switches, cpu, cpu->last);
	else
		add_gap(switches, cpu, cpu->since, cpu->last);
}

/* Events of the processor were lost before `time`, and after its latest one. */
static void lose(struct etl_switches *switches, struct cpu *cpu, uint64_t time)
{
	if (cpu->known) {
		end_known(switches, cpu);
		forget_known(switches, cpu);
	}
	add_gap(switches, cpu, cpu->last, time);
	cpu->known = false;
	cpu->since = time;
}

static bool is_ready_state(uint8_t state)
{
	return state == ETL_STATE_READY || state == ETL_STATE_STANDBY ||
	       state == ETL_STATE_DEFERRED_READY;
}

/* `ran`: the switch to it is known. */
static void switch_from(struct etl_switches *switches, const struct cpu *cpu,
			const struct etl_switch *change, uint64_t time, bool ran)
{
	struct thread *thread = thread_of(switches, change->previous);

	/* It was switched to on another processor, at the same time or while switches of this one are missing. */
	if (!thread || ((ran || thread->runs) && thread->cpu != number_of(switches, cpu)))
		return;
	thread->runs = false;
	thread->out = time;
	thread->is_out = change->state != ETL_STATE_TERMINATED;
	/* A wake-up while it runs is for the wait that now begins: it was about to be switched from. */
	if (!ran || !thread->is_out)
		thread->is_ready = false;
	if (is_ready_state(change->state)) {
		thread->ready = time;
		thread->is_ready = true;
	}
}

static void switch_to(struct etl_switches *switches, struct cpu *cpu, uint32_t tid, uint64_t time)
{
	struct thread *thread = tid ? thread_of(switches, tid) : NULL;

	cpu->known = true;
	cpu->tid = tid;
	cpu->since = cpu->ready = cpu->blocked = time;
	if (!thread)
		return;
	/* If it still runs elsewhere, it is switched from there at the same time. */
	if (thread->runs)
		thread->is_ready = false;
	if (thread->is_out && thread->out < time)
		cpu->blocked = thread->out;
	if (thread->is_ready && thread->ready < time)
		cpu->ready = thread->ready;
	if (!thread->is_out && cpu->ready < cpu->blocked)
		cpu->blocked = cpu->ready;
	if (cpu->ready < cpu->blocked)
		cpu->ready = cpu->blocked;
	*thread = (struct thread){ .runs = true, .since = time, .cpu = number_of(switches, cpu) };
}

static void take_switch(struct etl_switches *switches, struct cpu *cpu,
			const struct etl_record *record)
{
	uint64_t time = record->time;
	struct etl_switch change;
	bool ran;

	if (!etl_decode_switch(record, &change))
		return;
	ran = cpu->known && cpu->tid == change.previous && time >= cpu->since &&
	      ran_here(switches, cpu, time);
	if (ran) {
		add_known(switches, cpu, time);
	} else if (!cpu->known) {
		add_first(switches, cpu, change.previous, time);
	} else {
		add_gap(switches, cpu, cpu->since, time);
		if (cpu->tid != change.previous)
			forget_known(switches, cpu);
	}
	if (change.previous)
		switch_from(switches, cpu, &change, time, ran);
	switch_to(switches, cpu, change.next, time);
}

static void take_ready(struct etl_switches *switches, const struct etl_record *record)
{
	struct thread *thread;
	uint32_t tid;

	if (!etl_decode_ready(record, &tid) || !tid)
		return;
	thread = thread_of(switches, tid);
	/* It woke the thread for the switch of the same time that another processor has. */
	if (!thread || thread->is_ready || (thread->runs && thread->since == record->time))
		return;
	thread->ready = record->time;
	thread->is_ready = true;
}

static void take_start(struct etl_switches *switches, const struct etl_record *record)
{
	struct etl_thread thread;

	if (etl_decode_thread(record, &thread))
		forget(switches, thread.tid);
}

/* Whether only the kernel logger writes it, on the processor where it happens. */
static bool is_kernels(const struct etl_record *record)
{
	if (record->provider == ETL_PERF_INFO)
		return record->opcode == ETL_PERF_SAMPLE;
	return record->provider == ETL_THREAD &&
	       (record->opcode == ETL_THREAD_SWITCH || record->opcode == ETL_THREAD_READY ||
		record->opcode == ETL_OPCODE_START);
}

static struct cpu *cpu_of(struct etl_switches *switches, const struct etl_record *record)
{
	struct cpu *cpu;
	bool lost;

	if (record->cpu >= CPUS_MAX)
		return NULL;
	ARRAY_GROW_ZERO(switches->cpus, (size_t)record->cpu + 1, switches->cpus_nr);
	cpu = &switches->cpus[record->cpu];
	if (cpu->seen && cpu->buffer == record->buffer_offset && cpu->session == record->session)
		return cpu;
	lost = lost_before(switches, record);
	if (!cpu->seen)
		cpu->since = cpu->last = record->time;
	else if (lost)
		lose(switches, cpu, record->time);
	cpu->seen = true;
	cpu->buffer = record->buffer_offset;
	cpu->session = record->session;
	return cpu;
}

void etl_switches_take(struct etl_switches *switches, const struct etl_record *record)
{
	struct cpu *cpu;

	if (!is_kernels(record))
		return;
	if (record->time > switches->now)
		switches->now = record->time;
	cpu = cpu_of(switches, record);
	if (!cpu)
		return;
	if (record->provider == ETL_THREAD && record->opcode == ETL_THREAD_SWITCH)
		take_switch(switches, cpu, record);
	else if (record->provider == ETL_THREAD && record->opcode == ETL_THREAD_READY)
		take_ready(switches, record);
	else if (record->provider == ETL_THREAD)
		take_start(switches, record);
	if (record->time > cpu->last)
		cpu->last = record->time;
}

void etl_switches_end(struct etl_switches *switches)
{
	for (size_t i = 0; i < switches->cpus_nr; i++) {
		if (switches->cpus[i].known)
			end_known(switches, &switches->cpus[i]);
	}
}

const struct etl_run *etl_switches_peek(const struct etl_switches *switches)
{
	return switches->first < switches->runs_nr ? &switches->runs[switches->first] : NULL;
}

void etl_switches_drop(struct etl_switches *switches)
{
	switches->first++;
}
