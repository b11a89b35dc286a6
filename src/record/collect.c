#include "record/collect.h"

#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/fs.h"
#include "platform/owner.h"
#include "profiler/profiler.h"
#include "rundir/hash.h"
#include "rundir/layout.h"
#include "rundir/open_script.h"
#include "rundir/processes.h"
#include "rundir/source.h"
#include "rundir/symbol_dirs.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/print.h"
#include "util/text.h"

int collect_processes(const struct process_list *list, const char *dir, uint64_t limit,
		      struct err *err)
{
	int rc = processes_write(list, dir, limit, err);

	return rc ? rc : below_remove(dir, RUN_JOURNAL, err);
}

/*
 * Lost events of a service are a failure, as larger buffers prevent them. perf may lose some on a busy machine,
 * which is a warning.
 */
static void report_lost(struct manifest *manifest, const char *dir, FILE *messages)
{
	const struct profiler_ops *profiler =
		manifest->recorder ? profiler_find(manifest->recorder) : NULL;
	bool service = profiler_is_service(profiler);
	char *text = NULL;

	if (manifest->lost_trace_events > 0)
		text = xasprintf("the profiler lost %lld event%s, so sizes and times are too low: "
				 "raise [record] buffers%s",
				 (long long)manifest->lost_trace_events,
				 manifest->lost_trace_events == 1 ? "" : "s",
				 service ? ", or set [record] temp to a directory on a faster disk"
					 : "");
	else if (service && manifest->lost_trace_events < 0 &&
		 below_size(dir, profiler->trace) >= 0)
		text = xasprintf(
			"it is unknown whether events were lost: neither %s nor its trace says so",
			profiler->name);
	if (text && service && manifest->lost_trace_events > 0 && !manifest->reason) {
		manifest->reason = text;
	} else if (text) {
		print_line(messages, "warning: ", "%s", text);
		strvec_push_nodup(&manifest->warnings, text);
	}
}

int collect_config(const char *dir, struct config *config, struct err *err)
{
	char *path = fs_join(dir, RUN_CONFIG);
	struct strbuf text = STRBUF_INIT;
	int rc = below_read(dir, RUN_CONFIG, CONFIG_MAX, &text, err);

	*config = (struct config)CONFIG_INIT;
	if (!rc)
		rc = config_load_text(path, text.buf, text.len, NULL, config, err);
	strbuf_release(&text);
	free(path);
	return rc;
}

/* Files of this machine are copied only into a run that this user has recorded here: its configuration asks for them. */
static struct keep_options keep_options_of(const struct manifest *manifest, const char *dir)
{
	static const enum keep_files files[] = {
		[SYMBOLS_AUTO] = KEEP_FILES_AUTO, [SYMBOLS_NONE] = KEEP_FILES_NONE,
		[SYMBOLS_USED] = KEEP_FILES_NONE, [SYMBOLS_BUILD] = KEEP_FILES_BUILD,
		[SYMBOLS_ALL] = KEEP_FILES_ALL,
	};
	struct keep_options options = { .files = KEEP_FILES_NONE };
	struct config config;
	struct err err = ERR_INIT;

	if (!collect_config(dir, &config, &err)) {
		options.copies = config.keep_stack_copies;
		options.bytes_max = config.bundle_max_bytes;
		if (collect_was_recorded_here(manifest, dir))
			options.files = files[config.symbols];
	}
	err_clear(&err);
	config_release(&config);
	return options;
}

static bool keep_names(collect_symbols_fn *keep, struct status *status, struct manifest *manifest,
		       const char *dir)
{
	const struct progress progress = { status, status_step };
	const struct keep_options options = keep_options_of(manifest, dir);
	struct strbuf notes = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool distilled = false;
	int64_t lost = -1;
	int rc;

	print_line(status->out, "", "keeping the names of the trace's functions");
	status_begin_steps(status);
	rc = keep(dir, &options, &progress, &notes, manifest, &lost, &distilled, &err);
	status_wipe(status);
	print_lines(status->out, "", notes.buf);
	if (rc) {
		err_wrap(&err, "the names of the trace's functions were not kept");
		print_line(status->out, "warning: ", "%s", err.msg);
		strvec_push(&manifest->warnings, err.msg);
	}
	/*
	 * The two counts differ: events lost at the end are only in the trace, and some losses only in the count taken
	 * while recording. The higher one is kept.
	 */
	if (lost > manifest->lost_trace_events)
		manifest->lost_trace_events = lost;
	err_clear(&err);
	strbuf_release(&notes);
	return distilled;
}

bool collect_symbols(collect_symbols_fn *keep, struct status *status, struct manifest *manifest,
		     const char *dir)
{
	bool distilled = keep && keep_names(keep, status, manifest, dir);

	report_lost(manifest, dir, status->out);
	return distilled;
}

