#include "model/process_index.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define NEAR_NS NS_PER_S

static int compare_pids(const void *a, const void *b)
{
	const struct indexed_process *pa = a, *pb = b;

	if (pa->pid != pb->pid)
		return pa->pid < pb->pid ? -1 : 1;
	if (pa->start_ns != pb->start_ns)
		return pa->start_ns < pb->start_ns ? -1 : 1;
	return (pa->row > pb->row) - (pa->row < pb->row);
}

void process_index_init(struct process_index *index, const struct process_list *rows)
{
	*index = (struct process_index){ NULL, 0 };
	if (!rows->nr)
		return;
	index->v = xcalloc(rows->nr, sizeof(*index->v));
	for (size_t i = 0; i < rows->nr; i++)
		index->v[index->nr++] = (struct indexed_process){
			.pid = rows->v[i]->pid,
			.start_ns = rows->v[i]->start_ns,
			.end_ns = rows->v[i]->end_ns,
			.row = i,
		};
	/* A process without a start existed before the recording, however long. */
	for (size_t i = 0; i < index->nr; i++) {
		if (index->v[i].start_ns == PROCESS_UNKNOWN)
			index->v[i].start_ns = INT64_MIN;
	}
	qsort(index->v, index->nr, sizeof(*index->v), compare_pids);
}

void process_index_release(struct process_index *index)
{
	free(index->v);
	*index = (struct process_index){ NULL, 0 };
}

/* Times of a file may have any value, and their difference may overflow. */
static uint64_t distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* The time between `time_ns` and the lifetime of the process; 0: it runs at `time_ns`. */
static uint64_t distance_to_life(const struct indexed_process *row, int64_t time_ns)
{
	if (time_ns < row->start_ns)
		return distance(time_ns, row->start_ns);
	if (row->end_ns != PROCESS_UNKNOWN && time_ns > row->end_ns)
		return distance(time_ns, row->end_ns);
	return 0;
}

static bool is_better(const struct indexed_process *row, const struct indexed_process *best,
		      int64_t time_ns, bool started)
{
	uint64_t a = distance_to_life(row, time_ns), b = distance_to_life(best, time_ns);

	if (!started && a != b)
		return a < b;
	return distance(row->start_ns, time_ns) < distance(best->start_ns, time_ns);
}

/*
 * Processes with the same pid follow each other, so that the row is near its time. Only a damaged list has thousands of
 * rows that could be meant; the others are not looked at.
 */
#define LOOKED_AT 512

size_t process_index_take(struct process_index *index, int64_t pid, int64_t time_ns, bool started)
{
	struct indexed_process *best = NULL;
	size_t middle, first;

	ARRAY_SEARCH(middle, index->nr, i,
		     index->v[i].pid < pid ||
			     (index->v[i].pid == pid && index->v[i].start_ns <= time_ns));
	first = middle < LOOKED_AT ? 0 : middle - LOOKED_AT;
	for (size_t i = first; i < index->nr && i < middle + LOOKED_AT; i++) {
		struct indexed_process *row = &index->v[i];

		if (row->pid == pid && !row->taken && distance_to_life(row, time_ns) <= NEAR_NS &&
		    (!best || is_better(row, best, time_ns, started)))
			best = row;
	}
	if (!best)
		return ROW_NONE;
	best->taken = true;
	return best->row;
}
