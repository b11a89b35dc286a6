#include "trace/perf/perf_queue.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void perf_queue_init(struct perf_queue *queue)
{
	*queue = (struct perf_queue){ NULL, NULL, 0, 0, 0, 0, 0, NULL, 0, 0 };
}

void perf_queue_release(struct perf_queue *queue)
{
	free(queue->v);
	free(queue->spare);
	free(queue->runs);
	perf_queue_init(queue);
}

void perf_queue_add(struct perf_queue *queue, uint64_t time, uint64_t location)
{
	ARRAY_ADD(queue->v, queue->nr, queue->alloc, (struct perf_entry){ time, location });
}

/* Set `runs` to the start of each run, and to the end of the last one. */
static void find_runs(struct perf_queue *queue)
{
	const struct perf_entry *v = queue->v;

	queue->runs_nr = 0;
	ARRAY_GROW(queue->runs, 2, queue->runs_alloc);
	queue->runs[queue->runs_nr++] = 0;
	for (size_t i = queue->sorted ? queue->sorted : 1; i < queue->nr; i++) {
		if (v[i].time >= v[i - 1].time)
			continue;
		ARRAY_GROW(queue->runs, queue->runs_nr + 2, queue->runs_alloc);
		queue->runs[queue->runs_nr++] = i;
	}
	queue->runs[queue->runs_nr] = queue->nr;
}

static void merge(const struct perf_entry *a, const struct perf_entry *a_end,
		  const struct perf_entry *b, const struct perf_entry *b_end, struct perf_entry *to)
{
	while (a < a_end && b < b_end)
		*to++ = b->time < a->time ? *b++ : *a++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*a));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*b));
}

/* Merge runs in pairs into the spare array, then swap the arrays. */
static void merge_neighbours(struct perf_queue *queue)
{
	struct perf_entry *from = queue->v, *to = queue->spare;
	size_t *runs = queue->runs, made = 0, alloc = queue->alloc;

	for (size_t i = 0; i < queue->runs_nr; i += 2) {
		size_t start = runs[i], middle = runs[i + 1];
		size_t end = i + 1 < queue->runs_nr ? runs[i + 2] : middle;

		merge(from + start, from + middle, from + middle, from + end, to + start);
		runs[made++] = start;
	}
	runs[made] = queue->nr;
	queue->runs_nr = made;
	queue->v = to;
	queue->alloc = queue->spare_alloc;
	queue->spare = from;
	queue->spare_alloc = alloc;
}

size_t perf_queue_sort(struct perf_queue *queue, uint64_t time)
{
	size_t ready;

	if (queue->head) {
		queue->nr -= queue->head;
		memmove(queue->v, queue->v + queue->head, queue->nr * sizeof(*queue->v));
		queue->sorted = queue->sorted > queue->head ? queue->sorted - queue->head : 0;
		queue->head = 0;
	}
	if (queue->nr)
		find_runs(queue);
	else
		queue->runs_nr = 0;
	if (queue->runs_nr > 1)
		ARRAY_GROW(queue->spare, queue->nr, queue->spare_alloc);
	while (queue->runs_nr > 1)
		merge_neighbours(queue);
	queue->sorted = queue->nr;
	ARRAY_SEARCH(ready, queue->nr, i, queue->v[i].time <= time);
	return ready;
}
