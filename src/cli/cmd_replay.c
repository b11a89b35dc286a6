#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/recording.h"
#include "config/values.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "platform/jobserver.h"
#include "platform/shell.h"
#include "record/collect.h"
#include "record/compiler_call.h"
#include "record/plan.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "util/alloc.h"
#include "util/ascii.h"
#include "util/print.h"
#include "util/text.h"

#define TIMES_MAX 1000
#define JOBS_MAX  1000

struct replay_values {
	const char *run;
	const char *crate;
	const char *part;
	int64_t pid;
	const char *with;
	int64_t times;
	int64_t jobs;
	const char *outputs;
	bool trust;
	struct recording_values recording;
};

static const struct opt call_rows[] = {
	{ 0, "crate", OPT_STRING, "NAME", "the crate that is compiled",
	  offsetof(struct replay_values, crate), NULL },
	{ 0, "part", OPT_STRING, "PART", "the call in this part of the build, such as stage2-std",
	  offsetof(struct replay_values, part), NULL },
	{ 0, "pid", OPT_NUMBER, "PID", "the call with this process id in the run",
	  offsetof(struct replay_values, pid), NULL },
	{ 0, "with", OPT_STRING, "RUSTC", "another compiler, instead of the recorded one",
	  offsetof(struct replay_values, with), NULL },
	{ 0, "times", OPT_NUMBER, "N", "record it N times, a run each; then a table compares them",
	  offsetof(struct replay_values, times), NULL },
	{ 0, "jobs", OPT_NUMBER, "N",
	  "how many threads may compile at once; by default as many as the recorded machine had "
	  "processors",
	  offsetof(struct replay_values, jobs), NULL },
	{ 0, "outputs", OPT_STRING, "DIR",
	  "keep what the compiler writes in this new directory; by default it is removed",
	  offsetof(struct replay_values, outputs), NULL },
	{ 0, "trust", OPT_FLAG, NULL,
	  "run the command of a run that another user recorded, or that was moved or copied: look "
	  "at it with --dry-run first",
	  offsetof(struct replay_values, trust), NULL },
	OPT_END,
};

static const struct opt recording_rows[] = {
	RECORDING_OPTIONS(
		"; by default runs in the working directory",
		"override a setting of the run's configuration; a path is relative to RUN"),
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "The call", call_rows, 0 },
	{ "Recording", recording_rows, offsetof(struct replay_values, recording) },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "RUN", "a run directory, or a bundle", false, OPT_ONE,
	  offsetof(struct replay_values, run) },
	OPT_ARG_END,
};

/* A call that is run again, from the run to the table. */
struct call_replay {
	const struct replay_values *values;
	char *path; /* of the run; NULL: it does not exist */
	struct run_source *source;
	struct manifest manifest;
	struct process_list processes;
	const struct process *recorded;
	struct strbuf config; /* what counts of the run's config.ini */
	char *compiler;       /* --with, absolute; NULL */
	char *dir;            /* holds what is needed while the compiler runs */
	char *outputs;
	struct compiler_call call;
	bool own; /* we recorded the run where it is */
	bool trusted;
	struct jobserver *jobserver;
	struct strvec runs; /* that were made */
};

static int check_values(const struct replay_values *values, struct err *err)
{
	if (!values->crate && !values->pid)
		return err_set(err, ERR_USAGE, "which call? Give --crate, or --pid");
	if (values->times > TIMES_MAX)
		return err_set(err, ERR_USAGE, "--times is %d at most", TIMES_MAX);
	if (values->jobs > JOBS_MAX)
		return err_set(err, ERR_USAGE, "--jobs is %d at most", JOBS_MAX);
	return 0;
}

/* A run says what is executed here. */
static int check_trust(struct call_replay *replay, struct err *err)
{
	const char *path = run_source_path(replay->source);

	replay->own = collect_is_our_own(&replay->manifest, path);
	replay->trusted = replay->values->trust || replay->own;
	if (replay->trusted || replay->values->recording.dry_run)
		return 0;
	return err_set(err, ERR_FAILED,
		       "'%s' is no run that you recorded in this place, or others can change it, "
		       "and its command could be anything: look at it with --dry-run, then add "
		       "--trust",
		       path);
}

static bool is_of_build(const struct config_entry *entry)
{
	return strcmp(entry->section, "record") != 0 && strcmp(entry->section, "tag") != 0 &&
	       strcmp(entry->section, "bundle") != 0;
}

