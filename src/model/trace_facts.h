/*
 * Facts about a trace: the machine it was recorded on, its clock, its kinds of events, and its losses and damage.
 *
 * The facts belong to the thread that consumes the events. The reader fills in the constant ones before the first event.
 * `counters` grow with the events: a reader thread has its own copy, which is passed on with each batch of events and
 * replaces the one here.
 */
#ifndef MODEL_TRACE_FACTS_H
#define MODEL_TRACE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/system_facts.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* The number of events of one type. A type that was recorded by several events of the profiler is listed several times. */
struct trace_event_count {
	char *name;
	uint64_t nr;
	bool stacks;   /* it carries stack copies */
	uint64_t lost; /* of trace_counters.lost: those known to be of this event */
};

/* A text that was written into the trace during the recording. */
struct trace_mark {
	int64_t time_ns;
	char *text;
};

/* Heap calls of a process that changed a block, if they were traced; reallocs are those in place. */
struct trace_heap {
	int64_t pid; /* -1: unknown */
	int64_t allocs, reallocs, frees;
	int64_t allocated_bytes; /* by allocs */
	int64_t grown_bytes;     /* by reallocs to a larger size */
};

/* A heap snapshot of a process. */
struct trace_snapshot {
	int64_t pid; /* -1: unknown */
	int64_t instance;
	int64_t time_ns;
	int64_t bytes, parts; /* in the trace */
	bool whole;           /* no part is missing */
};

/* Memory that all programs of the machine used at a time. */
struct trace_machine_memory {
	int64_t time_ns;
	int64_t commit_bytes;    /* commit charge; -1: unknown */
	int64_t available_bytes; /* free, or can be taken at once */
};

/* Counters of the events read so far. */
struct trace_counters {
	int64_t base_ns; /* time zero, on the trace's clock */
	/* Of the first and last event, from time zero; 0, -1: no event. */
	int64_t first_ns, last_ns;
	uint64_t stack_copies;
	uint64_t stack_copies_unmatched; /* stack copies without their event */
	uint64_t exits_unmatched; /* exits of memory calls without their entry: not accounted */
	uint64_t lost;            /* events that the kernel or the profiler dropped */
	uint64_t lost_buffers;    /* whole buffers of events that were dropped */
	uint64_t unordered;       /* events delivered after later ones */
	uint64_t untimed; /* samples without a time: delivered first, in the order of the file */
	uint64_t damaged; /* records, and whole buffers, with impossible contents */
	uint64_t damaged_buffers; /* of `damaged`: buffers, some or all of their events are lost */
	uint64_t damaged_buffers_bytes; /* of these events, as far as known */
	uint64_t unknown;               /* records of an unknown kind, which are skipped */
	bool truncated;                 /* the end of the file is missing */
	uint64_t missing_bytes;         /* of a truncated file; 0: unknown */
	uint64_t missing_buffers;       /* the same, of `all_buffers`; 0: unknown */
	uint64_t all_buffers;
	uint64_t unread_bytes; /* not read because of `stop`, see below */
	/* What was read so far of the file, and its size; 0, 0: its events are read in the order of time. */
	uint64_t read_bytes, all_bytes;
};

struct trace_facts {
	char *format; /* "perf.data", "perf.data (pipe)", "etl" */
	/* NULL: unknown. */
	char *hostname, *os_release, *arch, *cpu_model, *tool_version;
	struct strvec command_line; /* of the profiler */
	int64_t cpus, memory_bytes; /* -1: unknown */
	/* "2026-01-31T12:00:00.123Z"; "UTC+01:00", without daylight saving. NULL: unknown. */
	char *start_utc, *boot_utc, *time_zone;
	char *clock; /* "CLOCK_MONOTONIC", "perf clock", ...; NULL: unknown */

	char *cpu_event;      /* the event that measures CPU time: "cpu-clock"; NULL: none */
	char *cpu_refusal;    /* why there is no CPU time; NULL: there is */
	char *caller_refusal; /* why CPU samples have no stacks; NULL: they may have some */
	char *cpu_note;       /* what the weights of CPU samples mean, if they are not time; NULL */
	bool has_switches;    /* it has TRACE_RUN events */
	char *switch_refusal; /* why context switches are not read, though it has them; NULL */
	bool has_wakeups;     /* these have the times of threads that were ready and blocked */
	bool has_memory;      /* it has all events that memory accounting needs */
	char *memory_refusal; /* why memory cannot be accounted; NULL: it can */
	bool has_touched;     /* it has the page faults of touched memory too */
	char *touched_refusal; /* why touched memory cannot be counted; NULL: it can */
	char *heap_refusal;    /* why blocks of heaps cannot be counted; NULL: they can */
	char *process_refusal; /* why processes are missing; NULL: none is, as far as known */
	char *gap;             /* a message: its files do not overlap in time; NULL: they do */
	uint32_t max_stack;    /* call chains of this many frames may be truncated; 0: unknown */
	bool has_copies;       /* samples have stack copies: memory of the recorded programs */
	bool has_words; /* call chains may have words of that memory: see trace/perf/perf_code.h */
	bool stacks_apart;   /* CPU samples that count for their stack alone, see trace_cpu */
	bool sampled_stacks; /* only some memory events have stacks, see trace_memory */

	struct trace_event_count *counts;
	size_t counts_nr, counts_alloc;
	struct trace_mark *marks; /* by time */
	size_t marks_nr;
	struct trace_heap *heaps; /* by pid */
	size_t heaps_nr;
	struct trace_snapshot *snapshots; /* by time */
	size_t snapshots_nr;
	struct trace_machine_memory *machine_memory; /* by time */
	size_t machine_memory_nr;
	struct system_facts system; /* about the machine */

	struct trace_counters counters;
	struct strbuf first_damage; /* a message with its offset in the file; empty: none */
	char *stop; /* a message about the damage that ended reading, with its offset; NULL: read to the end */
};

void trace_facts_init(struct trace_facts *facts);
void trace_facts_release(struct trace_facts *facts);

/* Append to the counts; takes ownership of `name`. */
void trace_facts_add_count(struct trace_facts *facts, char *name, uint64_t nr, bool stacks);

/* Append what is missing of a truncated trace: "2.10 MB (138 of 276 buffers)". False: it is unknown. */
bool trace_counters_add_missing(const struct trace_counters *counters, struct strbuf *sb);

#endif
