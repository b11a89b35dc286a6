#include "cli/view_run.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/view_progress.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "replay/frame_names.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/text.h"

#define WARNINGS_SHOWN 100

static void warn_of_state(const struct manifest *manifest, const char *path)
{
	if (manifest->state == RUN_DONE)
		return;
	if (manifest->state == RUN_FAILED)
		message_printf("warning: ", "the recording '%s' failed%s%s", path,
			       manifest->reason ? ": " : "",
			       manifest->reason ? manifest->reason : "");
	else
		message_printf("warning: ",
			       "'%s' is incomplete: its recording is still running, or was "
			       "interrupted, in the state '%s'; see 'stagetrace recover --help'",
			       path, run_state_name(manifest->state));
}

/* Of a list that is too long the rest is in the manifest. */
static void warn_of_rest(size_t nr)
{
	if (nr > WARNINGS_SHOWN)
		message_printf("warning: ", "%zu more in " RUN_MANIFEST, nr - WARNINGS_SHOWN);
}

static void warn_of_tracker(const struct manifest *manifest)
{
	if (manifest->lost_tracker_events > 0)
		message_printf(
			"warning: ", "the tracker lost %lld event%s: processes may be missing",
			(long long)manifest->lost_tracker_events,
			manifest->lost_tracker_events == 1 ? "" : "s");
	if (manifest->missed_processes > 0)
		message_printf("warning: ", "up to %lld short process%s may have been missed",
			       (long long)manifest->missed_processes,
			       manifest->missed_processes == 1 ? "" : "es");
	if (manifest->lost_command_lines > 0)
		message_printf(
			"warning: ", "%lld process%s ended before the command line could be read",
			(long long)manifest->lost_command_lines,
			manifest->lost_command_lines == 1 ? "" : "es");
}

static void warn_of_recording(const struct manifest *manifest, bool durations)
{
	size_t nr = 0;

	for (size_t i = 0; i < manifest->warnings.nr; i++) {
		const char *text = manifest->warnings.v[i];

		if (!durations && text_ends_with(text, MANIFEST_TOOK_LONGER))
			continue;
		if (nr++ < WARNINGS_SHOWN)
			message_print("warning: ", text);
	}
	warn_of_rest(nr);
}

static void warn_of_stacks(const struct manifest *manifest, const struct view_subject *subject)
{
	size_t nr = 0;

	for (size_t i = 0; i < manifest->stack_warnings_nr && nr < WARNINGS_SHOWN; i++) {
		const struct manifest_stack_warning *warning = &manifest->stack_warnings[i];

		if ((warning->cpu && subject->cpu_stacks) ||
		    (warning->memory && subject->memory_stacks)) {
			message_print("warning: ", warning->text);
			nr++;
		}
	}
}

static uint64_t at_least_0(int64_t nr)
{
	return nr > 0 ? (uint64_t)nr : 0;
}

/* A run with a damaged manifest still has its processes. */
static void read_manifest(struct view_run *run, const char *path,
			  const struct view_subject *subject)
{
	struct err err = ERR_INIT;

	if (run_source_manifest(run->source, &run->manifest, &err)) {
		message_print("warning: ", err.msg);
		err_clear(&err);
		return;
	}
	run->losses = (struct tracker_losses){
		.events = at_least_0(run->manifest.lost_tracker_events),
		.processes = at_least_0(run->manifest.missed_processes),
		.command_lines = at_least_0(run->manifest.lost_command_lines),
	};
	if (!subject->failure || run->manifest.state != RUN_FAILED)
		warn_of_state(&run->manifest, path);
	if (subject->processes)
		warn_of_tracker(&run->manifest);
	warn_of_recording(&run->manifest, subject->durations);
	warn_of_stacks(&run->manifest, subject);
}

/* Stage 1 is not recorded: a run that failed there has none. */
static bool may_lack_processes(const struct view_run *run, const struct view_subject *subject)
{
	return subject->failure && run->manifest.state == RUN_FAILED &&
	       !run_source_has(run->source, RUN_PROCESSES);
}

