#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "platform/exit_code.h"
#include "platform/fs.h"
#include "platform/process_id.h"
#include "record/beside.h"
#include "record/collect.h"
#include "record/settings.h"
#include "record/snapshots.h"
#include "record/steps.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

/* Variables of a build's processes that tell stage and package, or change what a compiler does. */
static const char *const env_names[] = {
	"RUSTC_STAGE",
	"RUSTC_REAL",
	"RUSTC_SNAPSHOT",
	"RUSTC_SYSROOT",
	"RUSTC_LIBDIR",
	"RUSTC_BOOTSTRAP",
	"RUSTC_WRAPPER",
	"RUSTC_WRAPPER_REAL",
	"RUSTFLAGS*",
	"CARGOFLAGS*",
	"CARGO_PKG_NAME",
	"CARGO_PKG_VERSION",
	"CARGO_CRATE_NAME",
	"CARGO_INCREMENTAL",
	"CARGO_TARGET_DIR",
	"CARGO_PROFILE_*",
	"TARGET",
	"HOST",
	"OUT_DIR",
	"MALLOC_*",
	NULL,
};

/* What is only there while stage 2 is recorded. */
struct recording {
	struct session *session;
	const struct recorder_ops *recorder;
	struct beside beside;
	size_t command; /* the build's, or the recorder's around it, in the manifest */
	struct strvec argv, env;
	struct child child;
	struct proc_watch *watch;
	struct journal *journal;
	struct tracker *tracker;
	struct snapshots *snapshots; /* NULL: none are taken */
	int own_execs;
	bool worth_saving; /* there is a build's trace, and nobody threw it away */
	char *log;         /* of the recorder */
	char *trace;       /* NULL: none */
	void *lost_state;
};

static int start_tracking(struct recording *r, struct err *err)
{
	struct proc_watch_options options = { .env_names = env_names };
	char *path = fs_join(r->session->plan->dir, RUN_JOURNAL);
	int rc = journal_create(path, &r->journal, err);

	if (!rc)
		rc = proc_watch_start(&options, &r->watch, err);
	free(path);
	return rc;
}

/* Times count from the recording's start; those noted before it, of commands that have ended, are shifted. */
static void set_base(struct recording *r, int own_execs)
{
	struct manifest *manifest = &r->session->manifest;
	struct tracker_options options = {
		.rules = &r->session->plan->config->tag_rules,
		.base_ns = clock_now(),
		.own_script = r->recorder->own_script,
		.own_execs = own_execs,
	};
	int64_t shift = options.base_ns - manifest->clock_base_ns;
	char utc[CLOCK_UTC_SIZE];

	manifest->clock_base_ns = options.base_ns;
	clock_format_utc(clock_wall(), utc);
	manifest->start_utc = xstrdup(utc);
	manifest->own_execs = own_execs;
	for (size_t i = 0; i < r->command; i++) {
		manifest->commands[i].start_ns -= shift;
		manifest->commands[i].end_ns -= shift;
	}
	if (r->session->plan->job.attached)
		return;
	manifest->stage2_start_ns = 0;
	manifest->commands[r->command].start_ns = 0;
	r->tracker = tracker_new(&options);
}

static int change_settings(struct recording *r, struct err *err)
{
	struct recorder_settings settings = { NULL, 0, 0 };
	struct session *session = r->session;
	int rc;

	if (!r->recorder->settings)
		return 0;
	r->recorder->settings(&session->plan->job, &settings);
	rc = settings_change(&settings, &session->manifest, session->plan->dir, session->guard,
			     err);
	recorder_settings_release(&settings);
	return rc;
}

static int start_recorder(struct recording *r, struct err *err)
{
	struct session *session = r->session;

	if (steps_write_state(session, RUN_STARTING, err))
		return -1;
	if (change_settings(r, err)) {
		session->not_started = r->recorder->service && service_is_over(&session->manifest);
		return -1;
	}
	set_base(r, r->own_execs);
	if (beside_start(&r->beside, err))
		return -1;
	r->snapshots = snapshots_new(&r->beside, r->tracker);
	return r->tracker ? start_tracking(r, err) : 0;
}

