/*
 * Reading a recorded trace, whatever its format: events by time, in bounded memory, from bytes that may be
 * anything. Damage is graded: what is sound is delivered, what is not is counted and described in the facts.
 *
 * To add a format:
 * 1. trace/<format>/<format>_reader.c: `const struct trace_format <format>_format` at its end, after the life of its reader.
 * 2. List it in trace/trace_reader.c.
 * 3. docs/: what it reads and what not; tests/unit/, tests/fuzz/fuzz_<format>_trace.c with a corpus.
 */
#ifndef TRACE_TRACE_READER_H
#define TRACE_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

#define TRACE_BASE_FIRST INT64_MIN

struct trace_options {
	int64_t base_ns; /* time zero on the trace's clock; TRACE_BASE_FIRST: its first event */
	/* What is not wanted is not decoded; processes, threads and mappings always are. */
	bool cpu, memory;
	int threads; /* 1 or 2; the events are the same */
};

/* How often an event type occurs; one that was recorded several times stands there as often. */
struct trace_event_count {
	char *name;
	uint64_t nr;
	bool stacks; /* it carries copies of stacks */
};

/* What somebody noted in the trace while it was recorded. */
struct trace_mark {
	int64_t time_ns;
	char *text;
};

/* What a process asked its heaps for, where that was traced. */
struct trace_heap {
	int64_t pid; /* -1: the event does not tell */
	int64_t allocs, reallocs, frees;
	int64_t allocated_bytes; /* by allocs ... */
	int64_t grown_bytes;     /* ... and by reallocs to a larger size */
};

struct trace_facts {
	char *format; /* "perf.data", "perf.data (pipe)", "etl" */
	/* NULL: the trace does not tell. */
	char *hostname, *os_release, *arch, *cpu_model, *tool_version;
	struct strvec command_line; /* of the recorder */
	int64_t cpus, memory_bytes; /* -1 */
	char *clock;                /* "CLOCK_MONOTONIC", "perf clock", ...; NULL */
	int64_t base_ns;            /* time zero, on that clock */
	int64_t first_ns, last_ns;  /* of the events, from time zero; 0, -1 where there are none */

	char *cpu_event;      /* by which CPU time is told: "cpu-clock"; NULL: none */
	char *cpu_refusal;    /* why CPU time can't be told; NULL where it can */
	char *cpu_note;       /* what its weights mean where they are not plain time; NULL */
	bool has_memory;      /* it has all events of the accounting ... */
	char *memory_refusal; /* ... or why the memory can't be told; NULL where it can */
	uint32_t max_stack;   /* a stack of so many frames may have been cut; 0: not told */
	bool sampled_stacks;  /* stacks of memory events are of a part of them, see trace_memory */
	uint64_t stack_copies, stack_copies_unmatched; /* all; those whose event was not found */

	struct trace_event_count *counts;
	size_t counts_nr, counts_alloc;
	struct trace_mark *marks; /* by time */
	size_t marks_nr;
	struct trace_heap *heaps; /* by pid */
	size_t heaps_nr;
	uint64_t headless;     /* memory calls without their begin, which are not accounted */
	uint64_t lost;         /* events that the kernel or the tool dropped */
	uint64_t lost_buffers; /* as many buffers full of them */
	uint64_t unordered;    /* delivered later than their time */
	uint64_t untimed;      /* samples without a time: as of the start, in the file's order */
	uint64_t damaged;      /* records that can't be what they say */
	uint64_t unknown;      /* records of a kind that is not read */
	struct strbuf first_damage; /* in words, with its place in the file; empty: none */
	bool cut;                   /* the file ends before its end ... */
	uint64_t missing;           /* ... by that many bytes; 0: it does not say, or not cut */
	char *stop; /* what can't be and leads nowhere, with its place; NULL: read to the end */
	uint64_t unread; /* bytes of records from there on */
};

struct trace_reader;

/*
 * Open the files of one recording, in any order. ERR_UNSUPPORTED where no reader takes them, with what was found; where
 * they are several and their format has only one.
 */
int trace_reader_open(const struct strvec *paths, const struct trace_options *options,
		      struct trace_reader **reader, struct err *err);

/*
 * Begin again, maybe with other options: what has to be known of the whole trace is not looked for again. After a failure
 * the reader is good for trace_reader_free() only.
 */
int trace_reader_again(struct trace_reader *reader, const struct trace_options *options,
		       struct err *err);

/*
 * The next events by time: 1, `*events` and `*nr` (> 0) are good until the next call; 0 at the end; -1.
 * Damage is no failure, see the facts.
 */
int trace_reader_next(struct trace_reader *reader, const struct trace_event **events, size_t *nr,
		      struct err *err);

/* What is known by now; counts are complete at the end. Borrowed. */
const struct trace_facts *trace_reader_facts(const struct trace_reader *reader);

void trace_reader_free(struct trace_reader *reader);

void trace_facts_init(struct trace_facts *facts);
void trace_facts_release(struct trace_facts *facts);

/* Append to the counts; `name` is the facts' from then on. */
void trace_facts_count(struct trace_facts *facts, char *name, uint64_t nr, bool stacks);

#define TRACE_PROBE_BYTES 4096

/* A format. `reader` is its own state. */
struct trace_format {
	const char *name;
	/* 0: not this format; the most certain of all formats (up to 100) gets the file. */
	int (*probe)(const unsigned char *head, size_t nr);
	bool many; /* a recording may have several files: else there is one path */
	int (*open)(const struct strvec *paths, const struct trace_options *options,
		    struct trace_facts *facts, void **reader, struct err *err);
	int (*next)(void *reader, const struct trace_event **events, size_t *nr, struct err *err);
	/* See trace_reader_again(); NULL: it is opened anew. */
	int (*again)(void *reader, const struct trace_options *options, struct err *err);
	void (*free)(void *reader);
};

#endif
