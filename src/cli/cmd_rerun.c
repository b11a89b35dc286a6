#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/recording.h"
#include "platform/clock.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "record/checkout.h"
#include "record/collect.h"
#include "record/describe.h"
#include "record/differences.h"
#include "record/memory_limits.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "util/alloc.h"
#include "util/print.h"

struct rerun_values {
	const char *run;
	const char *source;
	const char *commit;
	bool anyway;
	bool trust;
	struct recording_values recording;
};

static const struct opt rerun_rows[] = {
	{ 0, "source", OPT_STRING, "DIR", "build this checkout, instead of the one of the run",
	  offsetof(struct rerun_values, source), NULL },
	{ 0, "commit", OPT_STRING, "SHA",
	  "check out this commit first; that its sources, lock files and stage 0 compiler differ "
	  "is "
	  "said, and is no reason not to start",
	  offsetof(struct rerun_values, commit), NULL },
	{ 0, "anyway", OPT_FLAG, NULL, "start although the build would differ",
	  offsetof(struct rerun_values, anyway), NULL },
	{ 0, "trust", OPT_FLAG, NULL,
	  "run the commands of a run that another user recorded, or that was moved, copied or "
	  "packed: look at them with --dry-run first",
	  offsetof(struct rerun_values, trust), NULL },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "What is built", rerun_rows, 0 },
	{ "Recording", recording_options, offsetof(struct rerun_values, recording) },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "RUN", "a run directory, or a bundle", false, OPT_ONE,
	  offsetof(struct rerun_values, run) },
	OPT_ARG_END,
};

/* A recording that is made again. */
struct rerun {
	const struct rerun_values *values;
	char *path; /* of the run; NULL: it does not exist */
	struct run_source *source;
	struct manifest then, now;
	struct strbuf settings; /* the run's config.ini */
	struct config config;
	bool own;       /* we recorded the run where it is */
	size_t changes; /* differences that are a reason not to start */
};

/* A run says what is executed here. */
static int check_trust(struct rerun *rerun, struct err *err)
{
	const char *path = run_source_path(rerun->source);

	rerun->own = collect_is_our_own(&rerun->then, path);
	if (rerun->own || rerun->values->trust || rerun->values->recording.dry_run)
		return 0;
	return err_set(err, ERR_FAILED,
		       "'%s' is no run that you recorded in this place, or others can change it, "
		       "and its commands could be anything: look at them with --dry-run, then add "
		       "--trust",
		       path);
}

static int open_run(struct rerun *rerun, struct err *err)
{
	const char *given = rerun->values->run;
	struct config settings = CONFIG_INIT;
	int rc;

	/* Without links, which could lead to another run when it is looked at again. */
	rerun->path = fs_absolute(given);
	if (run_source_open(rerun->path ? rerun->path : given, &rerun->source, err))
		return -1;
	/* Until the recording starts, as for a view. */
	cost_limit(run_source_path(rerun->source), run_source_stored_bytes(rerun->source));
	if (run_source_manifest(rerun->source, &rerun->then, err) || check_trust(rerun, err))
		return -1;
	rc = run_source_settings(rerun->source, &settings, err);
	if (!rc && !rerun->own)
		recording_drop_strangers(&settings);
	if (!rc)
		config_add_entries(&settings, &rerun->settings);
	config_release(&settings);
	return rc;
}

/* The settings of the run, then the options. A run from elsewhere names an output directory of its own machine. */
static int load(struct rerun *rerun, struct err *err)
{
	const struct rerun_values *values = rerun->values;
	struct config_changes changes = { STRVEC_INIT, STRVEC_INIT };
	const char *out = values->recording.out;
	char *label = fs_join(values->run, RUN_CONFIG);
	char *source = values->source ? fs_absolute(values->source) : NULL;
	int rc = 0;

	if (values->source && !source)
		rc = err_set(err, ERR_USAGE, "--source: there is no directory '%s'",
			     values->source);
	if (source)
		strvec_pushf(&changes.set, "run.source=%s", source);
	strvec_push_all(&changes.set, &values->recording.set);
	if (!out && !rerun->own)
		out = "runs";
	if (!rc)
		rc = recording_load(label, rerun->settings.buf, &changes, out, &rerun->config, err);
	strvec_release(&changes.set);
	free(source);
	free(label);
	return rc;
}

static int switch_commit(const struct rerun *rerun, struct err *err)
{
	const char *source = rerun->config.source;
	char *commit;
	int rc = 0;

	if (!rerun->values->commit)
		return 0;
	commit = source ? checkout_find_commit(source, rerun->values->commit) : NULL;
	if (!commit)
		return err_set(err, ERR_USAGE, "--commit: '%s' has no commit '%s'",
			       source ? source : "nothing", rerun->values->commit);
	if (rerun->values->recording.dry_run)
		message_printf("note: ", "without --dry-run commit %s would be checked out now",
			       commit);
	else
		rc = checkout_switch(source, commit, err);
	free(commit);
	return rc;
}

static void say_difference(void *data, enum difference kind, const char *text)
{
	struct rerun *rerun = data;
	bool changes =
		kind == DIFFERENCE_BUILD || (kind == DIFFERENCE_SOURCES && !rerun->values->commit);

	rerun->changes += changes;
	if (kind == DIFFERENCE_LIMIT)
		message_printf("warning: ",
			       "differs: %s: the build may fail, or do less at a time, for want of "
			       "memory",
			       text);
	else
		message_printf(changes ? "" : "note: ", "differs: %s", text);
}

