#include "cli/recording.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "config/shipped.h"
#include "config/values.h"
#include "platform/clock.h"
#include "platform/cost.h"
#include "record/recording.h"
#include "replay/keep_symbols.h"
#include "replay/share_run.h"
#include "util/alloc.h"
#include "util/print.h"

const struct opt recording_options[] = {
	RECORDING_OPTIONS(
		", instead of [run] output",
		"override a setting; a path is relative to the configuration's directory"),
	{ 0, "skip-stage1", OPT_FLAG, NULL, "stage 1 is built already",
	  offsetof(struct recording_values, skip_stage1), NULL },
	OPT_END,
};

static const char *const level_names[] = {
	[FINDING_OK] = "ok",
	[FINDING_NOTE] = "note",
	[FINDING_WARNING] = "warning",
	[FINDING_ERROR] = "error",
};

/* Print a text whose later lines are indented like the first. */
static void print_indented(const char *label, const char *text, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "         %s", label);
	for (; *text; text++) {
		strbuf_addc(&sb, *text);
		if (*text == '\n')
			strbuf_addf(&sb, "         %*s", (int)strlen(label), "");
	}
	print_textf(out, "%s\n", sb.buf);
	strbuf_release(&sb);
}

static void print_finding(const struct finding *finding, FILE *out)
{
	print_textf(out, "%-8s %s\n", level_names[finding->level], finding->what);
	if (finding->why)
		print_indented("why: ", finding->why, out);
	if (finding->remedy)
		print_indented("do:  ", finding->remedy, out);
}

void recording_print_findings(const struct finding_list *findings, bool all, FILE *out)
{
	for (int level = all ? FINDING_OK : FINDING_WARNING; level <= FINDING_ERROR; level++) {
		for (size_t i = 0; i < findings->nr; i++) {
			if ((int)findings->v[i].level == level)
				print_finding(&findings->v[i], out);
		}
	}
	fflush(out);
}

/* In an INI file a relative path is relative to the directory of the file. */
static void set_output(struct strvec *set, const char *path)
{
	char *full = value_absolute_path(path);

	strvec_pushf(set, "run.output=%s", full);
	free(full);
}

int recording_load(const char *path, const char *text, const struct config_changes *changes,
		   const char *out, struct config *config, struct err *err)
{
	struct config_changes all = { STRVEC_INIT, STRVEC_INIT };
	char *found;
	int rc;

	if (out && !*out)
		return err_set(err, ERR_USAGE, "--out names no directory");
	found = text ? xstrdup(path) : shipped_find_config(path);
	/* Runs of a configuration that came with the program are in `runs` here, not next to it. */
	if (strcmp(found, path) != 0) {
		message_printf("note: ", "there is no '%s' here: using '%s'", path, found);
		set_output(&all.set, "runs");
	}
	strvec_push_all(&all.command, &changes->command);
	strvec_push_all(&all.set, &changes->set);
	if (out)
		set_output(&all.set, out);
	if (text)
		rc = config_load_text(path, text, strlen(text), &all, config, err);
	else
		rc = config_load(found, &all, config, err);
	if (rc && err->code != ERR_CONFIG)
		err->code = ERR_USAGE;
	strvec_release(&all.command);
	strvec_release(&all.set);
	free(found);
	return rc;
}

static bool is_of_machine(const struct config_entry *entry)
{
	return !strcmp(entry->section, "bundle") ||
	       (!strcmp(entry->section, "record") &&
		(!strcmp(entry->key, "temp") || !strcmp(entry->key, "wpr-profile")));
}

void recording_drop_strangers(struct config *settings)
{
	size_t before = settings->entries_nr;

	config_remove_entries(settings, is_of_machine);
	if (settings->entries_nr < before)
		message_print("note: ",
			      "[bundle], [record] temp and wpr-profile of the run are not used: "
			      "another's run does not choose files of this machine and who reads "
			      "them; --set does");
}

static void print_summary(const char *run_dir, const char *bundle, FILE *out)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (summary_add(run_dir, bundle, &text, &err))
		message_print("warning: ", err.msg);
	print_text(out, text.buf);
	fflush(out);
	err_clear(&err);
	strbuf_release(&text);
}

int recording_run(const struct config *config, plan_init_fn *init,
		  const struct recording_values *values, char **run, struct err *err)
{
	struct record_plan plan;
	struct record_options options = {
		.bundle = !values->no_bundle,
		.verbose = values->verbose,
		.messages = stderr,
		.keep_symbols = keep_symbols,
		.pack = share_run,
	};
	struct finding_list findings = FINDING_LIST_INIT;
	struct strbuf text = STRBUF_INIT;
	char *run_dir = NULL, *bundle = NULL;
	int rc;

	if (run)
		*run = NULL;
	if (init(&plan, config, values->skip_stage1, clock_wall(), err))
		return -1;
	plan_check(&plan, &findings);
	recording_print_findings(&findings, false, stderr);
	if (values->dry_run) {
		plan_add_commands(&plan, &text);
		print_text(stdout, text.buf);
		rc = finding_has(&findings, FINDING_ERROR)
			     ? err_set(err, ERR_FAILED,
				       "this recording would not start: see the errors above")
			     : EXIT_CODE_DONE;
	} else if (finding_has(&findings, FINDING_ERROR)) {
		rc = err_set(err, ERR_FAILED, "nothing was started: see the errors above");
	} else {
		cost_trust();
		rc = record_run(&plan, &options, &run_dir, &bundle, err);
		if (run_dir)
			print_summary(run_dir, bundle, values->aside ? stderr : stdout);
	}
	finding_list_release(&findings);
	plan_release(&plan);
	strbuf_release(&text);
	if (run)
		*run = run_dir;
	else
		free(run_dir);
	free(bundle);
	return rc;
}
