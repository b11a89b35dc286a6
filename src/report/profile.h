/*
 * What a recording has for other tools that know processes: who ran when and which crate it was, and of the stacks either
 * each event (`samples`, `pieces`) or what each stack has (`sums`). Formats write it; all numbers are those of accounts.
 *
 * Numbers of processes, threads, nodes of the tree and phases are indexes into the arrays here.
 */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/cpu_account.h"
#include "analysis/lifetime.h"
#include "model/process.h"
#include "report/account.h"
#include "report/frame_tree.h"
#include "util/intmap.h"
#include "util/strset.h"

/* Nothing of its kind. */
#define PROFILE_NONE UINT32_MAX

/* Sums of a stack, at most: a metric each. */
#define PROFILE_METRICS 5

/* Code points of a command line: a linker's has 100 KB, and there are a thousand. */
#define PROFILE_COMMAND_MAX 2000

/* What is held from a moment on. */
struct profile_point {
	int64_t time_ns, held;
};

/*
 * What was held over time, in few points: the first is 0, and among them are the highest and the last value; others are
 * left out where they differ little from the one before.
 */
struct profile_curve {
	struct profile_point *v;
	size_t nr;      /* 0: nothing ever was */
	size_t highest; /* the first of the highest points */
};

struct profile_process {
	int64_t pid;      /* of no other process here: one that is used again gets another number */
	int64_t real_pid; /* the system's */
	int64_t start_ns, end_ns; /* within the range; unknown ones are its ends */
	char *name;               /* image and crate: "rustc core" */
	char *image;
	char *crate, *part,
		*command_line; /* NULL: none; the last one at most PROFILE_COMMAND_MAX long */
	const char *role;
	int built_by;           /* stage; STAGE_UNKNOWN */
	int64_t exit_code;      /* PROCESS_UNKNOWN */
	int64_t known_start_ns; /* as the list of processes has it */
	uint32_t next_same_pid; /* an earlier process with the real pid; PROFILE_NONE */
	uint32_t main_thread;   /* before profile_finish() */
	uint32_t first_thread;  /* threads of a process follow each other */
	uint32_t threads_nr;    /* at least 1: the first one is the main thread */
	size_t first_piece;     /* the same of pieces */
	size_t pieces_nr;
	struct profile_curve memory; /* of its pieces */
};

struct profile_thread {
	uint32_t process;
	int64_t tid; /* of no other thread here, nor a pid but that of a main thread's process */
	int64_t real_tid; /* -1: unknown */
	char *name;
	size_t first_sample; /* samples of a thread follow each other */
	size_t samples_nr;
};

/* A CPU sample. */
struct profile_sample {
	int64_t time_ns, ns;
	uint32_t thread, node, phase;
	int32_t cpu; /* -1: unknown */
};

/* Memory that one event committed and one event, or the end of its process, gave back. */
struct profile_piece {
	int64_t start_ns, end_ns; /* the end is that of the range if it was held then */
	int64_t bytes;
	uint32_t process, node;
	bool held; /* at the end of the range */
};

/* What a stack of a process has, by metric. */
struct profile_sum {
	uint32_t process, node, phase;
	int64_t values[PROFILE_METRICS];
};

/* What the build ran on; NULL, -1: unknown. */
struct profile_machine {
	char *os, *arch, *cpu_model;
	int64_t cpus, memory_bytes;
};

struct profile {
	struct frame_tree tree; /* without values */
	struct profile_process *processes;
	size_t processes_nr, processes_alloc;
	struct profile_thread *threads;
	size_t threads_nr, threads_alloc;
	struct profile_sample *samples; /* by thread, then by time */
	size_t samples_nr, samples_alloc;
	struct profile_piece *pieces; /* by process, then by start */
	size_t pieces_nr, pieces_alloc;
	struct profile_sum *sums; /* by process, then by stack */
	size_t sums_nr, sums_alloc;
	struct profile_curve memory; /* of all pieces */
	const struct metric *metrics[PROFILE_METRICS];
	size_t metrics_nr;
	struct strset phases;
	int64_t from_ns,
		to_ns;  /* the range: the ends are those of the recording where --time has none */
	int64_t utc_ns; /* of time zero, since 1970; 0: unknown */
	struct profile_machine machine;
	/* private */
	struct intmap by_pid, by_row, numbers;
	int64_t last_number;
};

void profile_init(struct profile *profile);
void profile_release(struct profile *profile);

/* What the build ran on; takes ownership of the texts. */
void profile_set_machine(struct profile *profile, struct profile_machine machine);

/*
 * Add the processes that the filter lets through, each once: a process that another pass over the trace has added is found
 * by its pid and its start. The list is that of the results which are added next, until then it must not change.
 */
void profile_add_processes(struct profile *profile, const struct process_list *list,
			   const struct process_filter *filter);

/* Add CPU samples of results by thread and stack, split. */
void profile_add_samples(struct profile *profile, const struct results *results,
			 const struct cpu_moment *moments, size_t nr);

/* Add regions of results by process and stack. */
struct profile_region {
	int64_t start_ns, end_ns, bytes;
	uint32_t key;
	bool held; /* at the end of the recording */
};

void profile_add_regions(struct profile *profile, const struct results *results,
			 const struct profile_region *regions, size_t nr);

/* Add what the keys of results by process and stack, split, have, for a metric more. */
void profile_add_sums(struct profile *profile, const struct results *results,
		      const struct metric *metric);

/* After all has been added: sort it, and give each process its threads and pieces. */
void profile_finish(struct profile *profile);

/* A time of one thread in one phase, by its samples. */
struct profile_span {
	int64_t start_ns, end_ns, ns; /* the last one is CPU time */
	uint32_t phase;
};

/*
 * The next span of a thread from its sample `*at`, 0 first, which is moved behind it. False: there is none. Samples of one
 * phase that follow each other are one span, unless the thread did not run in between.
 */
bool profile_next_span(const struct profile *profile, const struct profile_thread *thread,
		       size_t *at, struct profile_span *span);

/* A change of what a process holds. */
struct profile_change {
	int64_t time_ns, bytes;
	size_t piece;
};

/*
 * Those of some pieces, by time. Of equal times what was held before is given back first, as one event may replace memory;
 * what was committed at that time comes last. The caller frees them; two for each piece.
 */
struct profile_change *profile_changes(const struct profile *profile, size_t first, size_t nr,
				       size_t *changes_nr);

/* A part of the build, from the start of its first process to the end of its last one. */
struct profile_part {
	const char *name;
	int64_t start_ns, end_ns;
};

/* By start; the caller frees them. */
struct profile_part *profile_parts(const struct profile *profile, size_t *nr);

#endif
