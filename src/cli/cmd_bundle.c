#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/result_file.h"
#include "config/settings.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "platform/output.h"
#include "platform/owner.h"
#include "platform/program.h"
#include "record/collect.h"
#include "record/status.h"
#include "replay/keep_files.h"
#include "replay/share_run.h"
#include "rundir/bundle.h"
#include "rundir/manifest.h"
#include "rundir/scrub_run.h"
#include "rundir/source.h"
#include "util/alloc.h"
#include "util/print.h"
#include "util/scrub.h"
#include "util/text.h"
#include "util/utf8.h"

/* As in the configuration's [bundle] symbols. */
static const char *const symbols_choices[] = { "none", "used", "build", "all", NULL };
enum { SYMBOLS_CHOICE_NONE, SYMBOLS_CHOICE_USED, SYMBOLS_CHOICE_BUILD, SYMBOLS_CHOICE_ALL };

struct bundle_values {
	const char *run;
	const char *output;
	bool force;
	bool scrub;
	bool without_trace;
	bool with_stack_copies;
	bool store;
	bool quiet;
	int symbols;
	bool trust;
};

static const struct opt option_rows[] = {
	{ 'o', "output", OPT_STRING, "FILE.zip",
	  "the bundle; by default RUN.zip next to the run, with --scrub RUN.public.zip",
	  offsetof(struct bundle_values, output), NULL },
	RESULT_FORCE_OPTION(struct bundle_values, force),
	{ 0, "scrub", OPT_FLAG, NULL,
	  "replace names of the host, of users and of home directories; remove environment "
	  "variables, and what the trace says about other processes",
	  offsetof(struct bundle_values, scrub), NULL },
	{ 0, "without-trace", OPT_FLAG, NULL,
	  "leave the trace out; --scrub needs it for a trace that cannot be scrubbed",
	  offsetof(struct bundle_values, without_trace), NULL },
	{ 0, "with-stack-copies", OPT_FLAG, NULL,
	  "pack stack copies too: whoever gets the bundle can read the environment of the recorded "
	  "programs, passwords too",
	  offsetof(struct bundle_values, with_stack_copies), NULL },
	{ 0, "symbols", OPT_GIVEN, "none|used|build|all",
	  "symbols to pack: none; used: the names of addresses in the trace; build, all: also "
	  "PDBs and debug files, those in the run and those of this machine that it has not, of "
	  "the build's own or of all modules; by default what is in the run",
	  offsetof(struct bundle_values, symbols), OPT_WORDS(symbols_choices) },
	{ 0, "trust", OPT_FLAG, NULL,
	  "take files of this machine also for a run that another user recorded, or that was moved "
	  "or copied: read the list of them before you pass the bundle on",
	  offsetof(struct bundle_values, trust), NULL },
	{ 0, "store", OPT_FLAG, NULL, "do not compress", offsetof(struct bundle_values, store),
	  NULL },
	QUIET_OPTION(offsetof(struct bundle_values, quiet)),
	OPT_END,
};

static const struct opt_group groups[] = { { "Options", option_rows, 0 }, OPT_GROUP_END };

static const struct opt_arg args[] = {
	{ "RUN", "a run directory", false, OPT_ONE, offsetof(struct bundle_values, run) },
	OPT_ARG_END,
};

/*
 * The names to replace are taken from the manifest, as the run may come from another machine. A recording of an earlier
 * version by sudo names root alone: its directory may belong to the user, and sudo may be used here too.
 */
static struct scrub *new_scrub(const struct manifest *manifest, const char *dir)
{
	struct scrub *scrub = scrub_new();
	char *caller = env_get("SUDO_USER"), *owner = owner_name(dir);

	scrub_add_user(scrub, manifest_host(manifest, "user"));
	scrub_add_user(scrub, manifest_host(manifest, "caller"));
	scrub_add_home(scrub, manifest_host(manifest, "home"));
	scrub_add_host(scrub, manifest_host(manifest, "hostname"));
	scrub_add_user(scrub, caller);
	scrub_add_user(scrub, owner);
	free(caller);
	free(owner);
	return scrub;
}

static void print_warnings(const struct strvec *warnings)
{
	for (size_t i = 0; i < warnings->nr; i++)
		message_print("warning: ", warnings->v[i]);
}

/* Lines that are warnings begin with that. */
static void print_notes(const char *lines)
{
	static const char warning[] = "warning: ";

	for (const char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1) {
		bool warns = text_starts_with(line, warning);
		const char *from = warns ? line + strlen(warning) : line;
		char *text = xstrndup(from, (size_t)(end - from));

		message_print(warns ? warning : "note: ", text);
		free(text);
	}
}

