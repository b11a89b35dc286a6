/*
 * What wpr and xperf have in common: a session that the tool starts, marks, queries and stops; a directory for its files;
 * a system-wide sampling interval that is changed and restored. Each tool defines its command lines in a struct
 * etw_tool_calls, and each profiler its own in a struct etw_calls. This file defines the order of the calls, the notes in
 * the manifest and the reaction to a failed call.
 */
#ifndef PROFILER_ETW_ETW_H
#define PROFILER_ETW_ETW_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/etw/etw_files.h"
#include "profiler/etw/etw_output.h"
#include "profiler/etw/etw_tool.h"
#include "profiler/profiler.h"
#include "rundir/layout.h"
#include "util/err.h"
#include "util/strvec.h"

/* What the arguments of a call depend on. */
struct etw_context {
	const struct etw_calls *calls;
	const struct profiler_job *job;
	struct profiler_session *session; /* NULL in checks, where nothing is recorded */
	struct etw_tool tool;
	char *instance;      /* name of the session */
	char *work_dir;      /* to which the tool writes while it records */
	char *tool_work_dir; /* the same path in the form that the tool accepts */
};

/* The command lines of one tool: each hook appends the arguments of a call, after the program. */
struct etw_tool_calls {
	const char *name; /* of the tool */

	void (*mark)(const struct etw_context *context, const char *text, struct strvec *argv);
	void (*status)(const struct etw_context *context, struct strvec *argv);
	void (*cancel)(const struct etw_context *context, struct strvec *argv);
	void (*set_interval)(int64_t interval, struct strvec *argv); /* in 100 ns; 0: the default */
	const char *query_interval; /* the option; NULL: the tool has no such call */

	/* From the output of `status`: the state of our session, and its lost events (-1: unknown). */
	enum etw_state (*state)(const struct etw_context *context, const struct etw_result *result);
	int64_t (*lost)(const char *status);

	/* Do calls name the session? Then `cancel` and `stop` cannot end that of another program. */
	bool names_session;
};

/* The command lines of one profiler: those of its tool, and what depends on what is recorded. */
struct etw_calls {
	const struct etw_tool_calls *tool;

	/*
	 * Optional. Create the files and make the changes of the system that a start needs; changes are noted in the
	 * manifest first. `undo` undoes what is noted.
	 */
	int (*prepare)(const struct etw_context *context, struct err *err);
	int (*undo)(const struct etw_context *context, struct err *err);

	/* Optional: the files that `prepare` makes, as shell commands for a dry run. */
	void (*show_prepare)(const struct etw_context *context, struct strbuf *sb);

	/* They append the arguments, too. */
	void (*start)(const struct etw_context *context, struct strvec *argv);
	/* `plain`: without options that old versions do not know. */
	void (*stop)(const struct etw_context *context, bool plain, struct strvec *argv);
};

/* Notes of a session in the manifest. */
#define NOTE_INSTANCE "instance" /* name of the session; it may still run */
#define NOTE_DIR      "folder"   /* directory with its files */
#define NOTE_INTERVAL "interval" /* sampling interval to restore, in 100 ns; "default" */
#define NOTE_STOP     "stop"     /* a stop was requested */

/* Session hooks of profiler_ops that have `etw`. */
int etw_start(struct profiler_session *session, struct err *err);
int etw_mark(struct profiler_session *session, const char *text, struct err *err);
int etw_stop(struct profiler_session *session, int64_t *lost, struct err *err);
int etw_cancel(struct profiler_session *session, struct err *err);
void etw_release(struct profiler_session *session);

/* Other hooks of the same profilers. */
bool etw_suits(const struct profiler_ops *profiler);
char *etw_version(const struct profiler_ops *profiler);
void etw_find_leftovers(const struct profiler_ops *profiler, const struct manifest *manifest,
			const char *dir, struct finding_list *findings);
void etw_show(const struct profiler_ops *profiler, const struct profiler_job *job, bool end,
	      struct strbuf *sb);

/* The hooks of profiler_ops that all profilers with `etw` share. */
#define ETW_HOOKS \
	.suits = etw_suits, .version = etw_version, .trace = RUN_ETL, .start = etw_start, \
	.mark = etw_mark, .stop = etw_stop, .cancel = etw_cancel, .release = etw_release, \
	.trace_dir = etw_files_dir

/* Set `cpu` and `memory` of the job as configured; a finding if both are off. */
void etw_check_requested(const char *name, struct profiler_job *job, struct finding_list *findings);

/*
 * Check what every recording needs: Windows 10, an elevated prompt, the tool, short paths, free space. Adds findings
 * and fills `context`, which the caller releases. False: the tool is not installed.
 */
bool etw_check(const struct etw_calls *calls, struct profiler_job *job, struct etw_context *context,
	       struct finding_list *findings);

/* Find the tool, and set instance and directory for a new recording in job->dir. */
void etw_context_init(struct etw_context *context, const struct etw_calls *calls,
		      const struct profiler_job *job);
void etw_context_release(struct etw_context *context);

/*
 * Set instance and directory from the notes of an earlier recording. Runs come from untrusted sources, so notes that do not
 * have stagetrace's form are ignored, and the directory inside the run is used.
 */
void etw_context_use_notes(struct etw_context *context, const struct manifest *manifest,
			   const char *dir);

/* The context of a session, owned by it. NULL with `err`: the tool is not installed. */
struct etw_context *etw_open(struct profiler_session *session, struct err *err);

/* A command line that begins with the program; the caller releases it. */
struct strvec etw_argv(const struct etw_context *context);

/*
 * Run a call that takes minutes at most; -1 if it fails. `what` is shown as progress (NULL: none). The caller releases
 * `result`; result->code is 0 if the call could not be run or did not end.
 */
int etw_run(const struct etw_context *context, const struct strvec *argv, const char *what,
	    struct etw_result *result, struct err *err);

/* The same for a call whose output is not needed. Releases `argv`. */
int etw_run_ok(const struct etw_context *context, struct strvec *argv, struct err *err);

/* The state of our session. The tool's output is appended to `output` (NULL: not wanted). */
enum etw_state etw_find_state(const struct etw_context *context, struct strbuf *output);

/* The requested sampling interval in 100 ns, within what Windows allows. */
int64_t etw_interval(const struct profiler_job *job);

#endif
