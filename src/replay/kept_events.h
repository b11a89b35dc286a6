/*
 * The file RUN_TRACE_CPU: all events of a run's trace but those about memory, without their stacks, which RUN_TRACE_STACKS
 * has. Views of CPU time read it instead of the trace, most of which is stacks and events about memory.
 *
 *   "events\n\0"
 *   u32 KEPT_EVENTS_VERSION
 *   char[64] of the trace, as in RUN_TRACE_STACKS
 *   one zstd frame with a checksum. Its numbers are LEB128 (https://dwarfstd.org/doc/DWARF5.pdf, 7.6), signed ones zigzag:
 *   0, -1, 1, -2...
 *     the trace_counters that the trace has at its end, in the order of kept_events.c
 *     number of texts; each ends with a NUL
 *     number of trace_event_counts; of each: its name as the number of its text, nr, stacks, lost
 *     number of events; the events, by time, as put_event() writes them
 *
 * Only for a trace without damage: what a view says of damage is read from the trace itself.
 */
#ifndef REPLAY_KEPT_EVENTS_H
#define REPLAY_KEPT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/trace_event.h"
#include "model/trace_facts.h"
#include "replay/known_stacks.h"
#include "util/err.h"
#include "util/strbuf.h"

/* To be raised whenever this, enum trace_event_kind or what a trace's events are changes. */
#define KEPT_EVENTS_VERSION 2

struct kept_writer;

struct kept_writer *kept_writer_new(void);

/* Add the next event of the trace, if it is not about memory. */
void kept_writer_add(struct kept_writer *writer, const struct trace_event *event);

/*
 * Append the file for the events added, of a trace with these facts at its end. ERR_UNSUPPORTED: it is damaged, or has an
 * event that is not kept.
 */
int kept_writer_add_text(struct kept_writer *writer, const struct trace_fingerprint *fingerprint,
			 const struct trace_facts *facts, struct strbuf *text, struct err *err);

void kept_writer_free(struct kept_writer *writer);

struct kept_reader;

/*
 * Read a file. Like a trace, it need not be trusted. 1: it is of another trace or another version, and there is no reader,
 * as after an error: ERR_CORRUPT if a part is missing or any byte has changed.
 */
int kept_reader_open(const char *text, size_t len, const struct trace_fingerprint *fingerprint,
		     struct kept_reader **reader, struct err *err);

/* Those of the trace at its end. Borrowed. */
const struct trace_counters *kept_reader_counters(const struct kept_reader *reader);
const struct trace_event_count *kept_reader_counts(const struct kept_reader *reader, size_t *nr);

/* As trace_reader_next(). ERR_CORRUPT: it was written with events that no trace has. */
int kept_reader_next(struct kept_reader *reader, const struct trace_event **events, size_t *nr,
		     struct err *err);

/* Of all its events, how many have been read. */
uint64_t kept_reader_done(const struct kept_reader *reader, uint64_t *all);

void kept_reader_free(struct kept_reader *reader);

#endif