/* [bundle] max-size of a run; its default, if the run has no configuration that this version reads. */
static int64_t get_max_bytes(const char *dir)
{
	struct config config;
	struct err err = ERR_INIT;
	int64_t bytes = 0;

	if (!collect_config(dir, &config, &err))
		bytes = config.bundle_max_bytes;
	else
		text_parse_size(setting_find("bundle", "max-size")->fallback, 1, &bytes);
	err_clear(&err);
	config_release(&config);
	return bytes;
}

/* A run says which files of this machine are its modules, and its bundle is made to be given away. */
static int check_trust(const struct bundle_values *values, const struct manifest *manifest,
		       const char *dir, struct err *err)
{
	if (values->trust || collect_is_our_own(manifest, dir))
		return 0;
	return err_set(err, ERR_FAILED,
		       "--symbols: '%s' is no run that you recorded in this place, or others can "
		       "change it, and its trace could name any program of this machine: add "
		       "--trust, and read the list of files that the bundle gets",
		       dir);
}

/* What `--symbols build` and `all` add to the run's own. */
static int find_files(const struct bundle_values *values, const struct manifest *manifest,
		      const char *dir, const struct progress *progress, struct bundle_files *files,
		      struct strbuf *notes, struct err *err)
{
	struct keep_options options = { .files = values->symbols == SYMBOLS_CHOICE_ALL
							 ? KEEP_FILES_ALL
							 : KEEP_FILES_BUILD };

	if (values->symbols != SYMBOLS_CHOICE_BUILD && values->symbols != SYMBOLS_CHOICE_ALL)
		return 0;
	if (values->scrub) {
		strbuf_adds(notes,
			    "warning: PDBs and debug files are not packed, as they cannot be "
			    "scrubbed\n");
		return 0;
	}
	if (check_trust(values, manifest, dir, err))
		return -1;
	options.bytes_max = get_max_bytes(dir);
	return keep_files_for_bundle(dir, &options, progress, files, notes, err);
}

static int write_bundle(const struct bundle_values *values, const char *dir, const char *path,
			struct scrub **scrub, struct bundle_files *files, struct err *err)
{
	struct strvec warnings = STRVEC_INIT;
	struct strbuf notes = STRBUF_INIT;
	struct manifest manifest;
	struct status status;
	struct bundle_options options = {
		.compress = !values->store,
		.replace = values->force,
		.mode = 0600,
		.without_symbols = values->symbols == SYMBOLS_CHOICE_NONE,
		.names_only = values->symbols == SYMBOLS_CHOICE_USED,
		.without_trace = values->without_trace,
		.with_stack_copies = values->with_stack_copies,
		.files = files,
		.stack_warnings = &warnings,
		.progress = &(struct progress){ &status, status_step },
	};
	int rc;

	status_init(&status, stderr);
	status_begin_steps(&status);
	manifest_init(&manifest);
	rc = manifest_read(dir, &manifest, err);
	if (!rc && manifest.state != RUN_DONE && manifest.state != RUN_FAILED)
		rc = err_set(err, ERR_UNSUPPORTED,
			     "'%s' is incomplete: run 'stagetrace recover %s' first", dir, dir);
	if (!rc) {
		if (!values->with_stack_copies)
			options.mode = collect_file_mode(&manifest, dir);
		if (values->scrub)
			*scrub = options.scrub = new_scrub(&manifest, dir);
		if (values->scrub)
			rc = scrub_reserve_run(*scrub, dir, err);
		if (!rc)
			rc = find_files(values, &manifest, dir, options.progress, files, &notes,
					err);
		if (!rc)
			rc = share_run(dir, path, &options, err);
	}
	status_wipe(&status);
	if (!rc) {
		print_warnings(&warnings);
		print_notes(notes.buf);
	}
	strvec_release(&warnings);
	strbuf_release(&notes);
	manifest_release(&manifest);
	return rc;
}

/* Before a trace is rewritten. */
static int check_place(const struct bundle_values *values, const char *dir, const char *path,
		       struct err *err)
{
	struct strvec inputs = STRVEC_INIT;
	int rc;

	strvec_push(&inputs, dir);
	rc = output_check(path, OUTPUT_PRIVATE | (values->force ? OUTPUT_REPLACE : 0), &inputs,
			  err);
	strvec_release(&inputs);
	return rc ? err_wrap(err, "cannot bundle '%s'", dir) : 0;
}

