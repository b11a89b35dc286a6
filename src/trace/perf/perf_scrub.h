/*
 * What --scrub removes from a perf.data, for perf_rewrite.h, which writes it anew.
 *
 * Numbers stay. Of everything else only what is known to be harmless stays. Texts about processes of the build are
 * scrubbed (util/scrub.h). Those about other processes are removed: names of threads become "other", files that the build
 * does not map become /other/1, ... Records of an unknown form are left out and counted.
 */
#ifndef TRACE_PERF_SCRUB_H
#define TRACE_PERF_SCRUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/perf_code.h"
#include "trace/perf/perf_decode.h"
#include "trace/perf/perf_file.h"
#include "trace/trace_input.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/scrub.h"
#include "util/strbuf.h"

struct perf_scrub;

/* `scrub` is borrowed. */
struct perf_scrub *perf_scrub_new(struct scrub *scrub);
void perf_scrub_free(struct perf_scrub *scrub);

/* Add a process of the build. */
void perf_scrub_add_process(struct perf_scrub *scrub, int64_t pid);

/*
 * Read the trace at `path`: descendants of the build's processes are of the build too; which files it maps; owners of
 * home directories. `code` gets where it has code. `progress` may be NULL; if it stops: ERR_FAILED. To be called once,
 * after all were added and before the trace is written.
 */
int perf_scrub_read(struct perf_scrub *scrub, const struct trace_input *input, const char *path,
		    struct perf_code *code, const struct progress *progress, struct err *err);

/* ERR_UNSUPPORTED: an event's samples have what cannot be scrubbed. `chains`: its stack copies will be replaced. */
int perf_scrub_check(const struct perf_events *events, bool chains, struct err *err);

/* Append the scrubbed form of a record other than a sample: 1; 0: it is left out; -1: it is damaged. */
int perf_scrub_record(struct perf_scrub *scrub, struct perf_events *events,
		      const unsigned char *record, size_t size, struct strbuf *to);

/*
 * Append the scrubbed form of a sample's raw data, with its size, as a multiple of 8 bytes. `sample->event` is the index of
 * `event`; all calls are for one file.
 */
void perf_scrub_raw(struct perf_scrub *scrub, const struct perf_tracing *tracing,
		    const struct perf_event *event, const struct perf_sample *sample,
		    struct strbuf *to);

/* List words of memory that were replaced in call chains (perf_rewrite.h). */
void perf_scrub_note_words(struct perf_scrub *scrub, uint64_t nr);

/* Scrub a feature, but for those that perf_rewrite.h writes. False: it is left out. */
bool perf_scrub_feature(struct perf_scrub *scrub, unsigned number, struct strbuf *data);

void perf_scrub_event_name(struct perf_scrub *scrub, const struct perf_event *event,
			   struct strbuf *name);

#endif