/* The settings of the recording, not those of the build: a call has its own variables. */
static int read_settings(struct call_replay *replay, struct err *err)
{
	struct config settings = CONFIG_INIT;
	int rc = run_source_settings(replay->source, &settings, err);

	if (!rc) {
		config_remove_entries(&settings, is_of_build);
		if (!replay->own)
			recording_drop_strangers(&settings);
		config_add_entries(&settings, &replay->config);
	}
	config_release(&settings);
	return rc;
}

static int open_run(struct call_replay *replay, struct err *err)
{
	struct compiler_choice choice = {
		.crate = replay->values->crate,
		.part = replay->values->part,
		.pid = replay->values->pid,
	};
	struct strbuf several = STRBUF_INIT;
	int64_t damaged;
	int rc;

	/* Without links, which could lead to another run when it is looked at again. */
	replay->path = fs_absolute(replay->values->run);
	if (run_source_open(replay->path ? replay->path : replay->values->run, &replay->source,
			    err))
		return -1;
	/* Until the recording starts, as for a view. */
	cost_limit(run_source_path(replay->source), run_source_stored_bytes(replay->source));
	if (run_source_manifest(replay->source, &replay->manifest, err) ||
	    run_source_processes(replay->source, &replay->processes, &damaged, NULL, err))
		return -1;
	rc = compiler_call_find(&replay->processes, &choice, &replay->recorded, &several, err);
	message_print_buf("", &several);
	if (rc || check_trust(replay, err))
		return -1;
	return read_settings(replay, err);
}

static int find_compiler(struct call_replay *replay, struct err *err)
{
	const char *with = replay->values->with;
	char *found;

	if (!with)
		return 0;
	found = fs_find_program(with);
	if (found)
		replay->compiler = value_program_path(found);
	free(found);
	if (!replay->compiler)
		return err_set(err, ERR_FAILED, "--with: there is no program '%s'", with);
	return 0;
}

/* Where the outputs go; nothing is made yet. */
static int name_outputs(struct call_replay *replay, struct err *err)
{
	const char *outputs = replay->values->outputs;

	if (outputs && fs_exists(outputs))
		return err_set(err, ERR_FAILED, "--outputs: '%s' exists", outputs);
	if (outputs) {
		replay->outputs = value_absolute_path(outputs);
		return 0;
	}
	replay->dir = fs_temp_dir(err);
	if (!replay->dir)
		return -1;
	replay->outputs = fs_join(replay->dir, "outputs");
	return 0;
}

static int jobs_of(const struct call_replay *replay)
{
	int64_t jobs = replay->values->jobs;

	if (!jobs)
		jobs = manifest_host_number(&replay->manifest, "cpus");
	return jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : (int)jobs;
}

/* Directories and a jobserver of its own for each call, so that all of them do the same. */
static int prepare(struct call_replay *replay, struct err *err)
{
	if (!replay->dir)
		replay->dir = fs_temp_dir(err);
	if (!replay->dir)
		return -1;
	jobserver_free(replay->jobserver);
	replay->jobserver = NULL;
	if (replay->runs.nr && fs_remove_tree(replay->outputs, err))
		return -1;
	return fs_mkdir_new(replay->outputs, err) ||
			       jobserver_new(replay->dir, jobs_of(replay), &replay->jobserver, err)
		       ? -1
		       : 0;
}

/* A configuration's value has no blanks at its ends and no control characters. */
static bool can_set(const char *pair)
{
	const char *value = strchr(pair, '=') + 1;
	size_t len = strlen(value);

	if (len && (strchr(" \t", value[0]) || strchr(" \t", value[len - 1])))
		return false;
	for (; *value; value++)
		if ((unsigned char)*value < ' ')
			return false;
	return true;
}

