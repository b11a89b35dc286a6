/*
 * Packs a run to be given to others: its trace is distilled if it is not yet, and scrubbed if that is asked for, into a
 * temporary file without a name. The run is not changed.
 */
#ifndef REPLAY_SHARE_RUN_H
#define REPLAY_SHARE_RUN_H

#include "rundir/bundle.h"
#include "util/err.h"

/*
 * Pack a run like bundle_write(), with its trace rewritten. With `with_stack_copies` the trace is packed as it is.
 * ERR_UNSUPPORTED or ERR_CORRUPT: the trace cannot be rewritten, and the message says how to leave it out.
 */
int share_run(const char *dir, const char *path, const struct bundle_options *options,
	      struct err *err);

#endif
