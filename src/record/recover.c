#include "record/recover.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "platform/below.h"
#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "platform/owner.h"
#include "platform/process_id.h"
#include "profiler/profiler.h"
#include "record/collect.h"
#include "record/service.h"
#include "record/settings.h"
#include "record/tracker.h"
#include "rundir/journal.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "util/alloc.h"
#include "util/print.h"
#include "util/text.h"

#define BUILD_GRACE_NS    (3 * NS_PER_S)
#define PROFILER_GRACE_NS (60 * NS_PER_S)
#define TICK_NS           (50 * NS_PER_MS)
#define STOP_TIMEOUT \
	(30 * 60 * NS_PER_S) /* where the run's configuration has none: `recover` always ends */

/*
 * The list of processes has about the size of the journal, as each command line is once in both: but a process that runs no
 * program of its own has that of its parent.
 */
#define LIST_FREE  (UINT64_C(64) << 20)
#define LIST_RATIO 16

static const struct profiler_ops *find_profiler(const struct manifest *manifest)
{
	return manifest->recorder ? profiler_find(manifest->recorder) : NULL;
}

/* Save the trace. If that fails and a later try cannot help, the trace is lost. */
static int save(struct profiler_session *session, struct err *err)
{
	struct manifest *manifest = session->manifest;
	int64_t lost = -1;
	int rc = session->profiler->stop(session, &lost, err);
	bool can_help;

	if (!rc) {
		manifest->lost_trace_events = lost;
		return 0;
	}
	/* Missing rights or space, or a later step than the one that puts the trace into the run. */
	can_help = err->code == ERR_UNSUPPORTED || err->code == ERR_NO_SPACE ||
		   err->code == ERR_NOT_FOUND ||
		   below_size(session->job->dir, session->profiler->trace) > 0;
	if (can_help && !profiler_session_is_over(manifest))
		return -1;
	manifest_fail(manifest, "the trace is lost: %s", err->msg);
	err_clear(err);
	return session->profiler->cancel(session, err);
}

static int end_session(struct service *service, struct err *err)
{
	struct profiler_session *session = &service->session;
	bool saves = session->manifest->state >= RUN_RECORDING;
	int rc;

	service_begin_wait(service, WAIT_TO_END);
	print_line(service->status->out, "", saves ? "saving the trace" : "ending the profiler");
	rc = saves ? save(session, err) : session->profiler->cancel(session, err);
	service_end_wait(service);
	return rc;
}

/* Runs of earlier versions don't say where they were recorded: anyone may have written which process is to be awaited. */
static bool is_profiler(const struct manifest *manifest, const char *process)
{
	const char *name = manifest->recorder ? manifest->recorder : "";
	char *program = process_program(process_id_number(process));
	bool is = program && *name && !strncmp(program, name, strcspn(name, "-"));

	free(program);
	return is || manifest->place;
}

const struct manifest_command *recover_living_command(const struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->commands_nr; i++) {
		const char *process = manifest->commands[i].process;

		if (process && process_id_lives(process) && is_profiler(manifest, process))
			return &manifest->commands[i];
	}
	return NULL;
}

/* Size of the profiler's files: while it changes, the profiler is working. -1: it writes no files. */
static int64_t written(const struct service *service)
{
	const char *trace = service->session.profiler->trace;

	if (service->trace_dir)
		return profiler_dir_bytes(service->trace_dir);
	return trace ? below_size(service->session.job->dir, trace) : -1;
}

/* Wait for the command's end. False: it still runs, but its files have not changed for [record] stop-timeout. */
static bool wait_for_end(struct service *service, const struct manifest_command *command)
{
	int64_t patience = service->session.job->config->stop_timeout_ns;
	int64_t changed = clock_now(), bytes = -1;
	bool patient = true;

	service_begin_wait(service, WAIT_TO_END);
	while (patient && process_id_lives(command->process)) {
		int64_t now = clock_now(), size = written(service);

		if (size != bytes)
			changed = now;
		bytes = size;
		patient = !patience || now - changed <= patience;
		service->session.progress("waiting for the profiler", bytes, service);
		clock_sleep(TICK_NS);
	}
	service_end_wait(service);
	return patient;
}

