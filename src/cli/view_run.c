#include "cli/view_run.h"

#include <stdlib.h>

#include "analysis/process_filter.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/view_processes.h"
#include "platform/fs.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/strbuf.h"

static void tell_state(const struct manifest *manifest, const char *path)
{
	if (manifest->state == RUN_DONE)
		return;
	if (manifest->state == RUN_FAILED)
		message_printf("warning: ", "'%s' is a recording that failed%s%s", path,
			       manifest->reason ? ": " : "",
			       manifest->reason ? manifest->reason : "");
	else
		message_printf("warning: ",
			       "'%s' is not whole: its recording is, or was left, at '%s'; see "
			       "'stagetrace recover --help'",
			       path, run_state_name(manifest->state));
}

static void tell_losses(const struct manifest *manifest)
{
	if (manifest->lost_tracker_events > 0)
		message_printf(
			"warning: ", "%lld process events were lost: processes may be missing",
			(long long)manifest->lost_tracker_events);
	if (manifest->missed_processes > 0)
		message_printf("warning: ", "up to %lld short processes may have been missed",
			       (long long)manifest->missed_processes);
	if (manifest->lost_command_lines > 0)
		message_printf(
			"warning: ", "%lld processes ended before their command line could be read",
			(long long)manifest->lost_command_lines);
	for (size_t i = 0; i < manifest->warnings.nr; i++)
		message_print("warning: ", manifest->warnings.v[i]);
}

/* A run without a sound manifest still has its processes. */
static void read_manifest(struct view_run *run, const char *path)
{
	struct err err = ERR_INIT;

	if (run_source_manifest(run->source, &run->manifest, &err)) {
		message_print("warning: ", err.msg);
		err_clear(&err);
		return;
	}
	tell_state(&run->manifest, path);
	tell_losses(&run->manifest);
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
	for (size_t i = 0; paths->nr > 1 && i < paths->nr; i++) {
		if (run_source_takes(paths->v[i]))
			return err_set(err, ERR_USAGE,
				       "'%s' is to be given alone: only a bare trace may be of "
				       "several files",
				       paths->v[i]);
	}
	return 0;
}

int view_run_open(const struct strvec *paths, struct view_run *run, struct err *err)
{
	const char *path = paths->v[0];

	if (check_paths(paths, err))
		return -1;
	*run = (struct view_run){ .path = path, .paths = paths, .processes = PROCESS_LIST_INIT };
	manifest_init(&run->manifest);
	if (fs_exists(path) && !run_source_takes(path))
		return 0;
	if (run_source_open(path, &run->source, err)) {
		manifest_release(&run->manifest);
		return -1;
	}
	read_manifest(run, path);
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
	free(run->memory);
	process_list_release(&run->processes);
	manifest_release(&run->manifest);
	run_source_free(run->source);
}

static bool *match_processes(const struct view_run *run, const struct process_filter *filter)
{
	bool *matched = xcalloc(run->processes.nr, sizeof(*matched));
	struct strbuf notes = STRBUF_INIT;

	for (size_t i = 0; i < run->processes.nr; i++)
		matched[i] = process_filter_match(filter, run->processes.v[i]);
	process_filter_explain(filter, &run->processes, &notes);
	message_print("note: ", notes.buf);
	strbuf_release(&notes);
	return matched;
}

int view_run_print(const struct view_values *values, const struct table *table,
		   view_print_fn *print, struct err *err)
{
	struct process_filter filter;
	struct table_options options;
	struct view_run run;
	bool *matched;
	int ret = -1;

	if (view_get_filter(values, &filter, err) ||
	    view_get_table_options(values, table, &options, err) ||
	    view_run_open(&values->traces, &run, err))
		goto out;
	if (view_processes_play(&run, table, &options, &filter, err)) {
		view_run_close(&run);
		goto out;
	}
	matched = match_processes(&run, &filter);
	if (!print(&run, matched, &options, err))
		ret = EXIT_CODE_DONE;
	free(matched);
	view_run_close(&run);
out:
	process_filter_release(&filter);
	return ret;
}
