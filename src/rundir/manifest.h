/*
 * manifest.json: what a run is, how far it came, and what belongs to it (docs/run-directory.md).
 *
 * It is the journal as well: written before each step with side effects, so that `recover` knows what a
 * dead recording left behind. Unknown members are ignored when read; a newer format version is refused.
 * A manifest that was read has a state and a name that can be a file's; any other string may be NULL.
 */
#ifndef RUNDIR_MANIFEST_H
#define RUNDIR_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strvec.h"

#define MANIFEST_FORMAT_VERSION 1

/* A larger file is no manifest. */
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

/* Static; and back, false where `name` is none. */
const char *run_state_name(enum run_state state);
bool run_state_parse(const char *name, enum run_state *state);

/* A program that was run for the recording: stage 1, before, the recorder with stage 2, ... */
struct manifest_command {
	char *what; /* "stage1", "before", "stage2", "recorder" */
	struct strvec argv;
	char *cwd;
	struct strvec env; /* what was set on top of the environment */
	int64_t exit_code; /* -1: not (yet) known; 128 + signal */
	int64_t start_ns;  /* from the recording's start, negative before it */
	int64_t end_ns;    /* -1: not (yet) known */
	/* Of a recorder that works, which goes on when we are gone: which process it is (platform/process_id.h); NULL */
	char *process;
};

/* A heap snapshot that was taken. */
struct manifest_snapshot {
	int64_t pid;
	char *crate;     /* whose compiler it is; NULL: not known */
	int64_t time_ns; /* when it was asked for, from the recording's start */
};

/* More are not taken in one run, and a manifest with more is none. */
#define MANIFEST_SNAPSHOTS_MAX 2000

/* A system setting that was changed, with the value to put back. */
struct manifest_undo {
	char *path;
	char *value;
};

struct manifest_file {
	char *path; /* relative to the run, "/" between */
	int64_t size;
	char sha256[65]; /* "": not known */
};

struct manifest_pair {
	char *key;
	char *value;
};

struct manifest {
	enum run_state state;
	char *reason;  /* why it is failed, in words; NULL */
	char *name;    /* of the run: <name>-<UTC start> */
	char *version; /* of stagetrace */
	char *cookie;  /* value of STAGETRACE_RUN in the build's environment */

	/* hostname, os, kernel, arch, cpu_model, cpus, memory_bytes, ...; whole numbers are such in the file */
	struct manifest_pair *host;
	size_t host_nr, host_alloc;

	char *recorder; /* "perf" */
	char *recorder_version;
	/* What a recorder that runs by itself has changed on the system and not yet put back: its own notes */
	struct manifest_pair *session;
	size_t session_nr, session_alloc;
	struct manifest_snapshot *snapshots;
	size_t snapshots_nr, snapshots_alloc;
	struct manifest_command *commands;
	size_t commands_nr, commands_alloc;

	char *source;     /* the checkout */
	char *git_commit; /* NULL: no git checkout */
	char *git_branch;
	int64_t git_dirty; /* files that differ from the commit; -1 not known */

	char *clock;           /* "CLOCK_MONOTONIC" */
	int64_t clock_base_ns; /* that clock at the start of the recording */
	char *start_utc;       /* "2026-01-31T12:00:00.123Z" */
	int64_t stage2_start_ns;
	int64_t stage2_end_ns; /* -1 until known */
	int64_t own_execs; /* programs that the build's first process runs before it is the build */

	char *tracker;             /* method of the process watch */
	int64_t lost_trace_events; /* -1: not counted */
	int64_t lost_tracker_events;
	int64_t lost_command_lines;
	int64_t missed_processes; /* at most */
	int64_t peak_memory_bytes; /* of the build, resident, summed over its processes, as watched; -1 */

	bool scrubbed;          /* names were replaced when it was bundled */
	struct strvec warnings; /* what a reader of the results must know */
	struct manifest_undo *undo;
	size_t undo_nr, undo_alloc;
	struct manifest_file *files;
	size_t files_nr, files_alloc;
};

void manifest_init(struct manifest *manifest);
void manifest_release(struct manifest *manifest);

void manifest_add_host(struct manifest *manifest, const char *key, const char *value);

/* A note of the recorder's session: set it, or drop it (NULL). The value noted; NULL where there is none. */
void manifest_note(struct manifest *manifest, const char *key, const char *value);
const char *manifest_noted(const struct manifest *manifest, const char *key);

/* A new command at the end; the pointer is good until the next one is added. */
struct manifest_command *manifest_add_command(struct manifest *manifest, const char *what);

/* Which process a command is; NULL: none any more. `process` is taken over. */
void manifest_set_process(struct manifest_command *command, char *process);
void manifest_add_snapshot(struct manifest *manifest, int64_t pid, const char *crate,
			   int64_t time_ns);
void manifest_add_undo(struct manifest *manifest, const char *path, const char *value);
void manifest_add_file(struct manifest *manifest, const char *path, int64_t size,
		       const char *sha256);

/* The entry of a file; NULL where there is none. */
const struct manifest_file *manifest_find_file(const struct manifest *manifest, const char *path);

/* Can `path` name a file of a run: relative, "/" between, never out of it. */
bool manifest_is_path(const char *path);

/* Write <dir>/manifest.json atomically and durably. */
int manifest_write(const struct manifest *manifest, const char *dir, struct err *err);

/* The same as JSON text, for a bundle. The caller frees it. */
char *manifest_text(const struct manifest *manifest);

/* Read from text; `name` is for messages. ERR_CORRUPT where it is none, ERR_UNSUPPORTED where too new. */
int manifest_parse(const char *text, size_t len, const char *name, struct manifest *manifest,
		   struct err *err);

/* Read <dir>/manifest.json. Here and above `manifest` is initialised, and empty after a failure. */
int manifest_read(const char *dir, struct manifest *manifest, struct err *err);

#endif