static int await_command(struct service *service, const struct manifest_command *command,
			 struct err *err)
{
	const char *name = service->session.profiler->name;
	const char *verb = command->argv.nr > 1 ? command->argv.v[1] : "";
	long long number = process_id_number(command->process);

	print_line(service->status->out, "",
		   "%s %s of the interrupted recording still runs (process %lld)", name, verb,
		   number);
	if (wait_for_end(service, command))
		return 0;
	return err_set(err, ERR_FAILED,
		       "%s %s, process %lld, makes no progress, and could change the system again: "
		       "wait for its end or end that process, then recover again",
		       name, verb, number);
}

static int recover_here(const struct profiler_ops *profiler, const char *dir,
			struct manifest *manifest, FILE *messages, struct err *err)
{
	struct config config = CONFIG_INIT;
	struct profiler_job job = { .config = &config, .dir = dir };
	const struct manifest_command *command;
	struct service service;
	struct status status;
	int rc = 0;

	if (collect_config(dir, &config, err))
		err_clear(err);
	if (!config.stop_timeout_ns)
		config.stop_timeout_ns = STOP_TIMEOUT;
	status_init(&status, messages);
	service_init(&service, profiler, &job, manifest, &status);
	while (!rc && (command = recover_living_command(manifest)))
		rc = await_command(&service, command, err);
	for (size_t i = 0; i < manifest->commands_nr && !rc; i++)
		manifest_set_process(&manifest->commands[i], NULL);
	if (!rc && profiler_is_service(profiler) && !profiler_session_is_over(manifest))
		rc = end_session(&service, err);
	service_release(&service, true);
	config_release(&config);
	return rc;
}

/*
 * Wait for the end of the profiler's commands that still run: they could change again what is restored here. Then save
 * the trace if there may be one, or cancel the recording, and restore the system. If the trace is lost or has lost
 * events, the run is marked failed. -1: a later try can help, as rights or space are missing or a command hangs.
 */
static int recover_profiler(const char *dir, struct manifest *manifest, FILE *messages,
			    struct err *err)
{
	const struct profiler_ops *profiler = find_profiler(manifest);

	if (!profiler)
		return 0;
	if (profiler->suits(profiler))
		return recover_here(profiler, dir, manifest, messages, err);
	if (!profiler_is_service(profiler) || profiler_session_is_over(manifest))
		return 0;
	strvec_pushf(&manifest->warnings,
		     "the run was recovered on another system: its profiler may still record");
	print_line(messages, "warning: ", "%s", manifest->warnings.v[manifest->warnings.nr - 1]);
	return 0;
}

/* The build first, then the profiler, which may have much to write. */
static void end_leftovers(const struct manifest *manifest, FILE *messages)
{
	struct build_tree tree = BUILD_TREE_INIT;
	int64_t profiler = 0;

	if (!manifest->cookie || !*manifest->cookie)
		return;
	build_tree_find(manifest->cookie, 0, &tree);
	for (size_t i = 0; i < tree.nr && !profiler; i++) {
		if (manifest->recorder && text_starts_with(tree.v[i].name, manifest->recorder))
			profiler = tree.v[i].pid;
	}
	if (tree.nr)
		print_line(messages, "", "ending %zu process%s left by the recording", tree.nr,
			   tree.nr == 1 ? "" : "es");
	build_tree_release(&tree);
	build_tree_end(manifest->cookie, profiler, BUILD_GRACE_NS);
	build_tree_end(manifest->cookie, 0, PROFILER_GRACE_NS);
}

static void take_event(const struct proc_event *event, void *data)
{
	tracker_event(data, event);
}

static uint64_t list_limit(const char *dir)
{
	char *path = fs_join(dir, RUN_JOURNAL);
	uint64_t bytes = cost_of_file(path);

	free(path);
	return cost_raised(LIST_FREE + LIST_RATIO * bytes);
}

