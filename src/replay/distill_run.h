/*
 * Replaces the trace of a run, a perf.data, by one without stack copies (trace/perf/perf_rewrite.h).
 *
 * The original stays under its name until the new file is complete and on the disk. If the copies are kept, the original
 * is renamed to RUN_STACK_COPIES just before the new file gets its name: `recover` undoes that if it was killed in between.
 */
#ifndef REPLAY_DISTILL_RUN_H
#define REPLAY_DISTILL_RUN_H

#include <stdbool.h>

#include "trace/perf/perf_chains.h"
#include "trace/perf/perf_code.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/strbuf.h"

struct distill_options {
	struct perf_chains *chains; /* of the trace's stack copies */
	struct perf_code *code;     /* of the trace */
	bool keep_copies;
	const struct progress *progress; /* NULL: none */
};

/*
 * `dir` is the run directory, with symbols/. `notes` gets a line for the user. A run without a perf.data, or whose trace is
 * distilled already, is left as it is. On failure the original is there. Returns 1 if the copies are gone now.
 */
int distill_run(const char *dir, const struct distill_options *options, struct strbuf *notes,
		struct err *err);

#endif
