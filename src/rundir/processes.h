/*
 * processes.jsonl: one JSON object per process of the build, a line each (docs/run-directory.md).
 */
#ifndef RUNDIR_PROCESSES_H
#define RUNDIR_PROCESSES_H

#include <stdint.h>

#include "model/process.h"
#include "util/err.h"
#include "util/strbuf.h"

/* A list of more bytes is not one of a build. */
#define PROCESSES_MAX INT64_C(0x40000000)

/* Write the list to `path` atomically. */
int processes_write(const struct process_list *list, const char *path, struct err *err);

/* One process as its line, without the newline. The caller frees it. */
char *processes_line(const struct process *process);

/*
 * Read lines of text into `list`, sorted by start. A bad line is skipped and counted in `*damaged`, with the
 * first one's "name:line: why" in `first` (appended to, may be NULL): a file cut short still gives what it has.
 */
void processes_parse(const char *text, size_t len, const char *name, struct process_list *list,
		     int64_t *damaged, struct strbuf *first);

#endif
