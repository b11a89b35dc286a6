#include "record/recover.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "platform/build_tree.h"
#include "platform/fs.h"
#include "record/collect.h"
#include "record/recover_recorder.h"
#include "record/settings.h"
#include "record/tracker.h"
#include "recorder/recorder.h"
#include "rundir/journal.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define BUILD_GRACE_NS    (3 * NS_PER_S)
#define RECORDER_GRACE_NS (60 * NS_PER_S)

/* The build first, then the recorder, which may have much to write. */
static void end_leftovers(const struct manifest *manifest, FILE *messages)
{
	struct build_tree tree = BUILD_TREE_INIT;
	int64_t recorder = 0;

	if (!manifest->cookie)
		return;
	build_tree_find(manifest->cookie, 0, &tree);
	for (size_t i = 0; i < tree.nr && !recorder; i++) {
		if (manifest->recorder && text_starts_with(tree.v[i].name, manifest->recorder))
			recorder = tree.v[i].pid;
	}
	if (tree.nr)
		fprintf(messages, "stagetrace: ending %zu process%s that the recording left\n",
			tree.nr, tree.nr == 1 ? "" : "es");
	build_tree_release(&tree);
	build_tree_end(manifest->cookie, recorder, BUILD_GRACE_NS);
	build_tree_end(manifest->cookie, 0, RECORDER_GRACE_NS);
}

static void take_event(const struct proc_event *event, void *data)
{
	tracker_event(data, event);
}

/* The user's own image names, from the configuration in the run. */
static void read_rules(const char *dir, struct config *config, FILE *messages)
{
	char *path = fs_join(dir, RUN_CONFIG);
	struct strvec none = STRVEC_INIT;
	struct err err = ERR_INIT;

	if (config_load(path, &none, config, &err))
		fprintf(messages,
			"stagetrace: warning: tagging without [tag] of the run's configuration: "
			"%s\n",
			err.msg);
	err_clear(&err);
	free(path);
}

static int replay(const char *dir, const char *journal, struct manifest *manifest, FILE *messages,
		  struct err *err)
{
	struct config config = CONFIG_INIT;
	const struct recorder_ops *recorder =
		manifest->recorder ? recorder_find(manifest->recorder) : NULL;
	struct tracker_options options = {
		.rules = &config.tag_rules,
		.own_script = recorder ? recorder->own_script : NULL,
		.base_ns = manifest->clock_base_ns,
		.own_execs = (int)manifest->own_execs,
	};
	struct tracker *tracker;
	int64_t damaged = 0;
	const struct process_list *list;
	const struct process *build;
	int rc;

	read_rules(dir, &config, messages);
	tracker = tracker_new(&options);
	rc = journal_replay(journal, take_event, tracker, &damaged, err);
	if (!rc) {
		list = tracker_finish(tracker, &build);
		fprintf(messages, "stagetrace: %zu process%s from the journal\n", list->nr,
			list->nr == 1 ? "" : "es");
		rc = collect_processes(list, dir, err);
	}
	if (!rc && damaged)
		strvec_pushf(&manifest->warnings, "%lld damaged lines of the journal were left out",
			     (long long)damaged);
	tracker_free(tracker);
	config_release(&config);
	return rc;
}

/* The recorder's file, as far as it was written. */
static void judge_trace(const char *dir, struct manifest *manifest, FILE *messages)
{
	const struct recorder_ops *recorder =
		manifest->recorder ? recorder_find(manifest->recorder) : NULL;
	char *path = recorder && recorder->trace ? fs_join(dir, recorder->trace) : NULL;
	void *state = NULL;

	if (path && fs_size(path) <= 0) {
		strvec_push(&manifest->warnings,
			    "there is no trace: the recorder had not written any");
	} else if (path) {
		struct strbuf size = STRBUF_INIT;

		text_add_bytes(&size, fs_size(path));
		fprintf(messages, "stagetrace: a trace of %s\n", size.buf);
		strbuf_release(&size);
		if (recorder->lost)
			manifest->lost_trace_events = recorder->lost(dir, &state);
	}
	free(state);
	free(path);
}

