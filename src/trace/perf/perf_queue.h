/*
 * A queue of records, to be sorted by time. perf writes them in runs, one per CPU and round, each nearly sorted: a merge
 * sort of these runs takes nearly linear time. Equal times stay in the order of the file.
 */
#ifndef TRACE_PERF_QUEUE_H
#define TRACE_PERF_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct perf_entry {
	uint64_t time;     /* as recorded; 0: it has none */
	uint64_t location; /* of the record: perf_walk.h */
};

struct perf_queue {
	struct perf_entry *v, *spare;
	size_t alloc, spare_alloc;
	size_t head, nr; /* the queue is v[head] to v[nr - 1] */
	size_t sorted;   /* v is sorted up to this index */
	size_t *runs;
	size_t runs_nr, runs_alloc;
};

void perf_queue_init(struct perf_queue *queue);
void perf_queue_release(struct perf_queue *queue);

void perf_queue_add(struct perf_queue *queue, uint64_t time, uint64_t location);

/* Sort the queue. Returns the number of entries with a time up to `time`. */
size_t perf_queue_sort(struct perf_queue *queue, uint64_t time);

#endif
