/*
 * The last step of a recording, before the next build overwrites the binaries: looks up the functions of all
 * addresses in the trace, writes them to symbols/ of the run, and replaces the stack copies of the trace by the call chains
 * unwound from them (distill_run.h).
 */
#ifndef REPLAY_KEEP_SYMBOLS_H
#define REPLAY_KEEP_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "rundir/keep_options.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/strbuf.h"

/*
 * `dir` is the run directory, complete except for symbols/. With `copies` the original trace is kept too, not only the
 * one without stack copies. It is also kept, with a warning, if many copies lack files of the recorded programs.
 * `progress` (NULL: none) shows each step, and may stop it. `notes` gets lines for the user: losses of the
 * trace, how many stacks are complete, which modules have no function names, what was distilled. `manifest`, that of the
 * run, gets the warnings that views should repeat. `*lost` is the number of lost events in the trace, -1 if it could not
 * be read. `*distilled`: the trace has no stack copies. If the run has no trace it does nothing, without an error.
 */
int keep_symbols(const char *dir, const struct keep_options *options,
		 const struct progress *progress, struct strbuf *notes, struct manifest *manifest,
		 int64_t *lost, bool *distilled, struct err *err);

#endif
