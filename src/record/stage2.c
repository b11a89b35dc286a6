#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/child.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "platform/process_id.h"
#include "record/collect.h"
#include "record/memory_limits.h"
#include "record/recording.h"
#include "record/service.h"
#include "record/settings.h"
#include "record/snapshots.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/print.h"
#include "util/text.h"

/* Environment variables that identify stage and package, change what a compiler does, or are read by what it compiles. */
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
	"CARGO",
	"CARGO_PKG_*",
	"CARGO_MANIFEST_*",
	"CARGO_CRATE_NAME",
	"CARGO_BIN_*",
	"CARGO_PRIMARY_PACKAGE",
	"CARGO_INCREMENTAL",
	"CARGO_TARGET_DIR",
	"CARGO_TARGET_TMPDIR",
	"CARGO_PROFILE_*",
	"CFG_*",
	"TARGET",
	"HOST",
	"OUT_DIR",
	"MALLOC_*",
	NULL,
};

/* The state of a recording while stage 2 runs. */
struct stage2 {
	struct recording *recording;
	const struct profiler_ops *profiler;
	struct service service;
	size_t command; /* index of the build, or the profiler around it, in the manifest */
	struct strvec argv, env;
	struct child child;
	struct proc_watch *watch;
	struct journal *journal;
	struct tracker *tracker;
	struct snapshots *snapshots; /* NULL: none are taken */
	int own_execs;
	struct host_load load, load_end; /* of the machine just before the build, and after it */
	int64_t load_ns;                 /* when the first of them was read */
	bool worth_saving; /* there is a trace of the build, and the user did not abandon it */
	char *log;         /* of the profiler */
	char *trace;       /* NULL: none */
	void *lost_state;
};

static int start_tracking(struct stage2 *s, struct err *err)
{
	struct proc_watch_options options = { .env_names = env_names };
	int rc = journal_create(s->recording->plan->dir, &s->journal, err);

	if (!rc)
		rc = proc_watch_start(&options, &s->watch, err);
	return rc;
}

/* Times are relative to the recording's start: shift those of commands that ended before it. */
static void set_base(struct stage2 *s, int own_execs)
{
	struct manifest *manifest = &s->recording->manifest;
	struct tracker_options options = {
		.rules = &s->recording->plan->config->tag_rules,
		.base_ns = clock_now(),
		.own_script = s->profiler->own_script,
		.own_execs = own_execs,
	};
	int64_t shift = options.base_ns - manifest->clock_base_ns;
	char utc[CLOCK_UTC_SIZE];

	manifest->clock_base_ns = options.base_ns;
	clock_format_utc(clock_wall(), utc);
	manifest->start_utc = xstrdup(utc);
	manifest->own_execs = own_execs;
	for (size_t i = 0; i < s->command; i++) {
		manifest->commands[i].start_ns -= shift;
		manifest->commands[i].end_ns -= shift;
	}
	if (s->recording->plan->job.attached)
		return;
	manifest->stage2_start_ns = 0;
	manifest->commands[s->command].start_ns = 0;
	s->tracker = tracker_new(&options);
}

static int change_settings(struct stage2 *s, struct err *err)
{
	struct profiler_settings settings = { NULL, 0, 0 };
	struct recording *recording = s->recording;
	int rc;

	if (!s->profiler->settings)
		return 0;
	s->profiler->settings(&recording->plan->job, &settings);
	rc = settings_change(&settings, &recording->manifest, recording->plan->dir,
			     recording->guard, err);
	profiler_settings_release(&settings);
	return rc;
}

/* A service that failed to start has left nothing on the system. */
static bool is_undone(const struct stage2 *s)
{
	return profiler_is_service(s->profiler) &&
	       profiler_session_is_over(&s->recording->manifest);
}

static int start_profiler(struct stage2 *s, struct err *err)
{
	struct recording *recording = s->recording;

	if (recording_write_state(recording, RUN_STARTING, err))
		return -1;
	if (change_settings(s, err)) {
		recording->not_started = is_undone(s);
		return -1;
	}
	set_base(s, s->own_execs);
	if (service_start(&s->service, err)) {
		recording->not_started = is_undone(s);
		return -1;
	}
	s->snapshots = snapshots_new(&s->service, s->tracker);
	return s->tracker ? start_tracking(s, err) : 0;
}

