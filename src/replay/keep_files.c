#include "replay/keep_files.h"

#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/fs.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "rundir/symbol_dirs.h"
#include "symbol/id_file.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

#define NAMED_MAX 3 /* files that a message names */

struct candidate {
	const struct module *module;
	const char *from;
	int64_t bytes;
	uint64_t frames;
};

struct keeper {
	const char *dir;
	struct bundle_files *files; /* NULL: the run itself gets them */
	struct candidate *v;
	size_t nr;
	int64_t room; /* bytes that may be copied; -1: any number */
	size_t kept_nr, left_nr;
	int64_t kept_bytes, left_bytes;
	struct strbuf left; /* names of files that are left out */
};

static bool has_snapshot(struct snapshot_modules *modules, const struct trace_facts *facts,
			 int64_t pid)
{
	for (; modules->pids_nr < facts->snapshots_nr; modules->pids_nr++)
		intmap_put(&modules->pids, facts->snapshots[modules->pids_nr].pid, modules);
	return intmap_get(&modules->pids, pid) != NULL;
}

void snapshot_modules_see(struct snapshot_modules *modules, struct replay *replay,
			  const struct trace_event *event)
{
	uint32_t id;

	if (event->kind != TRACE_MAP || event->map.kernel ||
	    !has_snapshot(modules, replay_facts(replay), event->pid))
		return;
	id = module_table_intern(&replay->machine.modules, &event->map);
	ARRAY_REACH(modules->v, (size_t)id + 1, modules->nr, modules->alloc);
	modules->v[id] = true;
}

void snapshot_modules_release(struct snapshot_modules *modules)
{
	intmap_release(&modules->pids);
	free(modules->v);
}

static bool is_wanted(const struct module *module, enum keep_files files,
		      const struct build_places *places)
{
	return files == KEEP_FILES_ALL || build_places_has(places, module->path);
}

/* The name of a module's file in a run, which the caller frees; NULL: it has none. */
static char *member_name(const struct module *module)
{
	char *name = id_file_name(module), *member = NULL;

	if (name)
		member = xasprintf("%s/%s", id_file_is_pdb(module) ? RUN_PDBS : RUN_SYMBOLS, name);
	free(name);
	return member;
}

/* A file of a module that is the traced one for sure, and has all its functions. */
static bool find_file(struct replay *replay, const struct module *module,
		      struct candidate *candidate)
{
	struct module_names names;
	char *member = member_name(module);

	free(member);
	if (!member)
		return false;
	names = symbolizer_module_names(replay->symbolizer, module);
	*candidate = (struct candidate){ .module = module, .from = names.from };
	if (!names.from || names.flaw)
		return false;
	candidate->bytes = fs_size(names.from);
	return candidate->bytes > 0;
}

static bool is_in_run(const struct keeper *keeper, const struct module *module)
{
	char *member = member_name(module);
	bool is = member && below_size(keeper->dir, member) >= 0;

	free(member);
	return is;
}

static int by_frames(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->frames != y->frames)
		return x->frames < y->frames ? 1 : -1;
	return strcmp(x->module->path, y->module->path);
}

static void find_candidates(struct keeper *keeper, const struct keep_job *job,
			    enum keep_files files, const struct build_places *places)
{
	const struct snapshot_modules *snapshots = job->snapshots;
	const struct machine *machine = &job->replay->machine;
	uint64_t *frames = xcalloc(machine->modules.nr, sizeof(*frames));

	keeper->v = xcalloc(machine->modules.nr, sizeof(*keeper->v));
	for (size_t i = FRAME_FIRST; i < machine->stacks.frames_nr; i++)
		frames[machine->stacks.frames[i].module]++;
	for (size_t i = 0; i < machine->modules.nr; i++) {
		const struct module *module = &machine->modules.v[i];
		bool used = frames[i] || (i < snapshots->nr && snapshots->v[i]);

		if (!used || !is_wanted(module, files, places) || is_in_run(keeper, module) ||
		    !find_file(job->replay, module, &keeper->v[keeper->nr]))
			continue;
		keeper->v[keeper->nr++].frames = frames[i];
	}
	free(frames);
	if (keeper->nr)
		qsort(keeper->v, keeper->nr, sizeof(*keeper->v), by_frames);
}

