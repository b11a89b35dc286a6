/*
 * processes.journal: the process watch's events as they come, a JSON object per line, so that a recording that
 * was killed still knows its processes. `record` folds it into processes.jsonl at the end, `recover` does
 * the same later from the file: both replay the same events.
 */
#ifndef RUNDIR_JOURNAL_H
#define RUNDIR_JOURNAL_H

#include "platform/proc_watch.h"
#include "util/err.h"

struct journal;

/* Create `path` (which must not exist). */
int journal_create(const char *path, struct journal **journal, struct err *err);

/* Append one event; buffered until journal_flush(). */
void journal_add(struct journal *journal, const struct proc_event *event);

/* Hand everything to the system: after this a killed stagetrace loses nothing. Reports earlier failures too. */
int journal_flush(struct journal *journal, struct err *err);

/* Flush and close. `journal` is freed in any case. */
int journal_close(struct journal *journal, struct err *err);

/*
 * Read a journal and call `handle` for each event in order. Damaged lines (the last one of a killed
 * recording) are skipped and counted.
 */
int journal_replay(const char *path, void (*handle)(const struct proc_event *event, void *data),
		   void *data, int64_t *damaged, struct err *err);

#endif
