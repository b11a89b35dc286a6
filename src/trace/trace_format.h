/*
 * What the reader of one trace format provides to trace_reader.h.
 *
 * To add a format:
 * 1. trace/<format>/<format>_reader.c: `const struct trace_format <format>_format` at its end.
 * 2. List it in trace/trace_reader.c.
 * 3. docs/: what is read of it and what is not; tests/unit/, tests/fuzz/fuzz_<format>_trace.c with a corpus.
 */
#ifndef TRACE_TRACE_FORMAT_H
#define TRACE_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "model/trace_facts.h"
#include "util/err.h"
#include "util/strvec.h"

#define TRACE_BASE_FIRST INT64_MIN

struct trace_options {
	int64_t base_ns; /* time zero on the trace's clock; TRACE_BASE_FIRST: its first event */
	/* Which events to decode. Events of processes, threads and mappings are always decoded. */
	bool cpu, memory, touched; /* `touched` without `memory`: nothing */
	int threads;               /* 1 or 2; does not change the events */
	/* Size of the compressed file that this one came from, which limits what reading it may cost; 0: none. */
	uint64_t compressed_bytes;
	/*
	 * Only sums by process are needed: a reader may leave out the stacks of events, and of memory events the thread
	 * and the process that called.
	 */
	bool no_stacks;
	const struct strvec *names; /* what messages about files call them; NULL: their paths */
	bool heap;                  /* decode calls of heaps too */
	bool switches;              /* decode context switches too, as TRACE_RUN */
	/* Those of trace_reader_again(), if it will be called; NULL. A reader may prepare for it. */
	const struct trace_options *again;
};

#define TRACE_PROBE_BYTES 4096

/* `reader` is the format's own state. */
struct trace_format {
	const char *name;
	/* Confidence, 0 to 100, that a file with these first bytes has this format. */
	int (*probe)(const unsigned char *head, size_t nr);
	bool many; /* a recording may have several files; else exactly one */
	/* `facts` are borrowed; next() updates them. */
	int (*open)(const struct strvec *paths, const struct trace_options *options,
		    struct trace_facts *facts, void **reader, struct err *err);
	int (*next)(void *reader, const struct trace_event **events, size_t *nr, struct err *err);
	/* See trace_reader_again(). NULL: the reader is freed and opened again. */
	int (*again)(void *reader, const struct trace_options *options, struct err *err);
	void (*free)(void *reader);
};

#endif
