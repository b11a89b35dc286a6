#include "record/snapshot_times.h"

int64_t snapshot_time(const struct config_heap *heap, size_t n)
{
	if (heap->at.nr)
		return n < heap->at.nr ? heap->at.v[n] : -1;
	/* The others are wpr's own. */
	if (heap->periodic)
		return n ? -1 : 0;
	return n < (size_t)heap->snapshots ? (int64_t)n * heap->interval_ns : -1;
}

size_t snapshot_after(const struct config_heap *heap, size_t n, int64_t age_ns)
{
	int64_t time;

	for (n++; (time = snapshot_time(heap, n)) >= 0; n++) {
		if (time > age_ns)
			break;
	}
	return n;
}
