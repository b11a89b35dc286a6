/*
 * The tables of `timeline`: a row for each step of the build; or with --by the series of a crate, role, part,
 * phase or query: in text a row for each, with a graph, else one for each step of each.
 */
#ifndef REPORT_TIMELINE_VIEW_H
#define REPORT_TIMELINE_VIEW_H

#include <stdint.h>

#include "analysis/machine_memory.h"
#include "analysis/series.h"
#include "analysis/timeline.h"
#include "model/concurrency.h"
#include "report/table.h"

/* What rows have in common; borrowed. */
struct timeline_frame {
	const struct grouping *grouping; /* by crate, or the key of --by */
	enum timeline_memory memory;     /* the kind that memory_bytes is of */
	int64_t step_ns, end_ns;         /* the last step ends there */
	/* The full size of graphs: the highest of all points. */
	int64_t most_bytes, most_cpu_ns, most_processes;
	size_t graph; /* in characters; of a series above 0, and at most its steps */
	bool average; /* characters of graphs have the average of their steps, not the most */
	bool known[TIMELINE_MEMORIES]; /* what is known */
	bool cpu, processes;
	bool work; /* the processes are those of a recorded build: what they do is known */
	int64_t commit_limit_bytes; /* of the machine; -1: unknown */
};

/* A row: the argument of the getters. */
struct timeline_row {
	const struct timeline_frame *frame;
	/* Of the build; NULL: of a series. */
	const struct timeline_point *point;
	const struct concurrency *work; /* in the step */
	const struct machine_memory *machine;
	/* Of a series; NULL: of the build. */
	const struct series *series;
	const struct series_point *points; /* one, or all that the graph is of */
	size_t points_nr;                  /* 0: `points` is one */
};

/* What a character of the graph of CPU time shows, in ns of a step: of the row's steps, of which there are `nr`. */
int64_t timeline_graph_cpu(const struct timeline_frame *frame, const struct series_point *points,
			   size_t nr, size_t character);

extern const struct table timeline_table; /* of the build */
extern const struct table timeline_table_without_graph;

/* Of series, by the index of series_kinds. */
extern const struct table timeline_series_tables[];

/* All columns of these tables, for the help. */
extern const struct table timeline_all_columns;

#endif
