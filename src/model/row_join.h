/*
 * Which row of a recording is which process of its trace: by pid, and by time, as pids come again.
 *
 * Tracker and trace stamp one start microseconds to some 10 ms apart; a row that is more than a second away
 * from what the trace tells is another process.
 */
#ifndef MODEL_ROW_JOIN_H
#define MODEL_ROW_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/process.h"

#define ROW_NONE SIZE_MAX

struct row_pid;

struct row_join {
	struct row_pid *v; /* by pid, then start */
	size_t nr;
};

void row_join_init(struct row_join *join, const struct process_list *rows);
void row_join_release(struct row_join *join);

/*
 * The index of the row of a process that the trace shows at `time_ns`, which no other gets from then on; ROW_NONE.
 * `started`: that is its start, and the row with the nearest start is taken; else one that runs at the time,
 * before one that does not.
 */
size_t row_join_take(struct row_join *join, int64_t pid, int64_t time_ns, bool started);

#endif