/* The settings of the run, then those of this call, then the user's. */
static void add_changes(struct call_replay *replay, struct config_changes *changes)
{
	const struct replay_values *values = replay->values;
	const char *crate = replay->recorded->tag.crate;
	/* As it was looked for and shown: a path in the run's configuration would be one in the run. */
	char *cwd = value_absolute_path(replay->recorded->cwd);
	struct strvec env = STRVEC_INIT;

	strvec_push_all(&changes->command, &replay->call.argv);
	strvec_pushf(&changes->set, "run.name=replay-%s", crate ? crate : "rustc");
	strvec_pushf(&changes->set, "run.source=%s", cwd);
	strvec_push(&changes->set, "record.min-free-disk=1GB");
	strvec_push_all(&env, &replay->call.env);
	if (replay->jobserver)
		jobserver_add_env(replay->jobserver, &env);
	for (size_t i = 0; i < env.nr; i++) {
		if (can_set(env.v[i]))
			strvec_pushf(&changes->set, "stage2.env.%s", env.v[i]);
		else
			message_printf(
				"note: ",
				"variable %.*s is not set: its value has line breaks, or blanks "
				"at its ends",
				(int)strcspn(env.v[i], "="), env.v[i]);
	}
	strvec_push_all(&changes->set, &values->recording.set);
	strvec_release(&env);
	free(cwd);
}

static int write_arguments(const struct call_replay *replay, struct err *err)
{
	const char *text = replay->call.arguments;
	char *path = text ? fs_join(replay->outputs, "arguments") : NULL;
	int rc = text ? fs_write_atomic(path, text, strlen(text), err) : 0;

	free(path);
	return rc;
}

static int record_once(struct call_replay *replay, struct err *err)
{
	const char *out = replay->values->recording.out;
	struct config_changes changes = { STRVEC_INIT, STRVEC_INIT };
	struct config config = CONFIG_INIT;
	char *label = fs_join(replay->values->run, RUN_CONFIG), *run = NULL;
	int rc = write_arguments(replay, err);

	if (!rc) {
		add_changes(replay, &changes);
		rc = recording_load(label, replay->config.buf, &changes, out ? out : "runs",
				    &config, err);
	}
	if (!rc)
		rc = recording_run(&config, plan_init, &replay->values->recording, &run, err);
	if (run)
		strvec_push_nodup(&replay->runs, run);
	config_release(&config);
	strvec_release(&changes.set);
	strvec_release(&changes.command);
	free(label);
	return rc;
}

/* What would be run, without looking at anything that a stranger's run names. */
static void show_call(const struct call_replay *replay)
{
	struct strbuf lines = STRBUF_INIT;

	shell_add_comment(&lines, "the command that --trust would run and record");
	shell_add_run(&lines, replay->recorded->cwd, &replay->call.env, &replay->call.argv, NULL);
	print_text(stdout, lines.buf);
	strbuf_release(&lines);
}

/* The directory of the outputs is gone when the commands that --dry-run prints are pasted. */
static int show_recording(struct call_replay *replay, struct err *err)
{
	struct strbuf line = STRBUF_INIT;

	shell_add_mkdir(&line, replay->outputs);
	print_text(stdout, line.buf);
	strbuf_release(&line);
	return record_once(replay, err);
}

static int record_all(struct call_replay *replay, struct err *err)
{
	int64_t times = replay->values->times ? replay->values->times : 1;
	int rc = 0;

	for (int64_t i = 0; i < times && !rc; i++)
		rc = prepare(replay, err) ? -1 : record_once(replay, err);
	return rc;
}

static void add_figure(int64_t value, void (*add)(struct strbuf *sb, int64_t value), int width,
		       struct strbuf *sb)
{
	struct strbuf figure = STRBUF_INIT;

	if (value == PROCESS_UNKNOWN)
		strbuf_adds(&figure, "?");
	else
		add(&figure, value);
	strbuf_addf(sb, "%*s", width, figure.buf);
	strbuf_release(&figure);
}

static void add_row(const char *what, const struct process *process, const char *run,
		    struct strbuf *sb)
{
	strbuf_addf(sb, "  %-10s", what);
	add_figure(process->cpu_ns, text_add_duration, 9, sb);
	add_figure(process_duration(process), text_add_duration, 9, sb);
	add_figure(process->peak_rss_bytes, text_add_bytes, 10, sb);
	strbuf_addf(sb, "  %s\n", run);
}

/* The compiler among the processes of a replay: a linker may be there too. */
static const struct process *find_replayed(const struct call_replay *replay,
					   const struct process_list *list)
{
	const char *crate = replay->recorded->tag.crate;

	for (size_t i = 0; i < list->nr; i++)
		if (list->v[i]->tag.role == ROLE_RUSTC &&
		    (!crate || (list->v[i]->tag.crate && !strcmp(list->v[i]->tag.crate, crate))))
			return list->v[i];
	return NULL;
}

