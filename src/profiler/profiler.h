/*
 * The profilers that stagetrace drives. Each has one file and one `profiler_ops`.
 *
 * A profiler is either a command that runs the build (perf; "none" runs the build alone) or a service: a session that
 * runs next to the build, started and stopped by a tool (wpr, xperf). A session survives stagetrace: it continues if
 * stagetrace is killed. Before a session changes the system it adds a note to the manifest (recorder.session); it drops
 * the note once the change is undone. So `recover` can finish after a kill -9 at any moment.
 *
 * To add one:
 *   1. write profiler/<name>.c with its hooks, ending in `const struct profiler_ops <name>_profiler`;
 *   2. list it in profiler/profiler.c, the better ones first ("auto" takes the first that suits the system);
 *   3. add the name to the values of [record] recorder in config/settings.c;
 *   4. test it in tests/unit/test_<name>.c against a stand-in in tests/tools/, and describe it in
 *      docs/profilers.md.
 */
#ifndef PROFILER_PROFILER_H
#define PROFILER_PROFILER_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "profiler/finding.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct etw_calls;
struct perf_control;
struct profiler_ops;

/* A setting of the system (platform/setting.h) to change for the recording, and the value to write. */
struct profiler_setting {
	char *path;
	char *value;
	bool needed; /* without it there is nothing to record */
};

struct profiler_settings {
	struct profiler_setting *v;
	size_t nr, alloc;
};

/* What a recording requests from its profiler. */
struct profiler_job {
	const struct config *config;
	const char *dir;       /* the run directory, absolute */
	const char *build_log; /* file for the build's own output, absolute */
	/* Set by profiler_ops.check: */
	bool cpu; /* requested, and permitted to this user */
	bool memory;
	bool touched;   /* with `memory` only */
	bool user_only; /* kernel frames are not permitted */
	bool no_fallback; /* it is installed and the user can correct its errors: "auto" must not fall back */

	bool attached; /* records running processes: nothing is built */

	struct perf_control *control; /* of perf, from `prepare` to `finish`; else NULL */
};

/* One session of a service profiler. */
struct profiler_session {
	const struct profiler_ops *profiler;
	const struct profiler_job *job;
	struct manifest *manifest; /* of the run in job->dir; written before each step */
	/*
	 * Called some twenty times a second while a tool runs, with its activity and the current size of its files in
	 * bytes. True: stop waiting.
	 */
	bool (*progress)(const char *what, int64_t bytes, void *data);
	void *data;
	void *state; /* private to the profiler; NULL at first, freed by its `release` */
};

struct profiler_ops {
	const char *name;    /* as in the configuration */
	const char *summary; /* one line for help */

	/* Does it exist for this system? */
	bool (*suits)(const struct profiler_ops *profiler);

	/*
	 * Can it run here and now, and what will be missing? Adds findings and sets the fields of the job named above.
	 * An error finding means no.
	 */
	void (*check)(struct profiler_job *job, struct finding_list *findings);

	/* Optional: the version that the tool prints; the caller frees it. NULL: unknown. */
	char *(*version)(const struct profiler_ops *profiler);

	/*
	 * Optional, both or none. `settings` adds system settings to change for the recording. `restores`: may such a
	 * change have been made to the setting `path`, which had `value` before? The text comes from a run, so from anyone.
	 */
	void (*settings)(const struct profiler_job *job, struct profiler_settings *settings);
	bool (*restores)(const char *path, const char *value);

	/* Name of the trace file in the run directory; NULL: none is written. */
	const char *trace;

	/* Can it record every heap allocation ([record] heap)? */
	bool records_heap;

	/*
	 * A command around the build. All optional. `wraps_build`: the profiler runs the build as its child and ends
	 * with it; false: the command is the build itself.
	 *
	 * `command` appends the command that runs `build` under the profiler. `*own_execs` is how many programs the
	 * build's first process runs before it is the build itself; one of them is a shell, recognised by the script
	 * `own_script` ("sh -c SCRIPT").
	 *
	 * `prepare`, `tick`, `finish`: all or none. Called for a recording, not for a dry run: before `command`,
	 * which may name what was prepared; many times a second while the command runs, with how many processes of
	 * the build have ended so far; when it has ended.
	 *
	 * `lost` counts the lost events in the trace as written so far; -1: unknown, for example in a compressed
	 * trace. `*state` is private to the profiler between calls, NULL at first, freed with free().
	 */
	bool wraps_build;
	void (*command)(const struct profiler_job *job, const struct strvec *build,
			struct strvec *argv, int *own_execs);
	const char *own_script;
	void (*prepare)(struct profiler_job *job);
	void (*tick)(const struct profiler_job *job, uint64_t ended);
	void (*finish)(struct profiler_job *job);
	int64_t (*lost)(const char *dir, void **state);

