/*
 * Which processes, threads, files and build ids of a trace belong to the build, for perf_scrub.h.
 */
#ifndef TRACE_PERF_KNOWN_H
#define TRACE_PERF_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/perf/perf_file.h"
#include "util/strbuf.h"

struct perf_known;

struct perf_known *perf_known_new(void);
void perf_known_free(struct perf_known *known);

/* Add a process of the build. */
void perf_known_add_process(struct perf_known *known, int64_t pid);

/* See a mapping of a file, the start of a process or thread, or its name. True: it maps a path that is new. */
bool perf_known_see(struct perf_known *known, const struct trace_event *event);

/* Whether a limit was reached: stop reading the trace. */
bool perf_known_is_full(const struct perf_known *known);

/* After all was seen: descendants of the build's processes are of the build too. `ids` are those of the trace's header. */
void perf_known_finish(struct perf_known *known, const struct perf_build_ids *ids);

bool perf_known_process(const struct perf_known *known, int64_t pid);

/* Whether it is a thread of the build whose id no other thread had at another time. */
bool perf_known_thread(const struct perf_known *known, int64_t tid);

bool perf_known_path(const struct perf_known *known, const char *path);

/* `id` as perf_known_format_id() gives it. */
bool perf_known_id(const struct perf_known *known, const char *id);

/* Append a build id in hexadecimal, without zeros at its end, as symbols/ of a run has it. */
void perf_known_format_id(struct strbuf *text, const uint8_t *id, size_t nr);

/* Names that are not of a file: "[vdso]", "//anon". */
bool perf_known_is_special(const char *path);

#endif
