#include "symbol/pdb/pdb_module.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/traced_path.h"
#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_lines.h"
#include "symbol/pdb/pdb_symbols.h"
#include "symbol/symbol_path.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/text.h"

static void add_dir(struct pdb_search *search, const char *dir)
{
	if (!text_is_local_path(dir))
		return;
	for (size_t i = 0; i < search->dirs.nr; i++) {
		if (!strcmp(search->dirs.v[i], dir))
			return;
	}
	strvec_push(&search->dirs, dir);
}

void pdb_search_init(struct pdb_search *search, const struct strvec *dirs,
		     const struct strvec *traced_dirs, const char *symbol_path)
{
	struct symbol_path path;

	*search = (struct pdb_search){ .dirs = STRVEC_INIT };
	for (size_t i = 0; dirs && i < dirs->nr; i++)
		add_dir(search, dirs->v[i]);
	for (size_t i = 0; traced_dirs && i < traced_dirs->nr; i++) {
		if (traced_path_is_plain(traced_dirs->v[i]))
			add_dir(search, traced_dirs->v[i]);
	}
	symbol_path_parse(&path, symbol_path);
	for (size_t i = 0; i < path.nr; i++) {
		if (path.parts[i].kind == SYMBOL_PATH_DIR ||
		    path.parts[i].kind == SYMBOL_PATH_CACHE)
			add_dir(search, path.parts[i].text);
	}
	symbol_path_release(&path);
}

void pdb_search_release(struct pdb_search *search)
{
	strvec_release(&search->dirs);
}

/*
 * Debuggers write GUID and age in capital letters, PerfView in small ones: both are tried if file names are case-sensitive.
 */
static char *in_small_letters(const char *name)
{
	char *small = xstrdup(name);

	for (char *c = small; *c; c++) {
		if (*c >= 'A' && *c <= 'F')
			*c += 'a' - 'A';
	}
	return small;
}

void pdb_search_add(const struct pdb_search *search, const char *image_path, const char *debug_path,
		    const uint8_t *id, struct strvec *paths)
{
	const char *name = text_file_name(debug_path), *image = text_file_name(image_path);
	char *store, *small;

	if (!*name || strchr(name, ':'))
		return;
	store = module_symbol_id(id);
	small = in_small_letters(store);
	if (traced_path_is_plain(image_path))
		strvec_pushf(paths, "%.*s%s", (int)(image - image_path), image_path, name);
	if (traced_path_is_plain(debug_path))
		strvec_push(paths, debug_path);
	for (size_t i = 0; i < search->dirs.nr; i++) {
		const char *dir = search->dirs.v[i];

		strvec_push_nodup(paths, fs_join(dir, name));
		strvec_pushf(paths, "%s/%s/%s/%s", dir, name, store, name);
		strvec_pushf(paths, "%s/%s/%s/%s", dir, name, small, name);
	}
	free(small);
	free(store);
}

struct pdb_image {
	struct pdb_file *file;
	struct pdb_symbols *symbols;
};

static bool find(const void *data, uint64_t offset, struct symbol *symbol)
{
	const struct pdb_image *image = data;

	return pdb_symbols_find(image->symbols, offset, symbol);
}

static void find_lines(const void *data, const uint64_t *offsets, size_t nr, struct helper *helper,
		       struct line_sink sink)
{
	const struct pdb_image *image = data;
	struct pdb_lines *lines = pdb_lines_new(image->file, image->symbols);

	(void)helper;
	pdb_lines_find(lines, offsets, nr, sink);
	pdb_lines_free(lines);
}

static void close_image(void *data)
{
	struct pdb_image *image = data;

	pdb_symbols_free(image->symbols);
	pdb_file_free(image->file);
	free(image);
}

static const struct symbol_file_ops ops = {
	.find = find,
	.find_lines = find_lines,
	.close = close_image,
};

/* Whether the file is the traced PDB; if it exists and is not, append the reason. */
static bool open_traced(const char *path, const struct module *module, struct pdb_file **file,
			struct strbuf *notes)
{
	struct err err = ERR_INIT;
	char *other;

	/* A symbol store has a directory of the PDB's name. */
	if (fs_is_dir(path))
		return false;
	if (pdb_file_open(path, file, &err)) {
		if (err.code != ERR_NOT_FOUND)
			strbuf_addf(notes, "; %s: %s", path, err.msg);
		err_clear(&err);
		return false;
	}
	if (module_id_equal((*file)->id, PDB_ID_BYTES, module->id, module->id_length))
		return true;
	other = module_symbol_id((*file)->id);
	strbuf_addf(notes, "; %s is %s", path, other);
	free(other);
	pdb_file_free(*file);
	return false;
}

static char *say_why_empty(const struct pdb_image *image, const char *path)
{
	if (pdb_symbols_nr(image->symbols))
		return NULL;
	if (pdb_symbols_seen(image->symbols) && !image->file->sections_nr)
		return xasprintf("%s does not say where its sections are", path);
	return xasprintf("no symbols in %s", path);
}

static void read_image(struct pdb_file *file, const char *path, struct symbol_file *to)
{
	struct pdb_image *image = xcalloc(1, sizeof(*image));

	pdb_file_read(file);
	image->file = file;
	image->symbols = pdb_symbols_new(file);
	to->ops = &ops;
	to->data = image;
	to->why = say_why_empty(image, path);
	to->flaw = to->why ? SYMBOL_PDB_EMPTY : SYMBOL_FLAW_NONE;
	to->from = xstrdup(path);
}

bool pdb_module_open_at(const struct module *module, const char *path, struct symbol_file *file)
{
	struct strbuf ignored = STRBUF_INIT;
	struct pdb_file *pdb;
	bool found = open_traced(path, module, &pdb, &ignored);

	if (found)
		read_image(pdb, path, file);
	strbuf_release(&ignored);
	return found;
}

void pdb_module_open(const struct module *module, const struct pdb_search *search,
		     struct symbol_file *file)
{
	char *wanted = module_symbol_id(module->id);
	struct strbuf notes = STRBUF_INIT;
	struct strvec paths = STRVEC_INIT;
	struct pdb_file *pdb;

	if (module->id_length)
		pdb_search_add(search, module->path, module->debug_path, module->id, &paths);
	for (size_t i = 0; i < paths.nr && !file->ops; i++) {
		if (open_traced(paths.v[i], module, &pdb, &notes))
			read_image(pdb, paths.v[i], file);
	}
	if (!file->ops) {
		file->flaw = !module->id_length ? SYMBOL_PDB_ID_MISSING
			     : notes.len        ? SYMBOL_PDB_OTHER
						: SYMBOL_PDB_MISSING;
		file->why = module->id_length
				    ? xasprintf("its PDB %s was not found%s", wanted, notes.buf)
				    : xstrdup("the trace has no id of its PDB");
	}
	strvec_release(&paths);
	strbuf_release(&notes);
	free(wanted);
}
