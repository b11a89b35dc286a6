/*
 * processes.jsonl: one line with a JSON object per process of the build (docs/run-directory.md).
 */
#ifndef RUNDIR_PROCESSES_H
#define RUNDIR_PROCESSES_H

#include <stdint.h>

#include "model/process.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Size limit; a larger file is refused. */
#define PROCESSES_MAX INT64_C(0x40000000)

/*
 * Write processes.jsonl of the run directory `dir` atomically. ERR_UNSUPPORTED: it would have more than `limit` bytes,
 * which `recover` allows for the size of the journal.
 */
int processes_write(const struct process_list *list, const char *dir, uint64_t limit,
		    struct err *err);

/* The line of a process, without newline. The caller frees it. */
char *processes_line(const struct process *process);

/*
 * Parse lines of text into `list`, sorted by start. Bad lines are skipped and counted in `*damaged`, so a truncated file
 * still gives its complete lines. "name:line: why" of the first bad line is appended to `first` (may be NULL).
 */
void processes_parse(const char *text, size_t len, const char *name, struct process_list *list,
		     int64_t *damaged, struct strbuf *first);

#endif