static int replay(const char *dir, struct manifest *manifest, FILE *messages, struct err *err)
{
	struct config config = CONFIG_INIT;
	const struct profiler_ops *profiler = find_profiler(manifest);
	struct tracker_options options = {
		.rules = &config.tag_rules,
		.own_script = profiler ? profiler->own_script : NULL,
		.base_ns = manifest->clock_base_ns,
		.own_execs = (int)manifest->own_execs,
	};
	struct tracker *tracker;
	int64_t damaged = 0;
	const struct process_list *list;
	const struct process *build;
	int rc;

	if (collect_config(dir, &config, err)) {
		err_wrap(err, "tagging without [tag] of the run's configuration");
		print_lines(messages, "warning: ", err->msg);
		err_clear(err);
	}
	tracker = tracker_new(&options);
	rc = journal_replay(dir, take_event, tracker, &damaged, err);
	if (!rc) {
		list = tracker_finish(tracker, &build);
		print_line(messages, "", "%zu process%s from the journal", list->nr,
			   list->nr == 1 ? "" : "es");
		rc = collect_processes(list, dir, list_limit(dir), err);
	}
	if (!rc && damaged)
		strvec_pushf(&manifest->warnings, "%lld damaged line%s of the journal left out",
			     (long long)damaged, damaged == 1 ? "" : "s");
	tracker_free(tracker);
	config_release(&config);
	return rc;
}

/* Give the trace its name back, if it was killed between the two renames of replay/distill_run.h. */
static int find_trace(const char *dir, struct err *err)
{
	if (below_find(dir, RUN_PERF_DATA) != BELOW_NOTHING ||
	    below_size(dir, RUN_STACK_COPIES) < 0)
		return 0;
	return below_rename(dir, RUN_STACK_COPIES, RUN_PERF_DATA, err);
}

/* Report the trace, as far as it was written. */
static void report_trace(const char *dir, struct manifest *manifest, FILE *messages)
{
	const struct profiler_ops *profiler = find_profiler(manifest);
	bool has_trace = profiler && profiler->trace;
	int64_t bytes = has_trace ? below_size(dir, profiler->trace) : -1;
	void *state = NULL;

	if (has_trace && bytes <= 0) {
		strvec_push(&manifest->warnings,
			    "there is no trace: the profiler had not written any");
	} else if (has_trace) {
		struct strbuf size = STRBUF_INIT;

		text_add_bytes(&size, bytes);
		print_line(messages, "", "a trace of %s", size.buf);
		strbuf_release(&size);
		if (profiler->lost)
			manifest->lost_trace_events = profiler->lost(dir, &state);
	}
	free(state);
}

/* The command of the build, or of the profiler that runs it; NULL: it was not started. */
static const struct manifest_command *find_build(const struct manifest *manifest)
{
	const struct manifest_command *found = NULL;

	for (size_t i = 0; i < manifest->commands_nr; i++) {
		const char *what = manifest->commands[i].what;

		if (!strcmp(what, "stage2") || !strcmp(what, "recorder"))
			found = &manifest->commands[i];
	}
	return found;
}

/* Had the build succeeded before the interruption? Then the run is complete. */
static bool ended_well(const struct manifest *manifest)
{
	const struct manifest_command *build = find_build(manifest);

	/* With processes that were running already there was no build. */
	return (manifest->state == RUN_STOPPING || manifest->state == RUN_COLLECTING) &&
	       (!build || !build->exit_code) && !manifest->reason;
}

static enum run_state recovered_state(struct manifest *manifest)
{
	if (manifest->state == RUN_DONE || manifest->state == RUN_FAILED)
		return manifest->state;
	if (ended_well(manifest))
		return RUN_DONE;
	if (!manifest->reason)
		manifest->reason = manifest->state < RUN_RECORDING
					   ? xasprintf("interrupted in '%s': nothing was recorded",
						       run_state_name(manifest->state))
					   : xasprintf("interrupted in '%s', and recovered",
						       run_state_name(manifest->state));
	return RUN_FAILED;
}

