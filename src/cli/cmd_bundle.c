#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "platform/program.h"
#include "record/collect.h"
#include "replay/replay.h"
#include "rundir/bundle.h"
#include "rundir/manifest.h"
#include "rundir/source.h"
#include "trace/trace_reader.h"
#include "util/alloc.h"
#include "util/print.h"
#include "util/text.h"

/* As in the configuration's [bundle] symbols. */
static const char *const symbols_choices[] = { "used", "none", "all", NULL };
enum { SYMBOLS_CHOICE_USED, SYMBOLS_CHOICE_NONE };

struct bundle_values {
	const char *run;
	const char *output;
	bool scrub;
	bool store;
	int symbols;
};

static const struct opt option_rows[] = {
	{ 'o', "output", OPT_STRING, "FILE.zip",
	  "the bundle; by default RUN.zip next to the run. A file of yours is replaced",
	  offsetof(struct bundle_values, output), NULL },
	{ 0, "scrub", OPT_FLAG, NULL, "replace host name, user name and home folder in all files",
	  offsetof(struct bundle_values, scrub), NULL },
	{ 0, "symbols", OPT_CHOICE, "none|used|all",
	  "symbols to pack: used (the default) are those of addresses in the trace; all is the "
	  "same, as a run keeps no others; none leaves them out",
	  offsetof(struct bundle_values, symbols), OPT_WORDS(symbols_choices) },
	{ 0, "store", OPT_FLAG, NULL, "do not compress", offsetof(struct bundle_values, store),
	  NULL },
	OPT_END,
};

static const struct opt_group groups[] = { { "Options", option_rows, 0 }, OPT_GROUP_END };

static const struct opt_arg args[] = {
	{ "RUN", "a run directory", false, false, offsetof(struct bundle_values, run) },
	OPT_ARG_END,
};

static bool stop_on_interrupt(void *data, int64_t done, int64_t total)
{
	(void)done;
	(void)total;
	(void)data;
	return interrupt_count() == 0;
}

static const char *host_value(const struct manifest *manifest, const char *key)
{
	for (size_t i = 0; i < manifest->host_nr; i++) {
		if (!strcmp(manifest->host[i].key, key))
			return manifest->host[i].value;
	}
	return NULL;
}

/* The names to replace are taken from the manifest, as the run may come from another machine. */
static int write_bundle(const struct bundle_values *values, const char *dir, const char *path,
			struct err *err)
{
	struct manifest manifest;
	struct bundle_options options = {
		.compress = !values->store,
		.mode = collect_file_mode(dir),
		.scrub = values->scrub,
		.without_symbols = values->symbols == SYMBOLS_CHOICE_NONE,
		.progress = &(struct progress){ NULL, stop_on_interrupt },
	};
	int rc;

	manifest_init(&manifest);
	rc = manifest_read(dir, &manifest, err);
	if (!rc && manifest.state != RUN_DONE && manifest.state != RUN_FAILED)
		rc = err_set(err, ERR_UNSUPPORTED,
			     "'%s' is incomplete: run 'stagetrace recover %s' first", dir, dir);
	if (!rc) {
		options.host = host_value(&manifest, "hostname");
		options.user = host_value(&manifest, "user");
		options.home = host_value(&manifest, "home");
		rc = bundle_write(dir, path, &options, err);
	}
	manifest_release(&manifest);
	return rc;
}

/* A trace whose copies are not replaced: of a recording by an earlier version, or one that could not be distilled. */
static void warn_of_copies(const char *dir)
{
	struct trace_options options = { .threads = 1 };
	struct strvec paths = STRVEC_INIT;
	struct trace_reader *reader = NULL;
	struct run_source *source = NULL;
	struct err ignored = ERR_INIT;

	/* What cannot be read is packed as it is. */
	if (!run_source_open(dir, &source, &ignored) &&
	    !replay_find_trace(source, &paths, &ignored) &&
	    !trace_reader_open(&paths, &options, &reader, &ignored) &&
	    trace_reader_facts(reader)->has_copies)
		print_line(stderr, "warning: ",
			   "the trace has stack copies, which hold the environment of the recorded "
			   "programs: whoever gets the bundle can read it (docs/stacks.md)");
	err_clear(&ignored);
	trace_reader_free(reader);
	run_source_free(source);
	strvec_release(&paths);
}

static int run_bundle(const void *data, struct err *err)
{
	const struct bundle_values *values = data;
	char *dir = fs_absolute(values->run), *path;
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (!dir || !fs_is_dir(dir)) {
		err_set(err, ERR_NOT_FOUND,
			dir ? "'%s' is not a run directory" : "there is no run '%s'", values->run);
		free(dir);
		return -1;
	}
	path = values->output ? xstrdup(values->output) : xasprintf("%s.zip", dir);
	interrupt_catch();
	rc = write_bundle(values, dir, path, err);
	if (!rc) {
		warn_of_copies(dir);
		text_add_bytes(&text, fs_size(path));
		print_textf(stdout, "%s, %s\n", path, text.buf);
	}
	strbuf_release(&text);
	free(path);
	free(dir);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command bundle_command = {
	.name = "bundle",
	.summary = "pack a run into one zip file",
	.details = "Packs everything that is needed to read and repeat the run into one zip64 "
		   "file, which unzip and Windows Explorer open. Every view reads a bundle "
		   "directly. Each file is compared with its checksum in the manifest. "
		   "With --scrub names are replaced by others of the same length, in the trace "
		   "too, so that everything else stays readable.",
	.syntax = { groups, args, sizeof(struct bundle_values) },
	.examples = { { "Pack a run into run.zip", "stagetrace bundle run" },
		      { "Without private names, for a public bug report",
			"stagetrace bundle run --scrub -o public.zip" } },
	.run = run_bundle,
};
