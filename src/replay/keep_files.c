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
	struct candidate *v;
	size_t nr;
	int64_t room; /* bytes that may be copied; -1: any number */
	size_t kept_nr, left_nr;
	int64_t kept_bytes, left_bytes;
	struct strbuf left; /* names of files that are left out */
};

static bool is_wanted(const struct module *module, enum keep_files files,
		      const struct build_places *places)
{
	return files == KEEP_FILES_ALL || build_places_has(places, module->path);
}

/* A file of a module that is the traced one for sure, and has all its functions. */
static bool find_file(struct replay *replay, const struct module *module,
		      struct candidate *candidate)
{
	struct module_names names;
	char *name = id_file_name(module);

	free(name);
	if (!name)
		return false;
	names = symbolizer_module_names(replay->symbolizer, module);
	*candidate = (struct candidate){ .module = module, .from = names.from };
	if (!names.from || names.flaw)
		return false;
	candidate->bytes = fs_size(names.from);
	return candidate->bytes > 0;
}

static int by_frames(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->frames != y->frames)
		return x->frames < y->frames ? 1 : -1;
	return strcmp(x->module->path, y->module->path);
}

static void find_candidates(struct keeper *keeper, struct replay *replay, enum keep_files files,
			    const struct build_places *places)
{
	const struct machine *machine = &replay->machine;
	uint64_t *frames = xcalloc(machine->modules.nr, sizeof(*frames));

	keeper->v = xcalloc(machine->modules.nr, sizeof(*keeper->v));
	for (size_t i = FRAME_FIRST; i < machine->stacks.frames_nr; i++)
		frames[machine->stacks.frames[i].module]++;
	for (size_t i = 0; i < machine->modules.nr; i++) {
		const struct module *module = &machine->modules.v[i];

		if (!frames[i] || !is_wanted(module, files, places) ||
		    !find_file(replay, module, &keeper->v[keeper->nr]))
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

static void keep_one(struct keeper *keeper, const struct candidate *candidate, struct strbuf *notes)
{
	char *name = id_file_name(candidate->module);
	char *member = xasprintf("%s/%s",
				 id_file_is_pdb(candidate->module) ? RUN_PDBS : RUN_SYMBOLS, name);
	struct err err = ERR_INIT;

	/* The same file under another path. */
	if (below_size(keeper->dir, member) < 0) {
		if (keeper->room >= 0 && candidate->bytes > keeper->room) {
			leave_out(keeper, candidate);
		} else if (copy(keeper, candidate, member, &err)) {
			strbuf_adds(notes, "warning: a file with symbols is not kept in the run: ");
			utf8_add_printable(notes, err.msg);
			strbuf_addc(notes, '\n');
		} else {
			keeper->kept_nr++;
			keeper->kept_bytes += candidate->bytes;
			keeper->room -= keeper->room >= 0 ? candidate->bytes : 0;
		}
	}
	err_clear(&err);
	free(member);
	free(name);
}

static void explain(const struct keeper *keeper, const char *what, int64_t bytes_max,
		    struct strbuf *notes)
{
	if (keeper->kept_nr) {
		strbuf_addf(notes, "%zu %s%s kept in the run, ", keeper->kept_nr, what,
			    keeper->kept_nr == 1 ? " is" : "s are");
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

int keep_files(struct replay *replay, const char *dir, const struct keep_options *options,
	       const struct process_list *rows, const struct manifest *manifest,
	       struct strbuf *notes, struct err *err)
{
	bool etl = text_starts_with(replay_facts(replay)->format, "etl");
	struct keeper keeper = { .dir = dir, .left = STRBUF_INIT };
	struct build_places places = BUILD_PLACES_INIT;
	enum keep_files files = options->files;
	int rc = 0;

	if (files == KEEP_FILES_AUTO)
		files = etl ? KEEP_FILES_BUILD : KEEP_FILES_NONE;
	if (files == KEEP_FILES_NONE)
		return 0;
	build_places_add(&places, rows, manifest->source);
	find_candidates(&keeper, replay, files, &places);
	keeper.room = room_in(dir, options->bytes_max);
	for (size_t i = 0; i < keeper.nr && !rc; i++) {
		rc = progress_show(replay->progress, "keeping PDBs and debug files", (int64_t)i,
				   (int64_t)keeper.nr, err);
		if (!rc)
			keep_one(&keeper, &keeper.v[i], notes);
	}
	explain(&keeper, etl ? "PDB" : "debug file", options->bytes_max, notes);
	build_places_release(&places);
	strbuf_release(&keeper.left);
	free(keeper.v);
	return rc;
}
