/*
 * Reads a recorded trace of any format. Delivers events by time, in bounded memory; the input need not be trusted. Intact
 * events are delivered; damaged ones are counted and described in the facts.
 *
 * To add a format see trace/trace_format.h.
 */
#ifndef TRACE_TRACE_READER_H
#define TRACE_TRACE_READER_H

#include <stddef.h>

#include "model/trace_event.h"
#include "model/trace_facts.h"
#include "trace/trace_format.h"
#include "util/err.h"
#include "util/strvec.h"

struct trace_reader;

/*
 * Open the files of one recording, in any order. ERR_UNSUPPORTED: the format is unknown, the files have different formats,
 * or there are several files of a format that has one file per recording.
 */
int trace_reader_open(const struct strvec *paths, const struct trace_options *options,
		      struct trace_reader **reader, struct err *err);

/*
 * Start again at the first event, with new options. Some formats keep what they know of the whole trace. After a failure
 * only trace_reader_free() may be called.
 */
int trace_reader_again(struct trace_reader *reader, const struct trace_options *options,
		       struct err *err);

/*
 * Get the next events by time. 1: `*events` and `*nr` (> 0) are valid until the next call; 0: end; -1: failure. Damage is
 * no failure, see the facts.
 */
int trace_reader_next(struct trace_reader *reader, const struct trace_event **events, size_t *nr,
		      struct err *err);

/* Facts known so far; counts are complete at the end. Borrowed. */
const struct trace_facts *trace_reader_facts(const struct trace_reader *reader);

/* Set the counts of a trace whose events are read from elsewhere: trace_reader_next() is not called then. Copied. */
void trace_reader_set_counts(struct trace_reader *reader, const struct trace_counters *counters,
			     const struct trace_event_count *counts, size_t nr);

void trace_reader_free(struct trace_reader *reader);

#endif
