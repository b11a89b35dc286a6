/*
 * Plays a trace: reads its events and applies them to the model, one by one. All views of a trace use it, and so does
 * a recording at its end, to save the names of functions.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/stack_end.h"
#include "model/function.h"
#include "model/machine.h"
#include "model/process.h"
#include "rundir/source.h"
#include "symbol/symbol_store.h"
#include "symbol/symbolizer.h"
#include "trace/trace_reader.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/strbuf.h"

struct replay_options {
	/* Which events to read; those of processes, threads and mappings are always read. */
	bool cpu, memory, touched, heap;
	bool switches;   /* context switches too: see trace_options */
	bool no_stacks;  /* neither stacks nor threads are needed: see trace_options */
	bool cpu_stacks; /* of stacks only those of CPU samples are needed: known ones are used */
	bool names;      /* functions will be looked up */
	bool fresh;      /* ignore symbols/ of the run */
	bool mangled;    /* names as in the symbol tables */
	bool inlines;    /* inlined functions are shown separately, and functions have lines */
	const char *
		symfs; /* a directory with files of the traced machine (symbolizer.h); NULL: none */
	struct debug_fetcher *fetcher; /* of the symbolizer, borrowed; NULL: none */
	const char *cache; /* of fetched files, besides symbol_cache_dir(); NULL: none */
	const struct strvec *file_names; /* what messages call the files; NULL: their paths */
	int64_t base_ns;                 /* time zero, or TRACE_BASE_FIRST */
	const struct progress *progress; /* of replay_play(); NULL: none */
	const struct replay_options
		*again; /* those of replay_rewind(), if it will be called; NULL */
};

struct replay {
	int threads; /* replay_threads() */
	char *trace; /* path of its first file */
	struct trace_reader *reader;
	struct symbol_store *store;
	struct symbolizer *symbolizer;
	struct run_lookup *run_lookup; /* of the symbolizer; NULL: there is no run */
	bool names_kept; /* the run has symbols: no symbol file of this machine is read */
	bool inlines;    /* as in the options */
	bool switches;   /* the trace has context switches, and they are requested */
	const struct progress *progress; /* the same */
	struct machine machine;
	struct function_table functions;
	uint64_t raised;     /* STAGETRACE_LIMITS: see platform/cost.h */
	uint64_t samples;    /* of CPU, played so far */
	char *stacks_damage; /* why RUN_TRACE_STACKS or RUN_TRACE_CPU is not used; NULL: no damage */
	struct kept_reader *kept; /* its events, instead of those of the trace; NULL */
};

/*
 * Number of threads to use, 1 or 2. STAGETRACE_THREADS=1 in the environment is for comparisons: the results are the
 * same.
 */
int replay_threads(void);

/*
 * Append the path of the trace of a run; for a bundle the path of an unpacked copy, which exists until the source is
 * closed. ERR_NOT_FOUND if the run has no trace.
 */
int replay_find_trace(struct run_source *source, struct strvec *paths, struct err *err);

/*
 * Open the trace, the file or files at `paths`. `source` is its run (NULL: a bare trace). `rows` are the processes of the
 * run; an empty list gets those found in the trace. Both are borrowed.
 */
int replay_open(const struct strvec *paths, struct run_source *source, struct process_list *rows,
		const struct replay_options *options, struct replay *replay, struct err *err);

/* The same of the trace of a run and of its processes, which `rows` gets; it must live as long as the replay. */
int replay_open_run(struct run_source *source, const struct replay_options *options,
		    struct process_list *rows, struct replay *replay, struct err *err);

void replay_close(struct replay *replay);

/* Open a replay without events, for a view of a run that was recorded without a trace. `rows` are borrowed. */
void replay_open_none(struct process_list *rows, struct replay *replay);

/* Rewind the trace, with other options: cheaper than opening it again. On failure the replay is closed. */
int replay_rewind(struct replay *replay, struct run_source *source, struct process_list *rows,
		  const struct replay_options *options, struct err *err);

/* Called with each event after machine_apply(). False: stop playing. */
typedef bool replay_fn(void *data, struct replay *replay, const struct trace_event *event);

/*
 * Play the trace to its end. `take` may be NULL: only the machine is updated. ERR_UNSUPPORTED: `take` has the accounting
 * of memory do far more than recordings need. ERR_FAILED, among others: stopped by `progress`.
 */
int replay_play(struct replay *replay, replay_fn *take, void *data, struct err *err);

/* Add the frames of the stack of an event: of a CPU sample, or without frames of the kernel of one about memory. */
void replay_add_frames(struct replay *replay, const struct trace_event *event);

/* The same, and find where the stack ends. False: there is none. */
bool replay_stack_end(struct replay *replay, const struct trace_event *event,
		      struct stack_end_finder *ends, struct stack_end *end);

/* Free what names and lines are found in: the functions of all frames are known, and no more are asked for. */
void replay_forget_names(struct replay *replay);

/*
 * Open the symbol files of all frames seen so far, two at a time if there are two threads, instead of one by one on
 * demand.
 */
void replay_open_files(struct replay *replay);

const struct trace_facts *replay_facts(const struct replay *replay);

/*
 * Whether many of `copies` stack copies that were unwound lack files of the recorded programs: if so, append how many, and
 * which file most often, without a line end.
 */
bool replay_explain_loss(const struct replay *replay, uint64_t copies, struct strbuf *text);

/* Append that the end of the trace is missing (MANIFEST_TRUNCATED), without a line end. False: it is not. */
bool replay_explain_truncated(const struct replay *replay, struct strbuf *text);

/* Append a line for each reason why results are incomplete: lost events, a damaged or truncated file, and so on. */
void replay_explain(const struct replay *replay, struct strbuf *notes);

#endif
