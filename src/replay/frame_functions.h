/*
 * The functions of all frames that came up in a trace, found in a thread of their own while another one works with
 * those that are there already.
 */
#ifndef REPLAY_FRAME_FUNCTIONS_H
#define REPLAY_FRAME_FUNCTIONS_H

#include <stddef.h>

#include "replay/replay.h"
#include "util/err.h"

struct frame_functions;

/*
 * After replay_play(), with what functions need: replay_open_files(), place_lines_find(). Until all are known the finder of the
 * replay's function table has another user: the table may be asked for known frames alone. In one thread they are found as they
 * are asked for.
 */
int frame_functions_new(struct replay *replay, struct frame_functions **functions, struct err *err);
void frame_functions_free(struct frame_functions *functions);

/* Wait for more: the function table knows so many of the first frames. Not after that was all. */
size_t frame_functions_next(struct frame_functions *functions);

#endif