static int read_processes(struct view_run *run, struct err *err)
{
	struct strbuf first = STRBUF_INIT;
	int64_t damaged = 0;
	int ret = run_source_processes(run->source, &run->processes, &damaged, &first, err);

	if (!ret && damaged)
		message_printf("warning: ", "%lld damaged line%s of %s left out: %s",
			       (long long)damaged, damaged > 1 ? "s" : "", RUN_PROCESSES,
			       first.buf);
	strbuf_release(&first);
	return ret;
}

static int check_paths(const struct strvec *paths, struct err *err)
{
	const char *run = paths->nr > 1 ? run_source_among(paths) : NULL;

	if (!run)
		return 0;
	return err_set(err, ERR_USAGE,
		       "'%s' must be the only argument: a view shows one run, and a pattern as "
		       "run* matches its bundle too; only a bare trace may consist of several "
		       "files",
		       run);
}

/* The bytes that are stored of the files that a view reads, without those of this machine. */
static uint64_t size_of(const struct view_run *run)
{
	uint64_t bytes = 0;

	if (run->source)
		return run_source_stored_bytes(run->source);
	for (size_t i = 0; i < run->paths->nr; i++)
		bytes += cost_of_file(run->paths->v[i]);
	return bytes;
}

/* In an error about a file that was unpacked, name that in the zip. Returns -1. */
static int name_copies(const struct view_run *run, struct err *err)
{
	const struct run_source *source = run->source ? run->source : run->packed;

	return source ? run_source_name_copies(source, err) : -1;
}

/* 0: the path is a zip with the files of a bare trace, which are unpacked. 1: it is none. */
static int open_packed(struct view_run *run, struct err *err)
{
	struct strvec members = STRVEC_INIT;
	int rc = run_source_open_traces(run->path, &run->packed, &members, err);

	if (!rc) {
		cost_limit(run->path, size_of(run));
		run->unpacked = xcalloc(1, sizeof(*run->unpacked));
		*run->unpacked = (struct strvec)STRVEC_INIT;
		run->paths = run->unpacked;
	}
	for (size_t i = 0; !rc && i < members.nr; i++) {
		char *path = run_source_file(run->packed, members.v[i], err);

		if (path)
			strvec_push_nodup(run->unpacked, path);
		else
			rc = -1;
		strvec_pushf(&run->names, "%s/%s", run->path, members.v[i]);
	}
	strvec_release(&members);
	return rc;
}

int view_run_open(const struct strvec *paths, struct view_subject subject, struct view_run *run,
		  struct err *err)
{
	const char *path = paths->v[0];
	int rc;

	if (check_paths(paths, err))
		return -1;
	*run = (struct view_run){ .path = path,
				  .paths = paths,
				  .names = STRVEC_INIT,
				  .processes = PROCESS_LIST_INIT,
				  .trace_end_ns = -1 };
	manifest_init(&run->manifest);
	if (fs_exists(path) && !run_source_takes(path)) {
		cost_limit(path, size_of(run));
		return 0;
	}
	rc = open_packed(run, err);
	if (rc < 0)
		view_run_close(run);
	if (rc <= 0)
		return rc;
	if (run_source_open(path, &run->source, err)) {
		manifest_release(&run->manifest);
		return -1;
	}
	cost_limit(path, size_of(run));
	read_manifest(run, path, &subject);
	if (may_lack_processes(run, &subject))
		return 0;
	if (read_processes(run, err)) {
		view_run_close(run);
		return -1;
	}
	if (!run->processes.nr)
		message_printf("note: ", "'%s' has no processes", path);
	return 0;
}

void view_run_close(struct view_run *run)
{
	view_progress_wipe();
	free(run->memory);
	free(run->exact);
	process_list_release(&run->processes);
	manifest_release(&run->manifest);
	run_source_free(run->source);
	run_source_free(run->packed);
	if (run->unpacked)
		strvec_release(run->unpacked);
	free(run->unpacked);
	strvec_release(&run->names);
}

bool view_run_has_trace(const struct view_run *run)
{
	return !run->source || run_source_has(run->source, RUN_PERF_DATA) ||
	       run_source_has(run->source, RUN_ETL);
}

/*
 * The time of the last event that was read. If reading stopped at the end of the range: the end of stage 2 in the
 * manifest, -1 if there is none.
 */
