/*
 * The functions of all frames that came up in a trace, found in a thread of their own while another one works with
 * those that are there already.
 */
#ifndef REPLAY_FRAME_FUNCTIONS_H
#define REPLAY_FRAME_FUNCTIONS_H

#include <stddef.h>

#include "analysis/group.h"
#include "replay/replay.h"
#include "util/err.h"

struct frame_functions;

/*
 * After replay_play(), with what functions need: replay_open_files(), place_lines_find(). Until all are known the replay's function table is the finder's: nobody else may ask it or look
 * at it. In one thread they are found as they are asked for.
 */
int frame_functions_new(struct replay *replay, struct frame_functions **functions, struct err *err);
void frame_functions_free(struct frame_functions *functions);

/* By frame, good until it is freed; not to be looked at beyond those that are known. */
const struct frame_levels *frame_functions_all(const struct frame_functions *functions);

/* Wait for more: how many of the first frames are known. Not after that was all. */
size_t frame_functions_next(struct frame_functions *functions);

#endif
