/*
 * The last step of a recording: every address of its trace is given its name while the binaries are still
 * those that ran, stacks that were recorded as bytes are unwound, and both are kept in symbols/ of the run.
 */
#ifndef REPLAY_KEEP_SYMBOLS_H
#define REPLAY_KEEP_SYMBOLS_H

#include <stdint.h>

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/*
 * `dir` is the run's directory, whole but for its symbols. `notes` gets lines for the user: what the trace
 * told, how far its stacks reach, which modules have no names; `warnings` those of them that a later reader
 * of the run must know; `*lost` is how many events the trace says were lost, -1 where it could not be read. A run
 * without a trace has nothing to keep: 0.
 */
int keep_symbols(const char *dir, struct strbuf *notes, struct strvec *warnings, int64_t *lost,
		 struct err *err);

#endif
