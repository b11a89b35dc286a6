#include "cli/view_trace.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "replay/place_lines.h"
#include "rundir/layout.h"

bool view_trace_there(const struct view_run *run)
{
	return !run->source || run_source_has(run->source, RUN_PERF_DATA) ||
	       run_source_has(run->source, RUN_ETL);
}

/* The trace's own file, of a run that had one; NULL. */
static const char *find_listed(const struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->files_nr; i++) {
		const char *path = manifest->files[i].path;

		if (!strcmp(path, RUN_PERF_DATA) || !strcmp(path, RUN_ETL))
			return path;
	}
	return NULL;
}

static int find_trace(const struct view_run *run, struct strvec *paths, struct err *err)
{
	const char *listed;

	if (!run->source) {
		strvec_push_all(paths, run->paths);
		return 0;
	}
	listed = view_trace_there(run) ? NULL : find_listed(&run->manifest);
	if (!listed)
		return replay_find_trace(run->source, paths, err);
	return err_set(err, ERR_NOT_FOUND, "'%s' has no trace any more: its manifest.json lists %s",
		       run->path, listed);
}

bool view_trace_filters(const struct process_filter *filter)
{
	return filter->roles.nr || filter->parts.nr || filter->crates.nr || filter->processes.nr;
}

/* The processes that only the trace knows, so that they are known before the first event of each. */
static int find_processes(struct view_run *run, struct replay *replay,
			  const struct replay_options *options, struct err *err)
{
	if (replay_play(replay, NULL, NULL, err)) {
		replay_close(replay);
		return -1;
	}
	/* What was played is asked no more. */
	process_list_sort(&run->processes);
	return replay_again(replay, run->source, &run->processes, options, err);
}

static int open_replay(struct view_run *run, const struct strvec *paths, bool processes,
		       const struct replay_options *options, struct replay *replay, struct err *err)
{
	const struct replay_options first = { .base_ns = options->base_ns };

	if (replay_open(paths, run->source, &run->processes, processes ? &first : options, replay,
			err))
		return -1;
	return processes ? find_processes(run, replay, options, err) : 0;
}

int view_trace_open(struct view_run *run, const struct view_trace_options *options,
		    struct replay *replay, struct err *err)
{
	struct replay_options replay_options = {
		.cpu = options->cpu,
		.memory = options->memory,
		.names = options->names,
		.mangled = options->mangled,
		.inlines = options->inlines,
		.base_ns = run->source && run->manifest.clock ? run->manifest.clock_base_ns
							      : TRACE_BASE_FIRST,
	};
	bool processes = options->processes || (!run->source && options->tags);
	struct strvec paths = STRVEC_INIT;
	int rc = find_trace(run, &paths, err);

	if (!rc)
		rc = open_replay(run, &paths, processes, &replay_options, replay, err);
	/* Who holds memory is told apart from event to event; samples are sorted into functions at the end. */
	if (!rc && options->memory &&
	    place_lines_find_ahead(&paths, run->source, &replay_options, replay, err)) {
		replay_close(replay);
		rc = -1;
	}
	strvec_release(&paths);
	return rc;
}

int view_trace_open_beside(struct view_run *run, const struct view_trace_options *options,
			   struct replay *replay, struct err *err)
{
	struct err own = ERR_INIT;

	if (!run->source)
		return view_trace_open(run, options, replay, err);
	if (!view_trace_open(run, options, replay, &own))
		return 0;
	err_wrap(&own, "nothing is told of the trace");
	message_print("warning: ", own.msg);
	err_clear(&own);
	return 1;
}

int view_trace_play(struct replay *replay, replay_fn *take, void *data, struct err *err)
{
	struct strbuf notes = STRBUF_INIT;

	if (replay_play(replay, take, data, err))
		return -1;
	replay_explain(replay, &notes);
	message_print("warning: ", notes.buf);
	strbuf_release(&notes);
	return 0;
}
