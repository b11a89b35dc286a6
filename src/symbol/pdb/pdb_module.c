#include "symbol/pdb/pdb_module.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_lines.h"
#include "symbol/pdb/pdb_symbols.h"
#include "util/alloc.h"
#include "util/strbuf.h"

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

	if (pdb_file_open(path, file, &err)) {
		if (err.code != ERR_NOT_FOUND)
			strbuf_addf(notes, "; %s: %s", path, err.msg);
		err_clear(&err);
		return false;
	}
	if (module_id_equal((*file)->id, PDB_ID_BYTES, module->id, module->id_length))
		return true;
	other = pdb_store_name((*file)->id);
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
}

void pdb_module_open(const struct module *module, const struct pdb_search *search,
		     struct symbol_file *file)
{
	char *wanted = pdb_store_name(module->id);
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
		if (module->id_length)
			file->flaw = notes.len ? SYMBOL_PDB_OTHER : SYMBOL_PDB_MISSING;
		file->why = module->id_length ? xasprintf("no PDB %s of it%s", wanted, notes.buf)
					      : xstrdup("the trace has no id of its PDB");
	}
	strvec_release(&paths);
	strbuf_release(&notes);
	free(wanted);
}
