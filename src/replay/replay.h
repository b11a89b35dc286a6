/*
 * A trace played through the model, event by event: what every view of a trace is made of, and what keeps the
 * names at the end of a recording.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/function.h"
#include "model/machine.h"
#include "model/process.h"
#include "rundir/source.h"
#include "symbol/symbol_store.h"
#include "symbol/symbolizer.h"
#include "trace/trace_reader.h"
#include "util/err.h"
#include "util/strbuf.h"

struct replay_options {
	bool cpu, memory; /* which events are wanted; processes, threads and mappings always are */
	bool names;       /* functions will be asked for */
	bool fresh;       /* what symbols/ of the run has is not looked at */
	bool mangled;     /* names as in the symbol tables */
	bool inlines;     /* inlined functions stand on their own, and functions have lines */
	int64_t base_ns;  /* time zero; TRACE_BASE_FIRST */
};

struct replay {
	int threads; /* replay_threads() */
	struct trace_reader *reader;
	struct symbol_store *store;
	struct symbolizer *symbolizer;
	bool names_kept; /* the run has its symbols: no file of this machine is looked at */
	bool inlines;    /* asked for */
	struct machine machine;
	struct function_table functions;
};

/* That may be used, 1 or 2. STAGETRACE_THREADS=1 is for comparing: the results are the same. */
int replay_threads(void);

/*
 * Add the path of the trace in a run: out of a bundle it is a copy that lives as long as the source. ERR_NOT_FOUND where
 * the run has none.
 */
int replay_find_trace(struct run_source *source, struct strvec *paths, struct err *err);

/*
 * Open the trace, the file or files at `paths`. `source` (NULL: a bare trace) is the run it belongs to, `rows` its
 * processes, or an empty list, which grows by what the trace tells; both are borrowed.
 */
int replay_open(const struct strvec *paths, struct run_source *source, struct process_list *rows,
		const struct replay_options *options, struct replay *replay, struct err *err);
void replay_close(struct replay *replay);

/* The same trace from its begin, with other options; closed where that fails. Cheaper than opening it anew. */
int replay_again(struct replay *replay, struct run_source *source, struct process_list *rows,
		 const struct replay_options *options, struct err *err);

/* Takes an event that has gone into the machine. False: that was enough. */
typedef bool replay_fn(void *data, struct replay *replay, const struct trace_event *event);

/* Play it all; `take` may be NULL: the machine alone is wanted. */
int replay_play(struct replay *replay, replay_fn *take, void *data, struct err *err);

/* The stack of a CPU sample, or of a memory event without the kernel's part; false: it has none. */
bool replay_stack(struct replay *replay, const struct trace_event *event, uint32_t *id);

/* The frames of that alone, where no stack is ever asked for. */
void replay_see_stack(struct replay *replay, const struct trace_event *event);

/* Open the files of all frames that came up, two at a time where there are two threads, rather than as they are asked. */
void replay_open_files(struct replay *replay);

const struct trace_facts *replay_facts(const struct replay *replay);

/*
 * Append what a reader of the results must know, a line each: events that were lost, a damaged or cut file,
 * what could not be joined.
 */
void replay_explain(const struct replay *replay, struct strbuf *notes);

#endif
