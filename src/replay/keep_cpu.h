/*
 * Keeps what views of CPU time would have to find in the trace again: RUN_TRACE_STACKS and RUN_TRACE_CPU. They may be
 * removed.
 */
#ifndef REPLAY_KEEP_CPU_H
#define REPLAY_KEEP_CPU_H

#include <stdint.h>

#include "util/err.h"
#include "util/progress.h"

/*
 * Write the files of the run in `dir`, whose trace has no stack copies. Without CPU samples there are none; those that were
 * there are gone.
 */
int keep_cpu(const char *dir, int64_t base_ns, const struct progress *progress, struct err *err);

#endif