/* Of processes that run already there is nothing to start but the recorder. */
static int start_attached(struct recording *r, struct err *err)
{
	struct session *session = r->session;

	r->command = session->manifest.commands_nr;
	if (start_recorder(r, err))
		return -1;
	return steps_write_state(session, RUN_RECORDING, err);
}

/* Whoever cleans up after us waits for its end. */
static void note_recorder(struct recording *r)
{
	struct session *session = r->session;

	guard_set_recorder(session->guard, r->child.pid);
	manifest_set_process(&session->manifest.commands[r->command], process_id(r->child.pid));
}

/* The recorder with the build under it, or beside it, held until the tracker knows it. */
static int start(struct recording *r, struct err *err)
{
	struct session *session = r->session;
	struct record_plan *plan = session->plan;
	struct child_options options = { .argv = &r->argv, .cwd = plan->source, .env = &r->env };

	options.output = r->recorder->wraps_build ? r->log : plan->build_log;
	plan_recorded_command(plan, &r->argv, &r->own_execs);
	r->command = session->manifest.commands_nr;
	steps_note_command(session, r->recorder->wraps_build ? "recorder" : "stage2", &r->argv,
			   &plan->config->stage2);
	if (start_recorder(r, err))
		return -1;
	beside_mark(&r->beside, "stage 2 starts");
	if (child_start(&options, &r->child, err))
		return -1;
	proc_watch_add_root(r->watch, r->child.pid, !r->recorder->wraps_build);
	if (r->recorder->wraps_build)
		note_recorder(r);
	if (steps_write_state(session, RUN_RECORDING, err))
		return -1;
	if (r->beside.running)
		session->manifest.commands[r->command].start_ns =
			clock_now() - session->manifest.clock_base_ns;
	return child_release(&r->child, &options, err);
}

static void note_command_end(struct recording *r)
{
	struct manifest *manifest = &r->session->manifest;
	struct manifest_command *command = &manifest->commands[r->command];

	manifest->stage2_end_ns = clock_now() - manifest->clock_base_ns;
	command->exit_code = r->child.exit_code;
	command->end_ns = manifest->stage2_end_ns;
	manifest_set_process(command, NULL);
}

static void note_losses(struct session *session, const struct proc_watch_status *status)
{
	const struct manifest *manifest = &session->manifest;

	if (status->broke_away > 0)
		steps_warn(
			session,
			"%lld process%s started outside the build's job, as mspdbsrv.exe is: found "
			"up to 0.25 s late, and shorter ones not at all",
			(long long)status->broke_away,
			status->broke_away == 1 ? " was" : "es were");
	if (manifest->lost_tracker_events > 0)
		steps_warn(session,
			   "the tracker lost %lld events: some processes lack their end, command "
			   "line or CPU time",
			   (long long)manifest->lost_tracker_events);
}

static void note_tracker(struct recording *r)
{
	struct manifest *manifest = &r->session->manifest;
	struct proc_watch_status status;
	struct tracker_live live;

	proc_watch_get_status(r->watch, &status);
	tracker_look(r->tracker, &live);
	manifest->tracker = xstrdup(status.method);
	manifest->lost_tracker_events = status.lost_events + status.lost_usage;
	manifest->lost_command_lines = status.argv_lost;
	manifest->missed_processes = status.may_have_missed;
	manifest->peak_memory_bytes = live.peak_resident_bytes;
	if (r->recorder->lost)
		manifest->lost_trace_events =
			r->recorder->lost(r->session->plan->dir, &r->lost_state);
	note_losses(r->session, &status);
}

/* The last line that a log has; "" where it has none. The caller frees it. */
static char *last_line(const char *path)
{
	struct strbuf log = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *last;
	char *line;

	if (fs_read_end(path, 1 << 16, &log, &err))
		err_clear(&err);
	while (strbuf_ends_with(&log, "\n"))
		strbuf_set_len(&log, log.len - 1);
	last = strrchr(log.buf, '\n');
	line = xstrdup(last ? last + 1 : log.buf);
	strbuf_release(&log);
	return line;
}

