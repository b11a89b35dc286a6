/*
 * Looks up functions and lines of all frames of a trace after it was played.
 */
#ifndef REPLAY_FRAME_NAMES_H
#define REPLAY_FRAME_NAMES_H

#include <stddef.h>

#include "replay/replay.h"
#include "rundir/source.h"
#include "util/err.h"

/*
 * Looks up functions in a second thread while the caller uses those that are known already. First call
 * replay_open_files() and frame_lines_find(). Until all are known, the caller may use the function table of the
 * replay only for known frames. With one thread frame_functions_next() does the lookups.
 */
struct frame_functions;

struct frame_functions *frame_functions_new(struct replay *replay);
void frame_functions_free(struct frame_functions *functions);

/*
 * Wait until more functions are known. Returns the number of frames, from the first on, whose functions are known. Do
 * not call it again once that is all frames.
 */
size_t frame_functions_next(struct frame_functions *functions);

/*
 * Read lines and inlined functions from files of this machine into replay->store, if the options request them and the
 * run does not have them. Reading them for all addresses of a file at once is many times faster than one by one. Call
 * it before the first function is looked up.
 */
void frame_lines_find(struct replay *replay);

/*
 * The same before the trace is played, for views that need functions during the playing. The trace is played
 * separately, only for its frames; `paths`, `source` and `options` are those of `replay`.
 */
int frame_lines_find_early(const struct strvec *paths, struct run_source *source,
			   const struct replay_options *options, struct replay *replay,
			   struct err *err);

/* Add the lines of all frames in `played` to `store`. */
void frame_lines_add(struct replay *played, struct symbol_store *store);

#endif