/* For running processes only the profiler is started. */
static int start_attached(struct stage2 *s, struct err *err)
{
	struct recording *recording = s->recording;

	s->command = recording->manifest.commands_nr;
	if (start_profiler(s, err))
		return -1;
	return recording_write_state(recording, RUN_RECORDING, err);
}

/*
 * The build's log, for its owner alone: under a profiler a shell opens it, with the permissions that the build gives its
 * files.
 */
static int make_build_log(const char *dir, struct err *err)
{
	FILE *file = below_open(dir, RUN_STAGE2_LOG, "ab", err);

	if (!file)
		return -1;
	fclose(file);
	return 0;
}

/* Start the profiler, and the build under it or next to it; the build is paused until the tracker knows it. */
static int start(struct stage2 *s, struct err *err)
{
	struct recording *recording = s->recording;
	struct record_plan *plan = recording->plan;
	struct child_options options = { .argv = &s->argv, .cwd = plan->source, .env = &s->env };

	options.output = s->profiler->wraps_build ? s->log : plan->build_log;
	if (s->profiler->prepare)
		s->profiler->prepare(&plan->job);
	profiler_command(s->profiler, &plan->job, &plan->stage2, &s->argv, &s->own_execs);
	s->command = recording->manifest.commands_nr;
	recording_note_command(recording, s->profiler->wraps_build ? "recorder" : "stage2",
			       &s->argv, &plan->config->stage2);
	if (start_profiler(s, err))
		return -1;
	service_mark(&s->service, "stage 2 starts");
	host_load_read(&s->load);
	s->load_ns = clock_now() - recording->manifest.clock_base_ns;
	memory_limits_begin(&recording->manifest);
	if (make_build_log(plan->dir, err))
		return -1;
	if (child_start(&options, &s->child, err))
		return -1;
	proc_watch_add_root(s->watch, s->child.pid, !s->profiler->wraps_build);
	/* Known to the guard and to `recover`, which wait for its end. */
	if (s->profiler->wraps_build) {
		guard_set_profiler(recording->guard, s->child.pid);
		manifest_set_process(&recording->manifest.commands[s->command],
				     process_id(s->child.pid));
	}
	if (recording_write_state(recording, RUN_RECORDING, err))
		return -1;
	if (s->service.running)
		recording->manifest.commands[s->command].start_ns =
			clock_now() - recording->manifest.clock_base_ns;
	return child_release(&s->child, &options, err);
}

/* 5 % of the machine's processors are noticed in times; of a short build nobody compares them. */
static bool is_much(int64_t cpu_ns, int64_t wall_ns, int64_t cpus)
{
	return cpu_ns > 5 * NS_PER_S && cpus > 0 && cpu_ns / cpus > wall_ns / 20;
}

static void warn_load(struct stage2 *s, const char *what, int64_t cpu_ns)
{
	struct manifest *manifest = &s->recording->manifest;
	struct strbuf time = STRBUF_INIT;

	if (is_much(cpu_ns, manifest->stage2_end_ns - manifest->stage2_start_ns,
		    manifest_host_number(manifest, "cpus"))) {
		text_add_duration(&time, cpu_ns);
		status_warn(&s->recording->status, &manifest->warnings,
			    "%s %s of CPU time while %s ran" MANIFEST_TOOK_LONGER, what, time.buf,
			    s->recording->plan->build);
	}
	strbuf_release(&time);
}

/*
 * What ran meanwhile and is not of the build. Leftovers of the build are its own, and nobody has waited for them. It was
 * measured from the profiler's start to its end, which take seconds: only the share of the build's own time counts.
 */