static void print_removed(const struct scrub *scrub)
{
	size_t nr;
	const struct scrub_removed *list = scrub_list(scrub, &nr);

	print_textf(stdout, "%s\n", nr ? "removed or replaced:" : "nothing had to be removed");
	for (size_t i = 0; i < nr; i++)
		print_textf(stdout, "%10llu  %s\n", (unsigned long long)list[i].count,
			    list[i].what);
	print_text(stdout,
		   "kept: names of programs, directories, functions and crates, arguments, and\n"
		   "what the build printed, even a password there: read logs/ and\n"
		   "processes.jsonl before you publish\n");
}

/* For whoever passes the bundle on. */
static void print_files(const struct bundle_files *files)
{
	struct strbuf size = STRBUF_INIT, path = STRBUF_INIT;

	if (files->nr)
		print_text(stdout, "files of this machine in it:\n");
	for (size_t i = 0; i < files->nr; i++) {
		strbuf_set_len(&size, 0);
		strbuf_set_len(&path, 0);
		text_add_bytes(&size, files->v[i].size);
		utf8_add_printable(&path, files->v[i].from);
		print_textf(stdout, "%10s  %s\n", size.buf, path.buf);
	}
	strbuf_release(&size);
	strbuf_release(&path);
}

static int run_bundle(const void *data, struct err *err)
{
	const struct bundle_values *values = data;
	char *dir = fs_absolute(values->run), *path;
	struct strbuf text = STRBUF_INIT, shown = STRBUF_INIT;
	struct bundle_files files = BUNDLE_FILES_INIT;
	struct scrub *scrub = NULL;
	int rc;

	if (values->quiet)
		message_set_quiet();
	if (values->scrub && values->with_stack_copies) {
		free(dir);
		return err_set(err, ERR_USAGE,
			       "--scrub and --with-stack-copies exclude each other");
	}
	if (dir && !fs_is_dir(dir) && run_source_takes(dir)) {
		err_set(err, ERR_USAGE,
			"'%s' is a bundle, not a run directory: unpack it (unzip), and bundle "
			"the directory",
			values->run);
		free(dir);
		return -1;
	}
	if (!dir || !fs_is_dir(dir)) {
		err_set(err, ERR_NOT_FOUND,
			dir ? "'%s' is not a run directory" : "there is no run '%s'", values->run);
		free(dir);
		return -1;
	}
	path = values->output ? xstrdup(values->output)
			      : xasprintf("%s%s.zip", dir, values->scrub ? ".public" : "");
	interrupt_catch();
	/* The run may be a stranger's. */
	cost_limit(values->run, run_dir_bytes(dir, true));
	rc = check_place(values, dir, path, err);
	if (!rc)
		rc = write_bundle(values, dir, path, &scrub, &files, err);
	if (!rc && values->with_stack_copies)
		message_print("warning: ",
			      "stack copies are packed, which hold the environment of the recorded "
			      "programs: whoever gets the bundle can read it (docs/stacks.md)");
	if (!rc) {
		text_add_bytes(&text, fs_size(path));
		utf8_add_printable(&shown, path);
		print_textf(stdout, "%s, %s\n", shown.buf, text.buf);
		strbuf_release(&shown);
	}
	if (!rc)
		print_files(&files);
	if (!rc && scrub)
		print_removed(scrub);
	bundle_files_release(&files);
	scrub_free(scrub);
	strbuf_release(&text);
	free(path);
	free(dir);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command bundle_command = {
	.name = "bundle",
	.summary = "pack a run into one zip file",
	.details =
		"Packs everything that is needed to read and repeat the run into one zip "
		"file (zip64 above 4 GB), which unzip and Windows Explorer open. Every view reads "
		"a bundle "
		"directly. Each file is compared with its checksum in the manifest. "
		"A trace with stack copies, which hold the environment of the recorded programs, "
		"is distilled in the bundle. With --scrub private names are removed from all "
		"files, the trace too; all numbers stay.\n\n"
		"--scrub keeps names of programs, directories, functions and crates, arguments, "
		"and "
		"what "
		"the build printed, even a password there: read logs/ and processes.jsonl before "
		"you publish.",
	.syntax = { groups, args, sizeof(struct bundle_values) },
	.examples = { { "Pack a run into run.zip", "stagetrace bundle run" },
		      { "Without private names, for a public bug report",
			"stagetrace bundle run --scrub -o public.zip" } },
	.run = run_bundle,
};
