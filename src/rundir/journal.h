/*
 * processes.journal: the events of the process watch in order, one JSON object per line. After a recording was killed,
 * `recover` reads them to write processes.jsonl; a recording that ends normally writes that file from memory.
 */
#ifndef RUNDIR_JOURNAL_H
#define RUNDIR_JOURNAL_H

#include "platform/proc_watch.h"
#include "util/err.h"

struct journal;

/* Create the journal of the run directory `dir`, which has none yet. */
int journal_create(const char *dir, struct journal **journal, struct err *err);

/* Append one event; buffered until journal_flush(). */
void journal_add(struct journal *journal, const struct proc_event *event);

/*
 * Write all buffered events to the file, so that they survive if stagetrace is killed. -1: this or an earlier write failed.
 */
int journal_flush(struct journal *journal, struct err *err);

/* Flush and close. `journal` is always freed. */
int journal_close(struct journal *journal, struct err *err);

/*
 * Read a run's journal and call `handle` for each event in order. Damaged lines, such as a truncated last one, are skipped
 * and counted in `*damaged`.
 */
int journal_replay(const char *dir, void (*handle)(const struct proc_event *event, void *data),
		   void *data, int64_t *damaged, struct err *err);

#endif