static int64_t end_of_recording(const struct view_run *run, const struct trace_facts *facts,
				int64_t to_ns)
{
	if (facts && to_ns > facts->counters.last_ns)
		return facts->counters.last_ns;
	return run->source ? run->manifest.stage2_end_ns : -1;
}

struct view_head view_run_head(const struct view_run *run, const struct trace_facts *facts,
			       int64_t from_ns, int64_t to_ns)
{
	return (struct view_head){
		.facts = facts,
		.clock = run->manifest.clock,
		.recorded_by = run->manifest.version,
		.tracker = run->source ? &run->losses : NULL,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.last_ns = end_of_recording(run, facts, to_ns),
	};
}

/* The trace file in the list of files of the run; NULL: it has none. */
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
	listed = view_run_has_trace(run) ? NULL : find_listed(&run->manifest);
	if (!listed)
		return replay_find_trace(run->source, paths, err);
	return err_set(err, ERR_NOT_FOUND,
		       "the trace of '%s' is missing: its manifest.json lists %s", run->path,
		       listed);
}

/* With `processes` the trace is played once before, to find those that only it has. */
static int open_replay(struct view_run *run, const struct strvec *paths, bool processes,
		       const struct replay_options *options, struct replay *replay, struct err *err)
{
	const struct replay_options first = { .base_ns = options->base_ns,
					      .progress = options->progress,
					      .again = options };

	if (replay_open(paths, run->source, &run->processes, processes ? &first : options, replay,
			err))
		return -1;
	if (!processes)
		return 0;
	if (replay_play(replay, NULL, NULL, err)) {
		replay_close(replay);
		return -1;
	}
	run->trace_end_ns = replay_facts(replay)->counters.last_ns;
	/* The old order is not needed any more. */
	process_list_sort(&run->processes);
	return replay_rewind(replay, run->source, &run->processes, options, err);
}

int view_trace_open(struct view_run *run, const struct view_trace_options *options,
		    struct replay *replay, struct err *err)
{
	struct replay_options replay_options = options->replay;
	bool processes = options->processes || (!run->source && options->tags);
	struct strvec paths = STRVEC_INIT;
	int rc = find_trace(run, &paths, err);

	if (!replay_options.progress)
		replay_options.progress = view_progress();
	replay_options.file_names = run->packed ? &run->names : NULL;
	replay_options.base_ns =
		run->source && run->manifest.clock ? run->manifest.clock_base_ns : TRACE_BASE_FIRST;
	if (!rc)
		rc = open_replay(run, &paths, processes, &replay_options, replay, err);
	/* Memory events need functions at once; CPU samples only at the end. */
	if (!rc && replay_options.memory &&
	    frame_lines_find_early(&paths, run->source, &replay_options, replay, err)) {
		replay_close(replay);
		rc = -1;
	}
	strvec_release(&paths);
	return rc ? name_copies(run, err) : 0;
}

int view_trace_open_optional(struct view_run *run, const struct view_trace_options *options,
			     struct replay *replay, struct err *err)
{
	struct err own = ERR_INIT;

	if (!run->source)
		return view_trace_open(run, options, replay, err);
	if (!view_trace_open(run, options, replay, &own))
		return 0;
	err_wrap(&own, "cannot show the trace");
	message_print("warning: ", own.msg);
	err_clear(&own);
	return 1;
}

void view_trace_warn(const struct replay *replay)
{
	struct strbuf notes = STRBUF_INIT;

	view_progress_wipe();
	replay_explain(replay, &notes);
	message_print_buf("warning: ", &notes);
}

void view_note_tags(const struct view_run *run, const struct trace_facts *facts,
		    const struct process_filter *filter, bool rows)
{
	bool needed = rows || filter->parts.nr || filter->not_parts.nr || filter->crates.nr ||
		      filter->not_crates.nr;

	if (needed && !run->source && text_starts_with(facts->format, "perf.data"))
		message_print("note: ", "a perf.data file has no command lines: the part and crate "
					"of most processes are unknown; 'stagetrace record' notes "
					"them");
}

int view_trace_play(struct replay *replay, replay_fn *take, void *data, struct err *err)
{
	if (replay_play(replay, take, data, err))
		return -1;
	view_trace_warn(replay);
	return 0;
}