/* Why the processes and settings that the run names are not to be touched; NULL: they are its own. */
static const char *find_obstacle(const struct manifest *manifest, const char *dir)
{
	char *here = fs_identity(dir);
	const char *why = NULL;

	if (!owner_is_ours(dir))
		why = "the run belongs to another user";
	else if (manifest->place && (!here || !collect_is_same_place(here, manifest->place)))
		why = "the run is a copy, or was moved to another disk";
	free(here);
	return why;
}

/* The original, if this is a copy, may still be recorded. */
static void leave_alone(struct manifest *manifest, const char *why, FILE *messages)
{
	strvec_pushf(&manifest->warnings,
		     "%s: recover did not touch the processes and settings of its recording", why);
	print_line(messages, "warning: ", "%s", manifest->warnings.v[manifest->warnings.nr - 1]);
	for (size_t i = 0; i < manifest->commands_nr; i++)
		manifest_set_process(&manifest->commands[i], NULL);
	while (manifest->session_nr)
		manifest_note(manifest, manifest->session[0].key, NULL);
	settings_leave(manifest, messages);
}

/* A setting that is in use by another recording is left to a guard. */
static void restore_settings(struct manifest *manifest, FILE *messages)
{
	struct err err = ERR_INIT;
	struct guard *guard;

	/* One of a stranger, which leaves out the place, may be anywhere. */
	if (!manifest->place) {
		settings_leave(manifest, messages);
		return;
	}
	if (settings_restore(manifest, messages))
		return;
	if (guard_start(NULL, &guard, &err)) {
		err_clear(&err);
		return;
	}
	for (size_t i = 0; i < manifest->undo_nr; i++)
		guard_add_undo(guard, manifest->undo[i].path, manifest->undo[i].value);
	settings_hand_over(manifest, guard);
	guard_leave_undo(guard);
}

static int finish_partial(const char *dir, const char *final_dir, struct manifest *manifest,
			  FILE *messages, collect_symbols_fn *keep, struct err *err)
{
	const char *obstacle = find_obstacle(manifest, dir);
	struct status status;
	bool distilled = false;
	int rc = 0;

	status_init(&status, messages);
	if (obstacle) {
		leave_alone(manifest, obstacle, messages);
	} else {
		end_leftovers(manifest, messages);
		restore_settings(manifest, messages);
		rc = recover_profiler(dir, manifest, messages, err);
	}
	if (!rc)
		rc = find_trace(dir, err);
	if (!rc && manifest->state >= RUN_RECORDING && manifest->state < RUN_DONE)
		report_trace(dir, manifest, messages);
	if (!rc && below_size(dir, RUN_JOURNAL) >= 0)
		rc = replay(dir, manifest, messages, err);
	if (!rc && manifest->state >= RUN_RECORDING)
		distilled = collect_symbols(keep, &status, manifest, dir);
	if (!rc)
		rc = collect_finish(manifest, recovered_state(manifest), distilled, dir, final_dir,
				    err);
	return rc;
}

/*
 * The run's directory: as given, or "run.partial" for "run", or "run" for a "run.partial" that was recovered
 * already. The caller frees it.
 */
static char *find_dir(const char *path)
{
	char *full = fs_absolute(path), *dir = full ? full : xstrdup(path), *other;

	while (strlen(dir) > 1 && !*fs_file_name(dir))
		dir[strlen(dir) - 1] = '\0';
	if (text_ends_with(dir, RUN_PARTIAL))
		other = xstrndup(dir, strlen(dir) - strlen(RUN_PARTIAL));
	else
		other = xasprintf("%s" RUN_PARTIAL, dir);
	if (fs_is_dir(dir) || !fs_is_dir(other)) {
		free(other);
		return dir;
	}
	free(dir);
	return other;
}

static int read_manifest(const char *dir, struct manifest *manifest, struct err *err)
{
	bool has_manifest = below_find(dir, RUN_MANIFEST) != BELOW_NOTHING;

	if (!fs_is_dir(dir) || (!has_manifest && !text_ends_with(dir, RUN_PARTIAL)))
		return err_set(err, ERR_NOT_FOUND, "it is not a run directory");
	if (!has_manifest)
		return err_set(err, ERR_NOT_FOUND,
			       "it has no " RUN_MANIFEST
			       ": nothing was started yet, and the directory can be removed");
	return manifest_read(dir, manifest, err);
}