static int add_replayed(const struct call_replay *replay, const char *run, struct strbuf *sb,
			struct err *err)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct run_source *source = NULL;
	const struct process *process;
	int64_t damaged;
	int rc = run_source_open(run, &source, err);

	if (!rc)
		rc = run_source_processes(source, &list, &damaged, NULL, err);
	process = rc ? NULL : find_replayed(replay, &list);
	if (process)
		add_row("replayed", process, run, sb);
	process_list_release(&list);
	run_source_free(source);
	return rc;
}

static int print_table(const struct call_replay *replay, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int rc = 0;

	strbuf_addf(&sb, "\n  %-10s%9s%9s%10s  %s\n", "", "CPU", "wall", "peak RSS", "run");
	add_row("recorded", replay->recorded, run_source_path(replay->source), &sb);
	for (size_t i = 0; i < replay->runs.nr && !rc; i++)
		rc = add_replayed(replay, replay->runs.v[i], &sb, err);
	if (!rc)
		print_text(stdout, sb.buf);
	strbuf_release(&sb);
	return rc;
}

static int make_call(struct call_replay *replay, struct err *err)
{
	bool dry_run = replay->values->recording.dry_run;
	struct compiler_options options = { .look = replay->trusted, .in_line = dry_run };

	if (name_outputs(replay, err))
		return -1;
	options.compiler = replay->compiler;
	options.outputs = replay->outputs;
	if (compiler_call_make(replay->recorded, &options, &replay->call, err))
		return -1;
	for (size_t i = 0; i < replay->call.notes.nr; i++)
		message_print("note: ", replay->call.notes.v[i]);
	for (size_t i = 0; i < replay->call.missing.nr; i++)
		message_print("", replay->call.missing.v[i]);
	return 0;
}

static int replay_call(struct call_replay *replay, struct err *err)
{
	bool dry_run = replay->values->recording.dry_run;
	int rc = 0;

	if (open_run(replay, err) || find_compiler(replay, err) || make_call(replay, err))
		return -1;
	cost_lift();
	if (!replay->trusted)
		show_call(replay);
	else if (dry_run)
		rc = show_recording(replay, err);
	else if (!replay->call.missing.nr)
		rc = record_all(replay, err);
	if (!rc && replay->call.missing.nr)
		return err_set(err, ERR_FAILED, "this call cannot be run again: see above");
	if (!rc && replay->runs.nr)
		rc = print_table(replay, err);
	return rc;
}

static void release(struct call_replay *replay)
{
	struct err err = ERR_INIT;

	jobserver_free(replay->jobserver);
	if (replay->dir && fs_remove_tree(replay->dir, &err))
		message_print("warning: ", err.msg);
	err_clear(&err);
	compiler_call_release(&replay->call);
	strvec_release(&replay->runs);
	free(replay->path);
	free(replay->outputs);
	free(replay->dir);
	free(replay->compiler);
	strbuf_release(&replay->config);
	process_list_release(&replay->processes);
	manifest_release(&replay->manifest);
	run_source_free(replay->source);
}

static int run_replay(const void *data, struct err *err)
{
	struct call_replay replay = {
		.values = data,
		.processes = PROCESS_LIST_INIT,
		.config = STRBUF_INIT,
		.call = COMPILER_CALL_INIT,
		.runs = STRVEC_INIT,
	};
	int rc = check_values(data, err);

	manifest_init(&replay.manifest);
	if (!rc)
		rc = replay_call(&replay, err);
	release(&replay);
	return rc;
}

const struct command replay_command = {
	.name = "replay",
	.summary = "record one compiler call of a run again",
	.details =
		"Runs rustc with the command line, directory and variables that the run has of "
		"it, and records it with the settings of the run, as `record -- COMMAND` does. "
		"Only its outputs go to another directory. So a change of the compiler is "
		"measured in minutes, for one crate.\n\n"
		"The files that the call reads must still be there: the sources, and the crates "
		"that were built for it. What is missing is named, and nothing is started. "
		"--with needs a compiler of the same --version as the one that built them.\n\n"
		"A table at the end has CPU time, wall time and peak memory of the recorded call "
		"and of those that were made.",
	.syntax = { groups, args, sizeof(struct replay_values) },
	.examples = { { "Compile rustc_middle again as in a run, and record it",
			"stagetrace replay run --crate rustc_middle" },
		      { "Five times with the compiler as it was built again",
			"stagetrace replay run --crate rustc_middle --times 5 --with "
			"~/rust/build/host/stage1/bin/rustc" } },
	.run = run_replay,
};