static void note_load(struct stage2 *s, const struct process_list *list, int64_t measured_ns)
{
	struct manifest *manifest = &s->recording->manifest;
	int64_t own = s->load_end.own_ns - s->load.own_ns, build = process_list_cpu(list);
	int64_t build_ns = manifest->stage2_end_ns - manifest->stage2_start_ns;
	double share = build_ns < measured_ns ? (double)build_ns / (double)measured_ns : 1;

	if (build > own)
		own = build;
	if (s->load.busy_ns >= 0 && s->load_end.busy_ns >= 0) {
		int64_t foreign = s->load_end.busy_ns - s->load.busy_ns - own;

		manifest->foreign_cpu_ns = foreign > 0 ? (int64_t)((double)foreign * share) : 0;
	}
	if (s->load.stolen_ns >= 0 && s->load_end.stolen_ns >= s->load.stolen_ns)
		manifest->stolen_cpu_ns =
			(int64_t)((double)(s->load_end.stolen_ns - s->load.stolen_ns) * share);
	manifest->foreign_memory_bytes = s->load.memory_bytes > s->load_end.memory_bytes
						 ? s->load.memory_bytes
						 : s->load_end.memory_bytes;
	warn_load(s, "other programs used", manifest->foreign_cpu_ns);
	warn_load(s, "the hypervisor gave other machines", manifest->stolen_cpu_ns);
}

/* Such a recording is easily taken for one of a build that needs no memory. */
static void warn_nothing_compiled(struct stage2 *s, const struct process_list *list)
{
	struct manifest *manifest = &s->recording->manifest;

	if (manifest->state != RUN_FAILED && !manifest->reason &&
	    process_list_compiles_nothing(list))
		status_warn(&s->recording->status, &manifest->warnings,
			    "%s compiled no crate: everything was up to date; give a command that "
			    "removes what it makes, as --set stage2.before='cargo clean'",
			    s->recording->plan->build);
}

static void note_command_end(struct stage2 *s)
{
	struct manifest *manifest = &s->recording->manifest;
	struct manifest_command *command = &manifest->commands[s->command];

	host_load_read(&s->load_end);
	memory_limits_sample(manifest);
	manifest->stage2_end_ns = clock_now() - manifest->clock_base_ns;
	command->exit_code = s->child.exit_code;
	command->end_ns = manifest->stage2_end_ns;
	manifest_set_process(command, NULL);
}

static void note_losses(struct recording *recording, const struct proc_watch_status *status)
{
	const struct manifest *manifest = &recording->manifest;

	if (status->broke_away > 0)
		status_warn(
			&recording->status, &recording->manifest.warnings,
			"%lld process%s started outside the build's job, like mspdbsrv.exe: such "
			"processes are seen up to 0.25 s late; those that live for less may be "
			"missed",
			(long long)status->broke_away,
			status->broke_away == 1 ? " was" : "es were");
	if (manifest->lost_tracker_events > 0)
		status_warn(&recording->status, &recording->manifest.warnings,
			    "the tracker lost %lld event%s: the end, command line or CPU time of "
			    "some processes is unknown",
			    (long long)manifest->lost_tracker_events,
			    manifest->lost_tracker_events == 1 ? "" : "s");
}

static void note_tracker(struct stage2 *s)
{
	struct manifest *manifest = &s->recording->manifest;
	struct proc_watch_status status;
	struct tracker_live live;

	proc_watch_get_status(s->watch, &status);
	tracker_read_memory(s->tracker, &live);
	manifest->tracker = xstrdup(status.method);
	manifest->lost_tracker_events = status.lost_events + status.lost_usage;
	manifest->lost_command_lines = status.argv_lost;
	manifest->missed_processes = status.may_have_missed;
	manifest->peak_memory_bytes = live.peak_resident_bytes;
	if (s->profiler->lost)
		manifest->lost_trace_events =
			s->profiler->lost(s->recording->plan->dir, &s->lost_state);
	note_losses(s->recording, &status);
}

/* The last line of a log; "" if it is empty. The caller frees it. */
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

/* Did the profiler end while the build still ran? */
static bool profiler_died(const struct stage2 *s, const struct process *build)
{
	const struct manifest *manifest = &s->recording->manifest;

	if (!s->profiler->wraps_build)
		return false;
	/* A polling tracker may miss the build's end or exit code: the profiler's exit code is that of the build. */
	if (!build || build->end_ns == PROCESS_UNKNOWN || build->exit_code == PROCESS_UNKNOWN)
		return exit_code_is_crash(s->child.exit_code);
	return build->end_ns > manifest->commands[s->command].end_ns ||
	       (s->child.exit_code && !build->exit_code);
}