	/*
	 * A service (see profiler_is_service()): it has all of these hooks.
	 *
	 * start    Start to record. After a failure no session is left, and no recording of another program was touched.
	 *          ERR_UNSUPPORTED: rights are missing.
	 * mark     Write a marker into the trace.
	 * stop     Save the trace as `trace` in the run directory, which may take minutes, and restore the system.
	 *          `recover` also calls it, for a session that another process started and may have partly stopped.
	 *          `*lost` is the number of lost events, -1: unknown. After a failure profiler_session_is_over() says
	 *          whether the trace is lost (true) or another try can save it (false).
	 * cancel   Discard the recorded data and restore the system. Fails if that is impossible now.
	 * release  Free session->state; the session itself continues.
	 * find_leftovers  Add findings about what the interrupted recording in `dir` has left on the system.
	 * show     Print the commands before (`end` false) or after the build, for a dry run.
	 * trace_dir  The directory in which the trace grows; its disk needs space for the trace twice. The caller frees it.
	 */
	int (*start)(struct profiler_session *session, struct err *err);
	int (*mark)(struct profiler_session *session, const char *text, struct err *err);
	int (*stop)(struct profiler_session *session, int64_t *lost, struct err *err);
	int (*cancel)(struct profiler_session *session, struct err *err);
	void (*release)(struct profiler_session *session);
	void (*find_leftovers)(const struct profiler_ops *profiler, const struct manifest *manifest,
			       const char *dir, struct finding_list *findings);
	void (*show)(const struct profiler_ops *profiler, const struct profiler_job *job, bool end,
		     struct strbuf *sb);
	char *(*trace_dir)(const struct profiler_job *job);
	const struct etw_calls *etw; /* command lines, for the hooks of profiler/etw/etw.h */

	/*
	 * Heap snapshots during a session, of at most `snapshot_processes` processes at a time (0: not supported). Their
	 * changes of the system are noted, and undone by stop and cancel. A process that has ended is no failure: it is
	 * removed from `pids`.
	 *
	 * enable_snapshots  Enable snapshots of a process, if they are not enabled yet. ERR_NOT_FOUND: it has ended.
	 * take_snapshots    Take one snapshot of each process.
	 * repeat_snapshots  Take a snapshot of each of these processes, and no others, every `interval_ns` from now on;
	 *                   with `*nr` 0 stop taking them.
	 * forget_snapshots  Drop the note of a process that has ended, and so has no snapshots enabled.
	 */
	size_t snapshot_processes;
	int (*enable_snapshots)(struct profiler_session *session, int64_t pid, struct err *err);
	int (*take_snapshots)(struct profiler_session *session, int64_t *pids, size_t *nr,
			      struct err *err);
	int (*repeat_snapshots)(struct profiler_session *session, int64_t interval_ns,
				int64_t *pids, size_t *nr, struct err *err);
	void (*forget_snapshots)(struct profiler_session *session, int64_t pid);
};

extern const struct profiler_ops perf_profiler;
extern const struct profiler_ops wpr_profiler;
extern const struct profiler_ops xperf_profiler;
extern const struct profiler_ops none_profiler;

/* For heaps alone: used by `stagetrace heap`, not selectable in a configuration. */
extern const struct profiler_ops heap_profiler;

/* All profilers except heap_profiler, NULL-terminated. */
extern const struct profiler_ops *const profilers[];

/* Find a profiler by name, also heap_profiler; "auto" is the first that suits this system. NULL: unknown name. */
const struct profiler_ops *profiler_find(const char *name);

/* The next one in the list that suits this system; NULL after the last. */
const struct profiler_ops *profiler_next(const struct profiler_ops *profiler);

/* Append the command that runs `build`: profiler_ops.command, or the build itself. */
void profiler_command(const struct profiler_ops *profiler, const struct profiler_job *job,
		      const struct strvec *build, struct strvec *argv, int *own_execs);

/* Does it run as a session next to the build? `profiler` may be NULL. */
bool profiler_is_service(const struct profiler_ops *profiler);

/* Sum of the sizes of all files in a directory; 0 if it does not exist. */
int64_t profiler_dir_bytes(const char *dir);

/* Shared findings: neither CPU nor memory is requested (error); what can be recorded (only if there is no error). */
void profiler_report_nothing(struct finding_list *findings);
void profiler_report_ready(const char *name, const struct profiler_job *job,
			   struct finding_list *findings);

/* Both strings are copied. */
void profiler_settings_add(struct profiler_settings *settings, const char *path, const char *value,
			   bool needed);
void profiler_settings_release(struct profiler_settings *settings);

/* May a profiler have changed the setting from `value`? `here`: on this system; `recover` restores nothing else. */
bool profiler_may_restore(const char *path, const char *value, bool here);

/* True if the session has left nothing to undo: no session, no file, no changed setting. */
bool profiler_session_is_over(const struct manifest *manifest);

/* Note `value` (NULL: drop the note) and write the manifest. */
int profiler_session_note(struct profiler_session *session, const char *key, const char *value,
			  struct err *err);

#endif
