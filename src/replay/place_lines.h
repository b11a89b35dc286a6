/*
 * Lines and inlined functions of a trace whose run does not have them: they are told by files of this machine,
 * many times faster for all places of a file at once than as they come up.
 */
#ifndef REPLAY_PLACE_LINES_H
#define REPLAY_PLACE_LINES_H

#include "replay/replay.h"
#include "rundir/source.h"
#include "util/err.h"

/*
 * Where lines are asked for and the run does not have them: those of all frames that came up, into replay->store. Nobody
 * may have asked for a function before.
 */
void place_lines_find(struct replay *replay);

/*
 * The same before anything is played, for who must know functions as events come: the trace that `replay` was opened for, with
 * the same paths, source and options, is played on its own for the places of its stacks alone.
 */
int place_lines_find_ahead(const struct strvec *paths, struct run_source *source,
			   const struct replay_options *options, struct replay *replay,
			   struct err *err);

/* Put the lines of all frames that came up in `played` into `store`. */
void place_lines_add(struct replay *played, struct symbol_store *store);

#endif