/* Determine why the recorded command ended; mark the run failed unless it succeeded. */
static void set_result(struct stage2 *s, enum run_end end, const struct process *build)
{
	bool known = build && build->exit_code != PROCESS_UNKNOWN;
	int64_t exit_code = known ? build->exit_code : s->child.exit_code;
	struct strbuf how = STRBUF_INIT;
	char *log;

	recording_note_end(s->recording, end);
	if (end != RUN_END_NORMAL) {
		manifest_fail(&s->recording->manifest, "%s", run_end_reason(end));
		return;
	}
	if (profiler_died(s, build)) {
		char *line = last_line(s->log);

		manifest_fail(&s->recording->manifest,
			      "%s ended before the build did, with exit code %lld%s%s",
			      s->profiler->name, (long long)s->child.exit_code, *line ? ": " : "",
			      line);
		free(line);
		return;
	}
	if (!exit_code)
		return;
	recording_show_failure(s->recording, &s->recording->plan->stage2,
			       s->recording->plan->build_log);
	log = fs_join(s->recording->plan->final_dir, RUN_STAGE2_LOG);
	exit_code_add_failure(&how, exit_code);
	manifest_fail(&s->recording->manifest, "%s %s; its output is in '%s'",
		      s->recording->plan->build, how.buf, log);
	strbuf_release(&how);
	free(log);
}

/* End the processes that dropped the cookie: only the tracker knows them. */
static void end_unmarked(struct stage2 *s, struct runner *runner, struct err *err)
{
	int64_t now = clock_now(), kill_at = now + 3 * NS_PER_S;
	size_t left = 0, first = 0;

	for (; now < kill_at + NS_PER_S; now = clock_now()) {
		if (runner_drain(runner, err))
			err_clear(err);
		left = tracker_signal(s->tracker, now >= kill_at);
		if (!left)
			break;
		if (!first)
			first = left;
		clock_sleep(100 * NS_PER_MS);
	}
	if (first) {
		status_warn(&s->recording->status, &s->recording->manifest.warnings,
			    "the build left %zu process%s running without " BUILD_COOKIE
			    " in %s environment; %s ended",
			    first, first == 1 ? "" : "es", first == 1 ? "its" : "their",
			    first == 1 ? "it was" : "they were");
	}
}

/* Settings are restored first: the stop may take long. */
static int stop_service(struct stage2 *s, struct err *err)
{
	if (!s->service.running)
		return 0;
	settings_restore(&s->recording->manifest, s->recording->options->messages);
	snapshots_end(s->snapshots);
	return service_stop(&s->service, err);
}

/* After the build's end: read the tracker's last events, end what the build left, write its rows. */
static int finish_tracking(struct stage2 *s, struct runner *runner, enum run_end end,
			   struct err *err)
{
	struct recording *recording = s->recording;
	const struct process_list *list;
	const struct process *build;
	int64_t measured_ns;

	recording_end_leftovers(recording);
	end_unmarked(s, runner, err);
	proc_watch_stop(s->watch);
	/* A failed journal does not matter any more: the rows are in memory. */
	if (runner_drain(runner, err))
		err_clear(err);
	note_tracker(s);
	list = tracker_finish(s->tracker, &build);
	set_result(s, end, build);
	measured_ns = recording->manifest.stage2_end_ns - s->load_ns;
	/* The times of the build itself, without the profiler's start and end. */
	if (build && build->end_ns != PROCESS_UNKNOWN) {
		recording->manifest.stage2_start_ns = build->start_ns;
		recording->manifest.stage2_end_ns = build->end_ns;
	}
	note_load(s, list, measured_ns);
	warn_nothing_compiled(s, list);
	if (stop_service(s, err) || recording_write_state(recording, RUN_COLLECTING, err))
		return -1;
	return collect_processes(list, recording->plan->dir, UINT64_MAX, err);
}