static void fail_recorder(struct recording *r)
{
	char *line = last_line(r->log);

	steps_fail(r->session, "%s ended before the build did, with exit code %lld%s%s",
		   r->recorder->name, (long long)r->child.exit_code, *line ? ": " : "", line);
	free(line);
}

/* Did the recorder end while the build still ran? */
static bool recorder_died(const struct recording *r, const struct process *build)
{
	const struct manifest *manifest = &r->session->manifest;

	if (!r->recorder->wraps_build)
		return false;
	/* A tracker that polls may see neither the end nor the exit code: the recorder ends with the build's. */
	if (!build || build->end_ns == PROCESS_UNKNOWN || build->exit_code == PROCESS_UNKNOWN)
		return exit_code_is_crash(r->child.exit_code);
	return build->end_ns > manifest->commands[r->command].end_ns ||
	       (r->child.exit_code && !build->exit_code);
}

/* Why did the recorded command end, and was that as it should be? */
static void judge(struct recording *r, enum run_end end, const struct process *build)
{
	bool known = build && build->exit_code != PROCESS_UNKNOWN;
	int64_t exit_code = known ? build->exit_code : r->child.exit_code;
	struct strbuf how = STRBUF_INIT;
	char *log;

	if (end != RUN_END_ITSELF) {
		steps_fail(r->session, "%s", run_end_reason(end));
		return;
	}
	if (recorder_died(r, build)) {
		fail_recorder(r);
		return;
	}
	if (!exit_code)
		return;
	steps_show_log(r->session, r->session->plan->build_log);
	log = fs_join(r->session->plan->final_dir, RUN_STAGE2_LOG);
	exit_code_add_failure(&how, exit_code);
	steps_fail(r->session, "stage 2 %s; its output is in '%s'", how.buf, log);
	strbuf_release(&how);
	free(log);
}

/* What has dropped the mark is known to the tracker alone. */
static void end_unmarked(struct recording *r, struct runner *runner, struct err *err)
{
	int64_t now = clock_now(), kill_at = now + 3 * NS_PER_S;
	size_t left = 0, first = 0;

	for (; now < kill_at + NS_PER_S; now = clock_now()) {
		if (runner_drain(runner, err))
			err_clear(err);
		left = tracker_signal(r->tracker, now >= kill_at);
		if (!left)
			break;
		if (!first)
			first = left;
		clock_sleep(100 * NS_PER_MS);
	}
	if (first) {
		steps_warn(r->session,
			   "the build left %zu process%s running in an environment of %s own, "
			   "which %s ended",
			   first, first == 1 ? "" : "es", first == 1 ? "its" : "their",
			   first == 1 ? "was" : "were");
	}
}

/* What was changed for the build is put back first: the stop may take long. */
static int stop_service(struct recording *r, struct err *err)
{
	if (!r->beside.running)
		return 0;
	settings_put_back(&r->session->manifest, r->session->options->messages);
	snapshots_end(r->snapshots);
	return beside_stop(&r->beside, err);
}

/* Everything that came after the build's end: the tracker's last events, what the build left, its rows. */
static int finish_tracking(struct recording *r, struct runner *runner, enum run_end end,
			   struct err *err)
{
	struct session *session = r->session;
	const struct process_list *list;
	const struct process *build;

	steps_end_leftovers(session);
	end_unmarked(r, runner, err);
	proc_watch_stop(r->watch);
	/* The journal is for a recording that is killed: this one has its rows in memory. */
	if (runner_drain(runner, err))
		err_clear(err);
	note_tracker(r);
	list = tracker_finish(r->tracker, &build);
	judge(r, end, build);
	/* The build itself, without the recorder's own start and end. */
	if (build && build->end_ns != PROCESS_UNKNOWN) {
		session->manifest.stage2_start_ns = build->start_ns;
		session->manifest.stage2_end_ns = build->end_ns;
	}
	if (stop_service(r, err) || steps_write_state(session, RUN_COLLECTING, err))
		return -1;
	return collect_processes(list, session->plan->dir, err);
}

