/*
 * Lifetimes of the processes, threads and images of a trace, as changes by time. An object that is recorded only at the end
 * of a trace may have existed since its start, so lifetimes are known only after the whole trace was read.
 *
 * The PDB of an image is in a separate record, which is matched by process, address and time.
 */
#ifndef TRACE_ETL_TIMELINE_H
#define TRACE_ETL_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_record.h"
#include "trace/etl/etl_spans.h"
#include "util/strbuf.h"

struct etl_prefix;

/*
 * Converts kernel paths, \Device\HarddiskVolume3\Windows\..., to paths of programs, C:\Windows\...: prefixes and their
 * replacements.
 */
struct etl_paths {
	struct etl_prefix *v;
	size_t nr, alloc;
};

/* Add a prefix; ignored if it is known. */
void etl_paths_add(struct etl_paths *paths, const char *from, const char *to);
void etl_paths_release(struct etl_paths *paths);

/* Append `path` with its longest known prefix (case ignored) replaced; `\??\` is always removed. */
void etl_paths_map(const struct etl_paths *paths, const char *path, struct strbuf *sb);

struct etl_timeline;

struct etl_timeline *etl_timeline_new(void);
void etl_timeline_free(struct etl_timeline *timeline);

/*
 * Process a record of ETL_PROCESS, ETL_THREAD, ETL_IMAGE or ETL_IMAGE_ID, in any order; others are ignored. False: the
 * payload is damaged, or there are too many.
 */
bool etl_timeline_add(struct etl_timeline *timeline, const struct etl_record *record);

/* Compute the lifetimes; call it once, after the last record. */
void etl_timeline_make(struct etl_timeline *timeline, const struct etl_paths *paths);

/* The lifetimes of processes, by pid; borrowed. */
const struct etl_spans *etl_timeline_processes(const struct etl_timeline *timeline);

struct etl_change {
	uint64_t time; /* ticks; 0: before the trace */
	uint32_t what; /* private */
	uint32_t index;
};

/* All changes, sorted by time; borrowed. */
const struct etl_change *etl_timeline_changes(const struct etl_timeline *timeline, size_t *nr);

/* Is the change an end? It then follows all events of the same time. */
bool etl_change_is_end(const struct etl_change *change);

/* Set the event of a change, except its time; texts are borrowed. */
void etl_timeline_event(const struct etl_timeline *timeline, const struct etl_change *change,
			struct trace_event *event);

#endif
