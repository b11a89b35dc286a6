/*
 * Opens and plays the run or bare trace that a view shows. Messages about losses and damage go to stderr.
 */
#ifndef CLI_VIEW_RUN_H
#define CLI_VIEW_RUN_H

#include <stdbool.h>

#include "analysis/cpu_exact.h"
#include "analysis/process_filter.h"
#include "model/process.h"
#include "replay/replay.h"
#include "report/processes_view.h"
#include "report/view_head.h"
#include "rundir/manifest.h"
#include "rundir/source.h"
#include "util/err.h"
#include "util/strvec.h"

struct view_run {
	const char *path;              /* the first one, as given; borrowed */
	const struct strvec *paths;    /* all; borrowed */
	struct run_source *source;     /* NULL: a bare trace, `paths` are its files */
	struct run_source *packed;     /* a zip with the files of a bare trace; NULL: none */
	struct strvec *unpacked;       /* of the zip: `paths` */
	struct strvec names;           /* of these, for messages */
	struct manifest manifest;      /* empty if it could not be read */
	struct ledger_entry *memory;   /* of each process, from the trace; NULL: unknown */
	struct cpu_exact *exact;       /* the same of its context switches */
	bool waits;                    /* these have the times of threads that waited */
	bool hidden_heap;              /* results_hide_a_heap(); false: unknown */
	struct process_list processes; /* of a bare trace: found when it is played */
	struct tracker_losses losses;  /* of a run */
	int64_t trace_end_ns; /* the last event, if the trace was played before to find processes; else -1 */
};

/* What a view shows: only warnings about that are printed. */
struct view_subject {
	bool cpu_stacks, memory_stacks; /* call stacks of CPU samples, of memory events */
	bool processes;                 /* which there were, and their roles, parts and crates */
	bool durations;                 /* how long something took on the clock */
	bool failure;                   /* that the recording failed, and why: no warning says it */
};

#define VIEW_NO_STACKS  ((struct view_subject){ false, false, true, true, false })
#define VIEW_ALL_STACKS ((struct view_subject){ true, true, true, true, false })

/*
 * Open a run, and print its warnings that bear on the subject. Only a bare trace may have
 * several paths. Close `run` only if this succeeds.
 */
int view_run_open(const struct strvec *paths, struct view_subject subject, struct view_run *run,
		  struct err *err);
void view_run_close(struct view_run *run);

struct view_trace_options {
	struct replay_options replay; /* all but base_ns */
	/*
	 * Roles, parts and crates of processes are needed. In a bare trace they are known only after it was played: it
	 * is played twice.
	 */
	bool tags;
	/*
	 * All processes must be known before their first event, also processes that are only in the trace: it is
	 * played twice.
	 */
	bool processes;
};

/* Open the trace of the run, with its processes as rows. Close `replay` only if this succeeds. */
int view_trace_open(struct view_run *run, const struct view_trace_options *options,
		    struct replay *replay, struct err *err);

/* The same for a view that also shows other data: if the trace of a run cannot be opened, warn and return 1. */
int view_trace_open_optional(struct view_run *run, const struct view_trace_options *options,
			     struct replay *replay, struct err *err);

/* Warn about losses in the trace, after it was played. */
void view_trace_warn(const struct replay *replay);

/* Play the trace, and warn about losses. */
int view_trace_play(struct replay *replay, replay_fn *take, void *data, struct err *err);

/*
 * What the head of a view says of the run, and of a range of its trace: of the facts after the trace was played, of NULL if
 * it was not. The run and the facts are borrowed.
 */
struct view_head view_run_head(const struct view_run *run, const struct trace_facts *facts,
			       int64_t from_ns, int64_t to_ns);

/*
 * Of a bare perf.data, which has no command lines, say that parts and crates are unknown, where rows or the filter need
 * them.
 */
void view_note_tags(const struct view_run *run, const struct trace_facts *facts,
		    const struct process_filter *filter, bool rows);

/* Whether the run was recorded with a trace, or is a bare trace. */
bool view_run_has_trace(const struct view_run *run);

#endif
