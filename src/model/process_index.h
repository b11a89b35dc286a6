/*
 * An index of processes by pid and start, as pids are reused. It matches the processes of a trace to the rows of its
 * recording, and children to their parents (analysis/process_tree.h).
 *
 * The start of a process in the trace and in the row (from the tracker) differ by microseconds to some 10 ms. If they
 * differ by more than a second, the row is of another process.
 */
#ifndef MODEL_PROCESS_INDEX_H
#define MODEL_PROCESS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/process.h"

#define ROW_NONE SIZE_MAX

struct indexed_process {
	int64_t pid, start_ns, end_ns; /* start_ns INT64_MIN: it existed before the recording */
	size_t row;
	bool taken; /* by process_index_take() */
};

struct process_index {
	struct indexed_process *v; /* by pid, then start */
	size_t nr;
};

void process_index_init(struct process_index *index, const struct process_list *rows);
void process_index_release(struct process_index *index);

/*
 * The index of the row of a process that is in the trace at `time_ns`; ROW_NONE: none. Each row is returned only once.
 * `started`: `time_ns` is its start, and the row with the nearest start is returned. Otherwise rows that run at the time
 * are preferred.
 */
size_t process_index_take(struct process_index *index, int64_t pid, int64_t time_ns, bool started);

#endif
