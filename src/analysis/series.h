/*
 * The series of a timeline: memory, CPU time and number of processes over time, of each crate, role or part; CPU time alone
 * of each phase or query of rustc.
 */
#ifndef ANALYSIS_SERIES_H
#define ANALYSIS_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/process_filter.h"
#include "analysis/timeline.h"
#include "model/process.h"

/* The kinds of key that there are series of, for --by, as enum group_by; their names end with NULL. */
extern const enum group_by series_kinds[];
extern const char *const series_kind_names[];

/* A step of a series. */
struct series_point {
	int64_t start_ns;
	int64_t bytes;    /* the most that was held in the step */
	int64_t bytes_ns; /* the first moment of it, or the start of the step */
	int64_t cpu_ns;
	int64_t processes; /* the most that existed at a time */
};

struct series {
	const char *text; /* the name of the crate, role, ...; NULL: the processes without one */
	/* Over all steps: the highest point and the first moment of it, the sum, the highest number. */
	int64_t bytes, bytes_ns;
	int64_t cpu_ns;
	int64_t processes;
};

struct series_set;

struct series_request {
	const struct timeline_options *timeline; /* with the steps; its grouping has the keys */
	const struct timeline_keys *keys;
	enum timeline_memory memory;
	enum group_by by;                     /* as the grouping */
	int64_t end_ns;                       /* of the last step */
	const struct process_list *processes; /* not of phases and queries */
	const struct process_filter *filter;  /* the processes that it lets through are counted */
};

/* All that the request points to is borrowed until the set is freed, not itself. */
struct series_set *series_set_new(const struct series_request *request);
void series_set_free(struct series_set *set); /* accepts NULL */

/* Those with memory, CPU time or a process in the range, in no order. */
const struct series *series_set_get(const struct series_set *set, size_t *nr);

/* The points of a series of the set, one for each step of the timeline. */
void series_set_points(const struct series_set *set, const struct series *series,
		       struct series_point *points);

#endif