static int describe_now(struct rerun *rerun, struct err *err)
{
	struct strvec notes = STRVEC_INIT;
	struct record_plan plan;

	if (plan_init(&plan, &rerun->config, rerun->values->recording.skip_stage1, clock_wall(),
		      err))
		return -1;
	describe_given(&plan, NULL, &rerun->now, &notes);
	describe_made(&plan, &rerun->now);
	memory_limits_begin(&rerun->now);
	strvec_release(&notes);
	plan_release(&plan);
	return 0;
}

/* Say each difference. -1: the build would differ, and is not to be started. */
static int compare(struct rerun *rerun, struct err *err)
{
	if (describe_now(rerun, err))
		return -1;
	if (!rerun->then.build.nr)
		message_print("note: ", "the run is of an earlier version: of what decides its "
					"build only the commit is known");
	differences_find(&rerun->then, &rerun->now, DIFFERENCES_GIVEN, say_difference, rerun);
	differences_find(&rerun->then, &rerun->now, DIFFERENCES_MADE, say_difference, rerun);
	if (!rerun->changes) {
		message_print("note: ", "nothing that changes the build differs, as far as the run "
					"says");
		return 0;
	}
	if (run_source_has(rerun->source, RUN_SOURCE_DIFF))
		message_print("note: ",
			      "the run was of a checkout with changes: its file " RUN_SOURCE_DIFF
			      " has them, for `git apply`");
	if (rerun->values->anyway || rerun->values->recording.dry_run)
		return 0;
	return err_set(
		err, ERR_FAILED,
		"nothing was started: %zu difference%s, listed above, change%s the build: undo "
		"%s, or add --anyway",
		rerun->changes, rerun->changes == 1 ? "" : "s", rerun->changes == 1 ? "s" : "",
		rerun->changes == 1 ? "it" : "them");
}

static void warn_of_made(void *data, enum difference kind, const char *text)
{
	(void)data;
	(void)kind;
	message_printf("warning: ", "differs from the earlier run: %s", text);
}

/* What stage 1 has made or downloaded is known only now. */
static int check_made(const struct rerun *rerun, const char *run, struct err *err)
{
	struct manifest made;
	int rc = manifest_read(run, &made, err);

	if (!rc)
		differences_find(&rerun->then, &made, DIFFERENCES_MADE, warn_of_made, NULL);
	manifest_release(&made);
	return rc;
}

static int record_again(struct rerun *rerun, struct err *err)
{
	struct err ignored = ERR_INIT;
	char *run = NULL;
	int rc;

	cost_lift();
	rc = recording_run(&rerun->config, plan_init, &rerun->values->recording, &run, err);
	if (run && check_made(rerun, run, &ignored))
		message_print("warning: ", ignored.msg);
	err_clear(&ignored);
	free(run);
	return rc;
}

/* What would be run, without looking at anything that a stranger's run names. */
static int show_commands(struct rerun *rerun, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct record_plan plan;

	rerun->config.unseen = true;
	if (plan_init(&plan, &rerun->config, rerun->values->recording.skip_stage1, clock_wall(),
		      err))
		return -1;
	plan_add_commands(&plan, &text);
	print_text(stdout, text.buf);
	plan_release(&plan);
	strbuf_release(&text);
	return 0;
}

static int make_again(struct rerun *rerun, struct err *err)
{
	if (!rerun->own && !rerun->values->trust)
		return show_commands(rerun, err);
	if (switch_commit(rerun, err) || compare(rerun, err))
		return -1;
	return record_again(rerun, err);
}

static int run_rerun(const void *data, struct err *err)
{
	struct rerun rerun = { .values = data, .settings = STRBUF_INIT, .config = CONFIG_INIT };
	int rc;

	manifest_init(&rerun.then);
	manifest_init(&rerun.now);
	rc = open_run(&rerun, err);
	if (!rc)
		rc = load(&rerun, err);
	if (!rc)
		rc = make_again(&rerun, err);
	manifest_release(&rerun.then);
	manifest_release(&rerun.now);
	strbuf_release(&rerun.settings);
	config_release(&rerun.config);
	run_source_free(rerun.source);
	free(rerun.path);
	return rc;
}

const struct command rerun_command = {
	.name = "rerun",
	.summary = "make the same recording again, if the build is still the same",
	.details =
		"Records with the config.ini of a run. First it compares what decides a build, as "
		"the run has it, with what is here now: commit, changes, submodules, tools, "
		"variables, number of jobs, lock files, the stage 0 compiler and LLVM from CI. "
		"Each difference is said; if one changes the build, nothing is started, and the "
		"exit code is 1. Differences of the machine are said only, with a warning where "
		"less memory may be used.",
	.syntax = { groups, args, sizeof(struct rerun_values) },
	.examples = { { "What would differ today, and which commands would run?",
			"stagetrace rerun run --dry-run" },
		      { "The same recording of another checkout",
			"stagetrace rerun run --source ~/rust --anyway" } },
	.run = run_rerun,
};
