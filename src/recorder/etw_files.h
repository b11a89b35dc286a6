/*
 * The folder in which wpr or xperf writes while it records: inside the run, or below [record] temp. Nothing in it is
 * touched but files that bear the recording's own name, the trace, and the profile that wpr is given.
 */
#ifndef RECORDER_ETW_FILES_H
#define RECORDER_ETW_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct recorder_job;

/* The name of the finished trace in the folder. */
#define ETW_FILE "trace.etl"

/* wpr's own handling of paths: longer ones, with the NUL, are refused. */
#define ETW_PATH_MAX 260

/* "stagetrace-" and twelve digits told by the run's directory. The caller frees it. */
char *etw_files_instance(const char *dir);

/* Is it such a name? */
bool etw_files_is_instance(const char *instance);

/* The folder of a recording in `job->dir`. The caller frees it. */
char *etw_files_folder(const struct recorder_job *job);

/* Length of the longest path that will be made in it. */
size_t etw_files_longest(const char *folder, const char *instance);

/* Size of all files in it; 0 where it is not there. */
int64_t etw_files_bytes(const char *folder);

/* Are there unmerged files, whose name has `instance`? */
bool etw_files_has_raw(const char *folder, const char *instance);

/*
 * Move the finished trace to `to`; where that is another disk it is copied. An empty or missing one is
 * ERR_NOT_FOUND.
 */
int etw_files_take(const char *folder, const char *to, struct err *err);

/* Move unmerged files into `dir`, as raw-1.etl, raw-2.etl; `*count` is how many. */
int etw_files_take_raw(const char *folder, const char *instance, const char *dir, int *count,
		       struct err *err);

/*
 * Wait until another process, which is not ours to wait for, has done with the files: none has changed for a
 * while, a longer one where unmerged files are still there. False: `stop` said to give up.
 */
bool etw_files_settle(const char *folder, const char *instance,
		      bool (*stop)(int64_t bytes, void *data), void *data);

/* Remove what is ours, and the folder where nothing else is in it. */
int etw_files_remove(const char *folder, const char *instance, struct err *err);

#endif
