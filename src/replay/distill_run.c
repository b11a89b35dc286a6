#include "replay/distill_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/below.h"
#include "platform/fs.h"
#include "rundir/layout.h"
#include "symbol/symbol_store.h"
#include "trace/perf/perf_rewrite.h"
#include "util/text.h"

#define DISTILLED RUN_PERF_DATA RUN_PARTIAL

static void note(const struct perf_rewrite_result *result, int64_t before, int64_t after,
		 struct strbuf *notes)
{
	strbuf_addf(notes, "the trace is distilled: %" PRIu64 " stack cop%s replaced by %s, ",
		    result->copies, result->copies == 1 ? "y" : "ies",
		    result->copies == 1 ? "its call chain" : "their call chains");
	text_add_bytes(notes, before);
	strbuf_adds(notes, " became ");
	text_add_bytes(notes, after);
	strbuf_adds(notes, "\n");
}

static int replace(const char *dir, bool keep_copies, struct err *err)
{
	struct err ignored = ERR_INIT;

	if (keep_copies && below_rename(dir, RUN_PERF_DATA, RUN_STACK_COPIES, err))
		return -1;
	if (!below_rename(dir, DISTILLED, RUN_PERF_DATA, err))
		return 0;
	if (keep_copies && below_rename(dir, RUN_STACK_COPIES, RUN_PERF_DATA, &ignored)) {
		err_append(err, "; the trace is '" RUN_STACK_COPIES "' now: rename it back");
		err_clear(&ignored);
	}
	return -1;
}

/* Stacks that symbols/ may have from an interrupted attempt are in the trace now; only the original needs them. */
static void remove_stacks(const char *dir)
{
	struct err ignored = ERR_INIT;

	if (below_remove(dir, RUN_SYMBOLS "/" SYMBOL_STORE_STACKS, &ignored))
		err_clear(&ignored);
}

/* Write the new file, and sync it to the disk. */
static int write_distilled(const char *dir, const struct distill_options *options,
			   struct perf_rewrite_result *result, struct err *err)
{
	char *from = fs_join(dir, RUN_PERF_DATA), *to = fs_join(dir, DISTILLED);
	struct trace_input input;
	struct perf_rewrite_job job = {
		.input = &input,
		.from = from,
		.to = to,
		.chains = options->chains,
		.code = options->code,
		.progress = options->progress,
	};
	int rc = trace_input_open(&input, from, err);

	if (!rc) {
		if (!below_remove(dir, DISTILLED, err))
			job.out = below_open(dir, DISTILLED, "wbx", err);
		rc = job.out ? perf_rewrite(&job, result, err) : -1;
		if (!rc)
			rc = fs_sync(job.out, to, err);
		if (job.out && fclose(job.out) && !rc)
			rc = err_set_errno(err, errno, "cannot write '%s'", to);
		trace_input_close(&input);
	}
	free(from);
	free(to);
	return rc;
}

int distill_run(const char *dir, const struct distill_options *options, struct strbuf *notes,
		struct err *err)
{
	struct perf_rewrite_result result = { .already = true };
	int64_t before = below_size(dir, RUN_PERF_DATA), after;
	struct err ignored = ERR_INIT;
	bool keep_copies;
	int rc;

	if (before < 0)
		return 0;
	rc = write_distilled(dir, options, &result, err);
	keep_copies = options->keep_copies && result.copies;
	after = below_size(dir, DISTILLED);
	if (!rc && !result.already) {
		rc = replace(dir, keep_copies, err);
		if (!rc)
			note(&result, before, after, notes);
		if (!rc && !keep_copies)
			remove_stacks(dir);
	}
	if (below_remove(dir, DISTILLED, &ignored))
		err_clear(&ignored);
	return rc ? rc : !result.already && !keep_copies;
}