/* Whoever ends it by Ctrl-C wants what there is. */
static int finish_attached(struct recording *r, enum run_end end, struct err *err)
{
	if (end != RUN_END_ITSELF && end != RUN_END_INTERRUPTED)
		steps_fail(r->session, "%s", run_end_reason(end));
	if (stop_service(r, err))
		return -1;
	return steps_write_state(r->session, RUN_COLLECTING, err);
}

static void look_at_heaps(void *data)
{
	struct recording *r = data;

	if (r->snapshots)
		snapshots_look(r->snapshots);
}

static bool heaps_are_over(void *data)
{
	struct recording *r = data;

	return !r->snapshots || snapshots_are_over(r->snapshots);
}

static struct runner make_runner(struct recording *r)
{
	struct session *session = r->session;
	bool attached = session->plan->job.attached;
	struct runner runner = steps_runner(session, attached ? "heap snapshots" : "stage 2",
					    session->plan->build_log);

	runner.watch = r->watch;
	runner.tracker = r->tracker;
	runner.journal = r->journal;
	runner.trace = r->trace;
	runner.lost = r->recorder->lost;
	runner.lost_state = &r->lost_state;
	runner.folder = r->beside.folder;
	runner.written = r->beside.service ? r->beside.service->written : NULL;
	runner.look = look_at_heaps;
	runner.is_over = attached ? heaps_are_over : NULL;
	runner.data = r;
	runner.spare = r->recorder->wraps_build ? r->child.pid : 0;
	return runner;
}

static int record(struct recording *r, struct err *err)
{
	struct session *session = r->session;
	bool attached = session->plan->job.attached;
	struct runner runner;
	enum run_end end;

	if (attached ? start_attached(r, err) : start(r, err))
		return -1;
	fprintf(session->options->messages, "stagetrace: %s, recorder: %s\n",
		attached ? "heap snapshots" : "stage 2", r->recorder->name);
	runner = make_runner(r);
	end = runner_wait(&runner, attached ? NULL : &r->child, err);
	if (!attached)
		note_command_end(r);
	if (end == RUN_END_JOURNAL) {
		steps_fail(session, "%s", err->msg);
		err_clear(err);
	}
	if (end == RUN_END_ABANDONED || end == RUN_END_DIR_GONE)
		return err_set(err, ERR_FAILED, "%s", run_end_reason(end));
	r->worth_saving = true;
	if (steps_write_state(session, RUN_STOPPING, err))
		return -1;
	if (attached)
		return finish_attached(r, end, err);
	beside_mark(&r->beside, "stage 2 has ended");
	return finish_tracking(r, &runner, end, err);
}

int steps_record_stage2(struct session *session, struct err *err)
{
	struct record_plan *plan = session->plan;
	struct recording r = {
		.session = session,
		.recorder = plan->recorder,
		.argv = STRVEC_INIT,
		.env = STRVEC_INIT,
		.child = { .ended = true },
		.log = fs_join(plan->dir, RUN_RECORDER_LOG),
		.trace = plan->recorder->trace ? fs_join(plan->dir, plan->recorder->trace) : NULL,
	};
	struct err close_err = ERR_INIT;
	int rc;

	plan_environment(&plan->config->stage2, session->manifest.cookie, &r.env);
	beside_init(&r.beside, session);
	rc = record(&r, err);
	if (!r.child.ended)
		child_signal(&r.child, CHILD_KILL);
	snapshots_free(r.snapshots);
	beside_release(&r.beside, rc && r.worth_saving);
	if (r.journal && journal_close(r.journal, &close_err))
		err_clear(&close_err);
	proc_watch_free(r.watch);
	tracker_free(r.tracker);
	free(r.lost_state);
	free(r.trace);
	free(r.log);
	strvec_release(&r.env);
	strvec_release(&r.argv);
	return rc;
}