/* Ctrl-C ends the recording, and keeps what was recorded. */
static int finish_attached(struct stage2 *s, enum run_end end, struct err *err)
{
	if (end != RUN_END_NORMAL && end != RUN_END_INTERRUPTED)
		manifest_fail(&s->recording->manifest, "%s", run_end_reason(end));
	if (stop_service(s, err))
		return -1;
	return recording_write_state(s->recording, RUN_COLLECTING, err);
}

static void tick(void *data)
{
	struct stage2 *s = data;

	if (s->profiler->tick)
		s->profiler->tick(&s->recording->plan->job,
				  s->tracker ? tracker_ended(s->tracker) : 0);
	if (s->snapshots)
		snapshots_take_due(s->snapshots);
}

static bool snapshots_done(void *data)
{
	struct stage2 *s = data;

	return !s->snapshots || snapshots_are_finished(s->snapshots);
}

static struct runner make_runner(struct stage2 *s)
{
	struct recording *recording = s->recording;
	bool attached = recording->plan->job.attached;
	struct runner runner =
		recording_runner(recording, attached ? "heap snapshots" : recording->plan->build,
				 recording->plan->build_log);

	runner.watch = s->watch;
	runner.tracker = s->tracker;
	runner.manifest = s->tracker ? &recording->manifest : NULL;
	runner.journal = s->journal;
	runner.trace = s->trace;
	runner.lost = s->profiler->lost;
	runner.lost_state = &s->lost_state;
	runner.trace_dir = s->service.trace_dir;
	runner.on_tick = tick;
	runner.is_over = attached ? snapshots_done : NULL;
	runner.data = s;
	runner.spared_pid = s->profiler->wraps_build ? s->child.pid : 0;
	return runner;
}

static int record(struct stage2 *s, struct err *err)
{
	struct recording *recording = s->recording;
	bool attached = recording->plan->job.attached;
	struct runner runner;
	enum run_end end;

	if (attached ? start_attached(s, err) : start(s, err))
		return -1;
	print_line(recording->options->messages, "", "%s, profiler: %s",
		   attached ? "heap snapshots" : recording->plan->build, s->profiler->name);
	runner = make_runner(s);
	end = runner_wait(&runner, attached ? NULL : &s->child, err);
	if (!attached)
		note_command_end(s);
	if (end == RUN_END_JOURNAL) {
		manifest_fail(&recording->manifest, "%s", err->msg);
		err_clear(err);
	}
	if (end == RUN_END_ABANDONED || end == RUN_END_DIR_GONE)
		return err_set(err, ERR_FAILED, "%s", run_end_reason(end));
	s->worth_saving = true;
	if (recording_write_state(recording, RUN_STOPPING, err))
		return -1;
	if (attached)
		return finish_attached(s, end, err);
	service_mark(&s->service, "stage 2 has ended");
	return finish_tracking(s, &runner, end, err);
}

int recording_run_stage2(struct recording *recording, struct err *err)
{
	struct record_plan *plan = recording->plan;
	struct stage2 s = {
		.recording = recording,
		.profiler = plan->profiler,
		.argv = STRVEC_INIT,
		.env = STRVEC_INIT,
		.child = { .ended = true },
		.log = fs_join(plan->dir, RUN_RECORDER_LOG),
		.trace = plan->profiler->trace ? fs_join(plan->dir, plan->profiler->trace) : NULL,
	};
	struct err close_err = ERR_INIT;
	int rc;

	plan_environment(&plan->config->stage2, recording->manifest.cookie, &s.env);
	service_init(&s.service, plan->profiler, &plan->job, &recording->manifest,
		     &recording->status);
	rc = record(&s, err);
	if (!s.child.ended)
		child_signal(&s.child, CHILD_KILL);
	if (plan->profiler->finish)
		plan->profiler->finish(&plan->job);
	snapshots_free(s.snapshots);
	service_release(&s.service, rc && s.worth_saving);
	if (s.journal && journal_close(s.journal, &close_err))
		err_clear(&close_err);
	proc_watch_free(s.watch);
	tracker_free(s.tracker);
	free(s.lost_state);
	free(s.trace);
	free(s.log);
	strvec_release(&s.env);
	strvec_release(&s.argv);
	return rc;
}
