/*
 * Matches the processes of a trace to the rows of its recording, by pid and time, as pids are reused.
 *
 * The start of a process in the trace and in the row (from the tracker) differ by microseconds to some 10 ms. If they differ
 * by more than a second, the row is of another process.
 */
#ifndef MODEL_ROW_JOIN_H
#define MODEL_ROW_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/process.h"

#define ROW_NONE SIZE_MAX

struct row_pid {
	int64_t pid, start_ns, end_ns;
	size_t row;
	bool taken; /* by row_join_take() */
};

struct row_join {
	struct row_pid *v; /* by pid, then start */
	size_t nr;
};

void row_join_init(struct row_join *join, const struct process_list *rows);
void row_join_release(struct row_join *join);

/*
 * The index of the row of a process that is in the trace at `time_ns`; ROW_NONE: none. Each row is returned only once.
 * `started`: `time_ns` is its start, and the row with the nearest start is returned. Otherwise rows that run at the time
 * are preferred.
 */
size_t row_join_take(struct row_join *join, int64_t pid, int64_t time_ns, bool started);

#endif