/* Make the directories that a name leads through. */
static int make_dirs(const char *dir, const char *name, struct err *err)
{
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *part = xstrndup(name, (size_t)(slash - name));
		int rc = below_mkdir(dir, part, err);

		free(part);
		if (rc)
			return -1;
	}
	return 0;
}

/* The build may have replaced the file since it was opened. */
static int copy(const struct keeper *keeper, const struct candidate *candidate, const char *name,
		struct err *err)
{
	struct err ignored = ERR_INIT;
	char *path = fs_join(keeper->dir, name);
	int rc = make_dirs(keeper->dir, name, err);

	if (!rc)
		rc = below_copy(candidate->from, keeper->dir, name, err);
	if (!rc && id_file_check(path, candidate->module, err)) {
		below_remove(keeper->dir, name, &ignored);
		rc = err_wrap(err, "'%s' was replaced", candidate->from);
	}
	err_clear(&ignored);
	free(path);
	return rc;
}

static void leave_out(struct keeper *keeper, const struct candidate *candidate)
{
	if (keeper->left_nr < NAMED_MAX) {
		strbuf_adds(&keeper->left, keeper->left_nr ? ", " : "");
		utf8_add_printable(&keeper->left, text_file_name(candidate->from));
	}
	keeper->left_nr++;
	keeper->left_bytes += candidate->bytes;
}

/* Note it for the bundle, which reads it later. */
static int list(const struct keeper *keeper, const struct candidate *candidate, const char *name,
		struct err *err)
{
	if (id_file_check(candidate->from, candidate->module, err))
		return err_wrap(err, "'%s' was replaced", candidate->from);
	bundle_files_add(keeper->files, candidate->from, name, candidate->bytes);
	return 0;
}

/* The same file under another path. */
static bool is_taken(const struct keeper *keeper, const char *member)
{
	return keeper->files ? bundle_files_has(keeper->files, member)
			     : below_size(keeper->dir, member) >= 0;
}

static int take_one(const struct keeper *keeper, const struct candidate *candidate,
		    const char *member, struct err *err)
{
	return keeper->files ? list(keeper, candidate, member, err)
			     : copy(keeper, candidate, member, err);
}

static void keep_one(struct keeper *keeper, const struct candidate *candidate, struct strbuf *notes)
{
	char *member = member_name(candidate->module);
	struct err err = ERR_INIT;

	if (is_taken(keeper, member)) {
		free(member);
		return;
	}
	if (keeper->room >= 0 && candidate->bytes > keeper->room) {
		leave_out(keeper, candidate);
	} else if (take_one(keeper, candidate, member, &err)) {
		strbuf_addf(notes, "warning: a file with symbols is not %s: ",
			    keeper->files ? "packed" : "kept in the run");
		utf8_add_printable(notes, err.msg);
		strbuf_addc(notes, '\n');
	} else {
		keeper->kept_nr++;
		keeper->kept_bytes += candidate->bytes;
		keeper->room -= keeper->room >= 0 ? candidate->bytes : 0;
	}
	err_clear(&err);
	free(member);
}

static void explain(const struct keeper *keeper, const char *what, int64_t bytes_max,
		    struct strbuf *notes)
{
	if (keeper->kept_nr) {
		strbuf_addf(notes, "%zu %s%s %s, ", keeper->kept_nr, what,
			    keeper->kept_nr == 1 ? " is" : "s are",
			    keeper->files ? "packed that the run has not" : "kept in the run");
		text_add_bytes(notes, keeper->kept_bytes);
		strbuf_addc(notes, '\n');
	}
	if (!keeper->left_nr)
		return;
	strbuf_addf(notes, "warning: %zu %s%s left out (%s%s, ", keeper->left_nr, what,
		    keeper->left_nr == 1 ? " is" : "s are", keeper->left.buf,
		    keeper->left_nr > NAMED_MAX ? ", ..." : "");
	text_add_bytes(notes, keeper->left_bytes);
	strbuf_adds(notes, "): the run would be larger than [bundle] max-size = ");
	text_add_bytes(notes, bytes_max);
	strbuf_addc(notes, '\n');
}

/* What the run has already counts too. */
static int64_t room_in(const char *dir, int64_t bytes_max)
{
	int64_t room = bytes_max - (int64_t)run_dir_bytes(dir, true);

	return room > 0 ? room : 0;
}