/* The build, or the recorder around it; NULL where it was not begun. */
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

/* Was the build over, and well, before the interruption? Then the run is as whole as any. */
static bool ended_well(const struct manifest *manifest)
{
	const struct manifest_command *build = find_build(manifest);

	/* Of processes that ran already there was no build. */
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

static int finish_partial(const char *dir, const char *final_dir, struct manifest *manifest,
			  FILE *messages, collect_symbols_fn *keep, struct err *err)
{
	char *journal = fs_join(dir, RUN_JOURNAL);
	int rc = 0;

	end_leftovers(manifest, messages);
	settings_put_back(manifest, messages);
	rc = recover_recorder(dir, manifest, messages, err);
	if (manifest->state >= RUN_RECORDING && manifest->state < RUN_DONE)
		judge_trace(dir, manifest, messages);
	if (!rc && fs_size(journal) >= 0)
		rc = replay(dir, journal, manifest, messages, err);
	free(journal);
	if (!rc && manifest->state >= RUN_RECORDING)
		collect_symbols(keep, manifest, dir, messages);
	if (!rc)
		rc = collect_finish(manifest, recovered_state(manifest), dir, final_dir, err);
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
	char *path = fs_join(dir, RUN_MANIFEST);
	int rc;

	if (!fs_is_dir(dir) || (fs_size(path) < 0 && !text_ends_with(dir, RUN_PARTIAL)))
		rc = err_set(err, ERR_NOT_FOUND, "it is no run directory");
	else if (fs_size(path) < 0)
		rc = err_set(err, ERR_NOT_FOUND,
			     "it has no " RUN_MANIFEST
			     ": nothing was started yet, and the folder can be removed");
	else
		rc = manifest_read(dir, manifest, err);
	free(path);
	return rc;
}

/* A whole run whose system setting another recording held at its end. */
static int put_back_late(const char *dir, struct manifest *manifest, FILE *messages,
			 struct err *err)
{
	if (!manifest->undo_nr || !settings_put_back(manifest, messages))
		return 0;
	return manifest_write(manifest, dir, err);
}

/* What a recording that was killed while it packed has left beside the run: RUN.zip.partial and its like. */
static int remove_begun_bundle(const char *final_dir, struct err *err)
{
	char *dir = fs_dirname(final_dir),
	     *begun = xasprintf("%s.zip" RUN_PARTIAL, fs_file_name(final_dir));
	struct strvec names = STRVEC_INIT;
	int rc = fs_list(dir, &names, err);

	for (size_t i = 0; i < names.nr && !rc; i++) {
		char *path = fs_join(dir, names.v[i]);

		if (text_starts_with(names.v[i], begun))
			rc = fs_remove(path, err);
		free(path);
	}
	strvec_release(&names);
	free(begun);
	free(dir);
	return rc;
}

int recover_run(const char *path, FILE *messages, collect_symbols_fn *keep, char **run_dir,
		struct err *err)
{
	char *dir = find_dir(path), *final_dir = xstrdup(dir);
	struct fs_lock *lock = NULL;
	struct manifest manifest;
	int rc;

	manifest_init(&manifest);
	rc = read_manifest(dir, &manifest, err);
	if (!rc && text_ends_with(dir, RUN_PARTIAL)) {
		final_dir[strlen(dir) - strlen(RUN_PARTIAL)] = '\0';
		rc = fs_lock(dir, &lock, err);
		if (!rc)
			rc = finish_partial(dir, final_dir, &manifest, messages, keep, err);
	} else if (!rc && manifest.state < RUN_DONE) {
		rc = err_set(err, ERR_UNSUPPORTED,
			     "it is not whole ('%s'), but its name does not end in " RUN_PARTIAL
			     ": give it that name again",
			     run_state_name(manifest.state));
	} else if (!rc) {
		fprintf(messages, "stagetrace: '%s' is whole (%s): nothing to recover\n", dir,
			run_state_name(manifest.state));
		rc = put_back_late(dir, &manifest, messages, err);
	}
	if (!rc)
		rc = remove_begun_bundle(final_dir, err);
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
