/*
 * manifest.json: describes a run, its state and its files (docs/run-directory.md).
 *
 * It is written before each step with side effects, so that `recover` knows what a killed recording has left.
 * Unknown members are ignored; a newer format version is refused. After reading, the state is valid and the name is a
 * valid file name; any other string may be NULL.
 */
#ifndef RUNDIR_MANIFEST_H
#define RUNDIR_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/system_facts.h"
#include "util/err.h"
#include "util/printf_like.h"
#include "util/strvec.h"

#define MANIFEST_FORMAT_VERSION 1

/* Size limit; a larger file is refused. */
#define MANIFEST_MAX (INT64_C(64) * 1024 * 1024)

enum run_state {
	RUN_PREPARED,
	RUN_STAGE1,
	RUN_STARTING,
	RUN_RECORDING,
	RUN_STOPPING,
	RUN_COLLECTING,
	RUN_DONE,
	RUN_FAILED,
	RUN_STATE_COUNT
};

/* The name of a state (static), and the state of a name (false: unknown). */
const char *run_state_name(enum run_state state);
bool run_state_parse(const char *name, enum run_state *state);

/* A program that was run for the recording: stage 1, before, the profiler with stage 2, ... */
struct manifest_command {
	char *what; /* "stage1", "before", "stage2", "recorder" */
	struct strvec argv;
	char *cwd;
	struct strvec env; /* variables that were added */
	int64_t exit_code; /* -1: unknown; 128 + signal */
	int64_t start_ns;  /* from the recording's start, negative before it */
	int64_t end_ns;    /* -1: unknown */
	/*
	 * Process (platform/process_id.h) of a running profiler command, which survives if stagetrace is killed; else NULL
	 */
	char *process;
};

/* A heap snapshot that was taken. */
struct manifest_snapshot {
	int64_t pid;
	char *crate;     /* crate that the process compiles; NULL: unknown */
	int64_t time_ns; /* when it was requested, or wpr took it itself; from the recording's start */
	int64_t bytes; /* its size in the trace; -1: unknown */
};

/* Limit per run; a manifest with more is refused. */
#define MANIFEST_SNAPSHOTS_MAX 2000

/* A system setting that was changed, with the value to restore. */
struct manifest_undo {
	char *path;
	char *value;
};

struct manifest_file {
	char *path; /* relative to the run directory, separated by "/" */
	int64_t size;
	char sha256[65]; /* "": unknown */
};

/* What was removed or replaced in a scrubbed bundle. */
struct manifest_removed {
	char *what;
	int64_t count;
};

/* A warning for views that show call stacks: those of CPU samples, of memory events, or both. */
struct manifest_stack_warning {
	bool cpu, memory;
	char *text;
};

/* How near the limits of memory came while stage 2 ran; -1: unknown, or there is no limit. */
struct manifest_memory {
	int64_t least_available_bytes, least_available_ns;
	int64_t peak_commit_bytes, commit_limit_bytes; /* of all programs of the machine */
	int64_t peak_group_bytes, group_limit_bytes;   /* of the control group */
	int64_t address_space_limit_bytes;             /* of each process, RLIMIT_AS */
	int64_t oom_kills;                             /* by the kernel, while stage 2 ran */
	int64_t oom_kills_before;                      /* not in the file */
};

/* A module of whose functions some have no name, and why: what the recording found out when it looked for names. */
struct manifest_unnamed {
	char *path;
	char *build_id; /* in hexadecimal; NULL: unknown */
	char *reason;   /* a word of the column `reason` of the view `symbols` */
	char *why;      /* the same for people, with details; NULL: no more is known */
};

/* Limit per run, and of each text: what exceeds them, or is damaged, is ignored. */
#define MANIFEST_UNNAMED_MAX      1000
#define MANIFEST_UNNAMED_TEXT_MAX 4096

struct manifest_pair {
	char *key;
	char *value;
};

/* The end of warnings that bear on durations alone. */
#define MANIFEST_TRUNCATED   "the trace is truncated" /* how the warning of it begins */
#define MANIFEST_TOOK_LONGER ": it took longer than on a quiet machine"

struct manifest {
	enum run_state state;
	char *reason;  /* why it failed; NULL: it did not */
	char *name;    /* of the run: <name>-<UTC start> */
	char *version; /* of stagetrace */
	char *cookie;  /* value of STAGETRACE_RUN in the build's environment */
	char *place;   /* fs_identity() of its directory; NULL: unknown, as in old runs */

	/* hostname, os, kernel, arch, cpu_model, cpus, memory_bytes, ...; numbers are JSON numbers in the file */
	struct manifest_pair *host;
	size_t host_nr, host_alloc;

	struct system_facts system; /* about the machine, in sections */
	struct system_facts
		build; /* what decides what the build does, in sections; none: unknown */

	char *recorder; /* "perf" */
	char *recorder_version;
	/* Notes of a service profiler: changes of the system that are not undone yet */
	struct manifest_pair *session;
	size_t session_nr, session_alloc;
	struct manifest_snapshot *snapshots;
	size_t snapshots_nr, snapshots_alloc;
	struct manifest_command *commands;
	size_t commands_nr, commands_alloc;