/* A run has directories and files alone. Anything else is refused before a step is taken. */
static int check_files(const char *dir, struct err *err)
{
	struct strvec files = STRVEC_INIT;
	int rc = run_dir_list(dir, &files, err);

	strvec_release(&files);
	return rc;
}

/* Processes that a recording began to start hold its lock until they run, or end: on a busy machine some time after it. */
#define LOCK_WAIT_NS (2 * NS_PER_S)
#define LOCK_LOOK_NS (NS_PER_S / 20)

static int lock_run(const char *dir, struct fs_lock **lock, struct err *err)
{
	int64_t until = clock_now() + LOCK_WAIT_NS;
	int rc;

	while ((rc = fs_lock(dir, lock, err)) && err->code == ERR_UNSUPPORTED &&
	       clock_now() < until) {
		err_clear(err);
		clock_sleep(LOCK_LOOK_NS);
	}
	return rc;
}

/* A recording that ends just now writes its manifest up to the end of its lock. */
static int open_run(const char *dir, struct fs_lock **lock, struct manifest *manifest,
		    struct err *err)
{
	int rc = fs_is_dir(dir) && text_ends_with(dir, RUN_PARTIAL) ? lock_run(dir, lock, err) : 0;

	if (!rc)
		rc = read_manifest(dir, manifest, err);
	return rc ? rc : check_files(dir, err);
}

/* Remove the incomplete bundle of a recording that was killed while packing; a stranger's run has none here. */
static int remove_begun_bundle(const char *final_dir, const struct manifest *manifest,
			       struct err *err)
{
	char *dir = fs_dirname(final_dir),
	     *name = xasprintf("%s.zip" RUN_PARTIAL, fs_file_name(final_dir)),
	     *path = fs_join(dir, name);
	int rc = 0;

	if (collect_was_recorded_here(manifest, final_dir) && below_find(dir, name) == BELOW_FILE &&
	    owner_is_ours(path))
		rc = below_remove(dir, name, err);
	free(path);
	free(name);
	free(dir);
	return rc;
}

/* Earlier versions noted in a complete run what could not be restored, as another recording used it. */
static int finish_settings(const char *dir, struct manifest *manifest, FILE *messages,
			   struct err *err)
{
	if (!manifest->undo_nr)
		return 0;
	if (find_obstacle(manifest, dir))
		settings_leave(manifest, messages);
	else
		restore_settings(manifest, messages);
	return manifest_write(manifest, dir, err);
}

int recover_run(const char *path, FILE *messages, collect_symbols_fn *keep, char **run_dir,
		struct err *err)
{
	char *dir = find_dir(path), *final_dir = xstrdup(dir);
	struct fs_lock *lock = NULL;
	struct manifest manifest;
	int rc;

	/* The run may be a stranger's, and so may the programs that its trace names. */
	cost_limit(dir, run_dir_bytes(dir, true));
	manifest_init(&manifest);
	rc = open_run(dir, &lock, &manifest, err);
	if (!rc && text_ends_with(dir, RUN_PARTIAL)) {
		final_dir[strlen(dir) - strlen(RUN_PARTIAL)] = '\0';
		rc = finish_partial(dir, final_dir, &manifest, messages, keep, err);
	} else if (!rc && manifest.state < RUN_DONE) {
		rc = err_set(err, ERR_UNSUPPORTED,
			     "it is incomplete ('%s'), but its name does not end in " RUN_PARTIAL
			     ": rename it back",
			     run_state_name(manifest.state));
	} else if (!rc) {
		print_line(messages, "", "'%s' is complete (%s): nothing to recover", dir,
			   run_state_name(manifest.state));
		rc = finish_settings(dir, &manifest, messages, err);
	}
	if (!rc)
		rc = remove_begun_bundle(final_dir, &manifest, err);
	if (rc)
		err_wrap(err, "cannot recover '%s'", path);
	else
		*run_dir = xstrdup(final_dir);
	fs_unlock(lock);
	manifest_release(&manifest);
	free(final_dir);
	free(dir);
	return rc;
}
