/*
 * Writes a perf.data anew: distilled, and scrubbed if that is asked for (perf_scrub.h).
 *
 * Distilled is without stack copies. A stack copy is memory of a program, and holds its environment. Each copy is replaced
 * by the call chain that was unwound from it. What is no address in the user part of a call chain, and may be memory of the
 * program as well (perf_code.h), becomes one number, at which the trace has no code. All other records stay, in their
 * order; the kernel's are compressed (perf_compressor.h).
 *
 * The result is a perf.data that other programs read, with three additions by stagetrace:
 * - The user part of a call chain follows PERF_CONTEXT_USER. If it was unwound from a copy this marker is repeated, which
 *   has no meaning to others: there are `enum stack_origin` + 1 of them, and no address if the copy gave none.
 * - The feature PERF_FEATURE_DISTILLED, of a number that others do not know and skip:
 *   u32 version (1); u32 flags, 1: the original was truncated, 2: its header did not show that;
 *   u64 number of its bytes that are missing;
 *   u32 number of events; for each a u32, 1: it had stack copies, 2: its call chains had a user part; padded to 8 bytes;
 *   u64 number of zstd frames; for each the u64 offset in the file and the u64 offset in the decompressed bytes.
 * - An event that had copies has no registers and no stack bytes in its samples, and has call chains.
 */
#ifndef TRACE_PERF_REWRITE_H
#define TRACE_PERF_REWRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/perf/perf_chains.h"
#include "trace/perf/perf_code.h"
#include "trace/perf/perf_scrub.h"
#include "trace/trace_input.h"
#include "util/err.h"
#include "util/progress.h"

struct perf_rewrite_job {
	const struct trace_input *input; /* the original */
	const char *from;                /* its path, for messages */
	FILE *out;                       /* the new file, empty, which can be rewound */
	const char *to;                  /* its path, for messages */
	struct perf_chains *
		chains; /* of the copies, by the id of struct trace_stack_copy; NULL: there are no copies */
	struct perf_code *code;          /* of all the trace; not NULL */
	struct perf_scrub *scrub;        /* NULL: do not scrub */
	const struct progress *progress; /* in bytes of the original; NULL: none */
};

struct perf_rewrite_result {
	uint64_t copies;         /* replaced */
	uint64_t without_frames; /* of these, with no address */
	uint64_t words;          /* of memory in call chains, replaced */
	bool already; /* the trace was distilled before: nothing is written unless it is scrubbed */
};

/*
 * ERR_UNSUPPORTED: it was recorded through a pipe, has records of hardware traces, or what cannot be scrubbed; ERR_CORRUPT:
 * parts of it cannot be read, and would be lost; ERR_FAILED: stopped. On failure `out` is incomplete.
 */
int perf_rewrite(const struct perf_rewrite_job *job, struct perf_rewrite_result *result,
		 struct err *err);

#endif