	char *source;     /* the checkout */
	char *git_commit; /* NULL: no git checkout */
	char *git_branch;
	int64_t git_dirty; /* files that differ from the commit; -1: unknown */

	char *clock;           /* "CLOCK_MONOTONIC" */
	int64_t clock_base_ns; /* that clock at the start of the recording */
	char *start_utc;       /* "2026-01-31T12:00:00.123Z" */
	int64_t stage2_start_ns;
	int64_t stage2_end_ns; /* -1 until known */
	int64_t own_execs;     /* see profiler_ops.command */

	char *tracker;             /* method of the process watch */
	int64_t lost_trace_events; /* -1: not counted */
	int64_t lost_tracker_events;
	int64_t lost_command_lines;
	int64_t missed_processes; /* upper limit of processes that were not seen */
	/* What other programs of the machine used while stage 2 ran; -1: unknown */
	int64_t foreign_cpu_ns;
	int64_t stolen_cpu_ns;        /* that a hypervisor gave to other machines */
	int64_t foreign_memory_bytes; /* in use before the build or after it, whichever is more */
	struct manifest_memory memory;
	int64_t peak_memory_bytes; /* resident, peak of the sum over the build's processes; -1: unknown */

	bool scrubbed; /* bundled without private names: `removed` lists them */
	struct manifest_removed *removed;
	size_t removed_nr, removed_alloc;
	struct strvec warnings; /* for every reader of the results */
	struct manifest_stack_warning *stack_warnings;
	size_t stack_warnings_nr, stack_warnings_alloc;
	struct manifest_unnamed *unnamed; /* those with the most frames first */
	size_t unnamed_nr, unnamed_alloc;
	struct manifest_undo *undo;
	size_t undo_nr, undo_alloc;
	struct manifest_file *files;
	size_t files_nr, files_alloc;
};

void manifest_init(struct manifest *manifest);
void manifest_release(struct manifest *manifest);

/* Set the reason why the run failed. A later call does not replace it. */
void manifest_fail(struct manifest *manifest, const char *fmt, ...) PRINTF_LIKE(2, 3);

void manifest_add_host(struct manifest *manifest, const char *key, const char *value);

/* The value of a fact about the host; NULL: unknown. The same as a number of at least 0; -1: unknown. */
const char *manifest_host(const struct manifest *manifest, const char *key);
int64_t manifest_host_number(const struct manifest *manifest, const char *key);

/* The commit of the checkout for people, "0123abcd (main), 2 files changed", to be freed. NULL: unknown. */
char *manifest_commit_text(const struct manifest *manifest);

/* Set a note of the profiler's session, or drop it (`value` NULL); get the value of a note (NULL: none). */
void manifest_note(struct manifest *manifest, const char *key, const char *value);
const char *manifest_noted(const struct manifest *manifest, const char *key);

/* Add an entry; the pointer is valid until the next one is added. */
struct manifest_command *manifest_add_command(struct manifest *manifest, const char *what);

struct manifest_snapshot *manifest_add_snapshot(struct manifest *manifest, int64_t pid,
						const char *crate, int64_t time_ns);
struct manifest_undo *manifest_add_undo(struct manifest *manifest, const char *path,
					const char *value);
struct manifest_file *manifest_add_file(struct manifest *manifest, const char *path, int64_t size,
					const char *sha256);

struct manifest_removed *manifest_add_removed(struct manifest *manifest, const char *what,
					      int64_t count);

struct manifest_stack_warning *manifest_add_stack_warning(struct manifest *manifest, bool cpu,
							  bool memory, const char *text);

/* Nothing is added beyond the limits. */
void manifest_add_unnamed(struct manifest *manifest, const char *path, const char *build_id,
			  const char *reason, const char *why);

/* Whether one of the warnings is about stacks of CPU samples, else of memory events. */
bool manifest_warns_of_stacks(const struct manifest *manifest, bool cpu);

/* Set the process of a command; NULL: it has ended. The manifest takes ownership of `process`. */
void manifest_set_process(struct manifest_command *command, char *process);

/* Remove the entries of all files; of all that was removed; of modules without names. */
void manifest_drop_files(struct manifest *manifest);
void manifest_drop_removed(struct manifest *manifest);
void manifest_drop_unnamed(struct manifest *manifest);

/* The entry of a file; NULL: none. */
const struct manifest_file *manifest_find_file(const struct manifest *manifest, const char *path);

/* Is `path` valid for a file of a run: relative, separated by "/", never outside of it? */
bool manifest_is_path(const char *path);

/* Write <dir>/manifest.json atomically and durably. */
int manifest_write(const struct manifest *manifest, const char *dir, struct err *err);

/* The manifest as JSON text. The caller frees it. */
char *manifest_text(const struct manifest *manifest);

/* Parse a manifest; `name` is the file name for messages. ERR_CORRUPT: not a manifest. ERR_UNSUPPORTED: too new. */
int manifest_parse(const char *text, size_t len, const char *name, struct manifest *manifest,
		   struct err *err);

/* Read <dir>/manifest.json. This and manifest_parse() initialise `manifest`; after a failure it is empty. */
int manifest_read(const char *dir, struct manifest *manifest, struct err *err);

#endif
