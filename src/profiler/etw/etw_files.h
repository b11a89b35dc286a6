/*
 * The directory to which wpr or xperf writes while it records: inside the run, or below [record] temp. Only three kinds of
 * its files are moved or removed: files with the recording's name, the trace, and the profile that wpr reads.
 */
#ifndef PROFILER_ETW_ETW_FILES_H
#define PROFILER_ETW_ETW_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct profiler_job;

/* The name of the finished trace in the directory. */
#define ETW_FILE "trace.etl"

/* wpr refuses longer paths; bytes with the NUL. */
#define ETW_PATH_MAX 260

/* The name of a session: "stagetrace-" and twelve digits derived from the run directory. The caller frees it. */
char *etw_files_instance(const char *dir);

/* Does `instance` have this form? */
bool etw_files_is_instance(const char *instance);

/* The directory of a recording in `job->dir`. The caller frees it. */
char *etw_files_dir(const struct profiler_job *job);

/* Length of the longest path that a recording creates in the directory. */
size_t etw_files_longest(const char *work_dir, const char *instance);

/* Are there unmerged files (their names contain `instance`)? */
bool etw_files_has_raw(const char *work_dir, const char *instance);

/*
 * Move the finished trace to `to`, or copy it to another disk. ERR_NOT_FOUND: the trace is missing or empty.
 */
int etw_files_move_trace(const char *work_dir, const char *to, struct err *err);

/* Move unmerged files into `dir`, as raw-1.etl, raw-2.etl; `*count` is their number. */
int etw_files_move_raw(const char *work_dir, const char *instance, const char *dir, int *count,
		       struct err *err);

/*
 * Wait until a process that is not our child has finished writing: no file has changed for 2 seconds, or for 30 seconds
 * while there are unmerged files. `stop` (may be NULL) returns true to end the wait; then false is returned.
 */
bool etw_files_settle(const char *work_dir, const char *instance,
		      bool (*stop)(int64_t bytes, void *data), void *data);

/* Remove our files, and the directory if it is then empty. */
int etw_files_remove(const char *work_dir, const char *instance, struct err *err);

#endif
