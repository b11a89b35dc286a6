/*
 * The page maps of all processes of a trace: a process starts with an empty map, or after a fork with that of its parent,
 * copy on write; an exec and its end release all.
 */
#ifndef ANALYSIS_PROCESS_MAPS_H
#define ANALYSIS_PROCESS_MAPS_H

#include <stddef.h>

#include "analysis/page_map.h"
#include "model/machine.h"
#include "model/trace_event.h"
#include "util/intmap.h"

struct process_maps {
	struct machine *machine;
	page_change_fn *change; /* called for what an exec and an end release */
	void *data;
	struct page_map **v; /* by trace_process.index; NULL: no memory yet, or ended */
	size_t nr;
	struct intmap by_pid; /* the last process with a map */
	size_t copied;        /* ranges that maps have from their parents */
};

/* All is borrowed. */
void process_maps_init(struct process_maps *maps, struct machine *machine, page_change_fn *change,
		       void *data);
void process_maps_release(struct process_maps *maps);

/* The map of the process with this id, which is put into `*process`, at a time; NULL: there is none, or it has ended. */
struct page_map *process_maps_get(struct process_maps *maps, int64_t pid, int64_t time_ns,
				  struct trace_process **process);

/* Call it after each change of a map: it counts what the change has cost. */
void process_maps_changed(struct process_maps *maps, struct page_map *map);

/* Take the start, exec or end of a process, after machine_apply(); other events change nothing. */
void process_maps_apply(struct process_maps *maps, const struct trace_event *event);

/* Call `part` for the ranges of all processes that have not ended, by address. */
void process_maps_each(const struct process_maps *maps, page_part_fn *part, void *data);

#endif