static bool is_etl(const struct keep_job *job)
{
	return text_starts_with(replay_facts(job->replay)->format, "etl");
}

static enum keep_files which_files(const struct keep_job *job)
{
	if (job->options->files != KEEP_FILES_AUTO)
		return job->options->files;
	return is_etl(job) ? KEEP_FILES_BUILD : KEEP_FILES_NONE;
}

bool keep_files_wanted(const struct keep_job *job)
{
	return which_files(job) != KEEP_FILES_NONE;
}

int keep_files(const struct keep_job *job, struct strbuf *notes, struct err *err)
{
	bool etl = is_etl(job);
	struct keeper keeper = { .dir = job->dir, .files = job->files, .left = STRBUF_INIT };
	struct build_places places = BUILD_PLACES_INIT;
	enum keep_files files = which_files(job);
	int rc = 0;

	if (files == KEEP_FILES_NONE)
		return 0;
	build_places_add(&places, job->rows, job->manifest->source);
	find_candidates(&keeper, job, files, &places);
	keeper.room = room_in(job->dir, job->options->bytes_max);
	for (size_t i = 0; i < keeper.nr && !rc; i++) {
		rc = progress_show(job->replay->progress, "keeping PDBs and debug files",
				   (int64_t)i, (int64_t)keeper.nr, err);
		if (!rc)
			keep_one(&keeper, &keeper.v[i], notes);
	}
	explain(&keeper, etl ? "PDB" : "debug file", job->options->bytes_max, notes);
	build_places_release(&places);
	strbuf_release(&keeper.left);
	free(keeper.v);
	return rc;
}

static bool take_frames(void *data, struct replay *replay, const struct trace_event *event)
{
	snapshot_modules_see(data, replay, event);
	replay_add_frames(replay, event);
	return true;
}

static int play_and_list(struct replay *replay, struct keep_job *job, struct strbuf *notes,
			 struct err *err)
{
	struct snapshot_modules snapshots = { 0 };
	int rc = replay_play(replay, take_frames, &snapshots, err);

	job->replay = replay;
	job->snapshots = &snapshots;
	if (!rc)
		rc = keep_files(job, notes, err);
	if (!rc && !job->files->nr && !notes->len)
		strbuf_adds(notes, "no PDB or debug file was found that the run lacks\n");
	snapshot_modules_release(&snapshots);
	return rc;
}

static int open_and_list(struct run_source *source, struct keep_job *job, struct manifest *manifest,
			 const struct progress *progress, struct strbuf *notes, struct err *err)
{
	struct replay_options options = { .cpu = true,
					  .memory = true,
					  .touched = true,
					  .heap = true,
					  .names = true,
					  .fresh = true,
					  .progress = progress };
	struct process_list rows = PROCESS_LIST_INIT;
	struct replay replay;
	int rc = run_source_manifest(source, manifest, err);

	options.base_ns = manifest->clock_base_ns;
	if (!rc)
		rc = replay_open_run(source, &options, &rows, &replay, err);
	if (!rc) {
		job->rows = &rows;
		job->manifest = manifest;
		rc = play_and_list(&replay, job, notes, err);
		replay_close(&replay);
	}
	process_list_release(&rows);
	return rc;
}

int keep_files_for_bundle(const char *dir, const struct keep_options *options,
			  const struct progress *progress, struct bundle_files *files,
			  struct strbuf *notes, struct err *err)
{
	struct keep_job job = { .dir = dir, .options = options, .files = files };
	struct manifest manifest;
	struct run_source *source;
	int rc;

	if (run_source_open(dir, &source, err))
		return -1;
	manifest_init(&manifest);
	rc = open_and_list(source, &job, &manifest, progress, notes, err);
	manifest_release(&manifest);
	run_source_free(source);
	if (rc && (err->code == ERR_NOT_FOUND || err->code == ERR_UNSUPPORTED ||
		   err->code == ERR_CORRUPT)) {
		strbuf_adds(notes, "warning: no PDBs or debug files are searched: ");
		utf8_add_printable(notes, err->msg);
		strbuf_addc(notes, '\n');
		err_clear(err);
		rc = 0;
	}
	return rc;
}