/* List every file of the run (but the manifest) with size and SHA-256 in the manifest. */
static int list_files(struct manifest *manifest, const char *dir, struct err *err)
{
	struct strvec files = STRVEC_INIT;
	int rc = below_list(dir, &files, err);

	manifest_drop_files(manifest);
	for (size_t i = 0; i < files.nr && !rc; i++) {
		char hash[HASH_TEXT_SIZE];
		int64_t size;

		if (text_ends_with(files.v[i], RUN_PARTIAL)) {
			/* left by a recording that was killed while writing it */
			rc = below_remove(dir, files.v[i], err);
		} else if (strcmp(files.v[i], RUN_MANIFEST)) {
			rc = hash_file(dir, files.v[i], hash, &size, err);
			if (!rc)
				manifest_add_file(manifest, files.v[i], size, hash);
		}
	}
	strvec_release(&files);
	return rc;
}

/* A run without these files can still be finished. */
static void read_processes(const char *dir, struct process_list *list)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t damaged = 0;

	if (!below_read(dir, RUN_PROCESSES, PROCESSES_MAX, &text, &err))
		processes_parse(text.buf, text.len, RUN_PROCESSES, list, &damaged, NULL);
	err_clear(&err);
	strbuf_release(&text);
}

/* For a trace that WPA reads: with the directories of the compilers that ran, which are known by now. */
static int write_open_cmd(const struct manifest *manifest, const char *dir, struct err *err)
{
	struct process_list processes = PROCESS_LIST_INIT;
	struct strvec dirs = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (below_size(dir, RUN_ETL) >= 0) {
		read_processes(dir, &processes);
		symbol_dirs_add(&processes, manifest->source, &dirs);
		open_script_add_cmd(&text, &dirs);
		rc = below_write(dir, RUN_OPEN_CMD, text.buf, text.len, err);
	}
	process_list_release(&processes);
	strvec_release(&dirs);
	strbuf_release(&text);
	return rc;
}

bool collect_is_same_place(const char *here, const char *place)
{
	size_t len = strlen(place);
	bool old = strchr(place, ':') == strrchr(place, ':');

	return !strcmp(here, place) || (old && !strncmp(here, place, len) && here[len] == ':');
}

bool collect_was_recorded_here(const struct manifest *manifest, const char *dir)
{
	char *here = fs_identity(dir);
	bool was = here && manifest->place && collect_is_same_place(here, manifest->place) &&
		   owner_is_ours(dir);

	free(here);
	return was;
}

bool collect_is_our_own(const struct manifest *manifest, const char *dir)
{
	static const char *const names[] = { "", RUN_MANIFEST, RUN_PROCESSES, RUN_CONFIG };
	char *here = fs_identity(dir);
	bool own = here && manifest->place && !strcmp(here, manifest->place);

	for (size_t i = 0; own && i < ARRAY_SIZE(names); i++) {
		char *path = *names[i] ? fs_join(dir, names[i]) : xstrdup(dir);

		own = owner_alone_changes(path);
		free(path);
	}
	free(here);
	return own;
}

int collect_file_mode(const struct manifest *manifest, const char *dir)
{
	struct config config;
	struct err err = ERR_INIT;
	int mode = 0600;

	if (!collect_config(dir, &config, &err) && collect_was_recorded_here(manifest, dir))
		mode = config_file_mode(&config);
	err_clear(&err);
	config_release(&config);
	return mode;
}

/* Some file systems have neither owners nor permissions. */
static void give(struct manifest *manifest, const char *dir, const struct owner *owner, int mode,
		 bool distilled)
{
	const char *const secret[] = { RUN_STACK_COPIES, distilled ? NULL : RUN_PERF_DATA, NULL };
	struct err err = ERR_INIT;

	if (owner_give_tree(dir, owner, mode, secret, &err))
		strvec_push(&manifest->warnings, err.msg);
	err_clear(&err);
}

static int write_manifest(struct manifest *manifest, const char *dir, const struct owner *owner,
			  int mode, struct err *err)
{
	char *path = fs_join(dir, RUN_MANIFEST);
	struct err ignored = ERR_INIT;
	int rc = manifest_write(manifest, dir, err);

	if (!rc && owner_give(path, owner, mode, &ignored))
		err_clear(&ignored);
	free(path);
	return rc;
}

int collect_finish(struct manifest *manifest, enum run_state state, bool distilled, const char *dir,
		   const char *final_dir, struct err *err)
{
	char *parent = fs_dirname(final_dir);
	struct owner owner = owner_in(parent);
	int mode = collect_file_mode(manifest, dir), rc = write_open_cmd(manifest, dir, err);

	if (!rc)
		rc = list_files(manifest, dir, err);
	if (!rc) {
		give(manifest, dir, &owner, mode, distilled);
		manifest->state = state;
		rc = write_manifest(manifest, dir, &owner, mode, err);
	}
	if (!rc && fs_exists(final_dir))
		rc = err_set(err, ERR_FAILED, "'%s' exists already; the run stays in '%s'",
			     final_dir, dir);
	if (!rc)
		rc = fs_rename(dir, final_dir, err);
	if (!rc)
		rc = fs_sync_dir(parent, err);
	free(parent);
	return rc;
}
