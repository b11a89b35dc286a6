#include "symbol/pdb/pdb_lines.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/pdb/pdb_ids.h"
#include "symbol/pdb/pdb_imports.h"
#include "symbol/pdb/pdb_inlines.h"
#include "symbol/pdb/pdb_unit.h"
#include "symbol/pool.h"
#include "util/array.h"
#include "util/intmap.h"

#define NO_MODULE   UINT32_MAX
#define NAMES_HEAD  12u
#define NAMES_MAGIC 0xeffeeffeu
#define PATH_BYTES  4096u /* what is longer is cut */
#define CHAIN_MAX   130

struct pdb_lines {
	const struct pdb_file *file;
	const struct pdb_symbols *symbols;
	struct pdb_ids *ids;
	struct pdb_imports *imports;
	struct pdb_stream names; /* of files and modules; size 0: none */
	struct intmap strings;   /* by place in `names` */
	struct pool pool;
	struct pdb_unit unit;
	uint32_t module; /* of `unit` */
};

struct place {
	uint32_t module, linked;
	size_t index;
};

/* Places of one module, and who is told of them. */
struct search {
	struct pdb_lines *lines;
	const uint64_t *rvas;
	struct source_lines_taker taker;
};

static void open_names(struct pdb_lines *lines)
{
	unsigned char head[NAMES_HEAD];
	struct err err = ERR_INIT;

	if (lines->file->names == PDB_NO_STREAM ||
	    pdb_stream_open(lines->file->msf, lines->file->names, &lines->names, &err)) {
		err_clear(&err);
		return;
	}
	if (pdb_stream_read(&lines->names, 0, head, sizeof(head), &err) ||
	    le_get32(head) != NAMES_MAGIC)
		pdb_stream_close(&lines->names);
	err_clear(&err);
}

struct pdb_lines *pdb_lines_new(const struct pdb_file *file, const struct pdb_symbols *symbols)
{
	struct pdb_lines *lines = xcalloc(1, sizeof(*lines));

	lines->file = file;
	lines->symbols = symbols;
	lines->module = NO_MODULE;
	lines->ids = pdb_ids_new(file);
	lines->imports = pdb_imports_new(file);
	open_names(lines);
	return lines;
}

void pdb_lines_free(struct pdb_lines *lines)
{
	if (!lines)
		return;
	pdb_unit_release(&lines->unit);
	pdb_ids_free(lines->ids);
	pdb_imports_free(lines->imports);
	pdb_stream_close(&lines->names);
	intmap_release(&lines->strings);
	pool_release(&lines->pool);
	free(lines);
}

static const char *read_string(struct pdb_lines *lines, uint32_t name)
{
	uint64_t at = (uint64_t)NAMES_HEAD + name;
	char path[PATH_BYTES + 1] = "";
	struct err err = ERR_INIT;
	size_t nr = PATH_BYTES;

	if (at >= lines->names.size)
		return NULL;
	if (nr > lines->names.size - at)
		nr = (size_t)(lines->names.size - at);
	if (pdb_stream_read(&lines->names, at, path, nr, &err)) {
		err_clear(&err);
		return NULL;
	}
	return pool_string(&lines->pool, path);
}

/* NULL: not known. */
static const char *string_of(struct pdb_lines *lines, uint32_t name)
{
	const char *string = intmap_get(&lines->strings, name);

	if (!string) {
		string = read_string(lines, name);
		if (string)
			intmap_put(&lines->strings, name, (void *)(uintptr_t)string);
	}
	return string && *string ? string : NULL;
}

static const char *path_of(struct pdb_lines *lines, uint32_t file)
{
	uint32_t name;

	return pdb_unit_file(&lines->unit, file, &name) ? string_of(lines, name) : NULL;
}

static const char *function_of(struct pdb_lines *lines, uint32_t id)
{
	uint32_t name, number;
	const char *module;

	if (!(id & PDB_IMPORTED))
		return pdb_ids_name(lines->ids, id);
	module = pdb_imports_find(&lines->unit, id, &name, &number) ? string_of(lines, name) : NULL;
	id = module ? pdb_imports_id(lines->imports, module, number) : 0;
	return id ? pdb_ids_name(lines->ids, id) : NULL;
}

/* The chain of an address, innermost first. */
static void tell(struct search *search, const struct place *place,
		 const struct pdb_inlines *inlines, uint32_t innermost)
{
	const struct pdb_line *line = pdb_unit_line(&search->lines->unit, place->linked);
	struct symbol_line chain[CHAIN_MAX] = { { NULL, NULL, 0 } };
	struct symbol symbol;
	size_t nr = 0;

	for (uint32_t at = innermost; at != PDB_NOT_INLINED && nr < CHAIN_MAX - 1;) {
		const struct pdb_level *level = &inlines->levels[at];

		chain[nr++] =
			(struct symbol_line){ function_of(search->lines, level->id),
					      path_of(search->lines, level->file), level->line };
		at = level->caller;
	}
	if (!nr && !line)
		return;
	if (pdb_symbols_find(search->lines->symbols, search->rvas[place->index], &symbol))
		chain[nr].function = symbol.name;
	if (line) {
		chain[nr].file = path_of(search->lines, line->file);
		chain[nr].line = line->line;
	}
	search->taker.take(search->taker.data, place->index, chain, nr + 1);
}

static void find_in_procedure(struct search *search, const struct pdb_procedure *procedure,
			      const struct place *places, size_t nr)
{
	uint32_t *addresses = xcalloc(nr + 1, sizeof(*addresses));
	struct pdb_inlines inlines;

	for (size_t i = 0; i < nr; i++)
		addresses[i] = places[i].linked;
	pdb_inlines_read(&search->lines->unit, procedure, addresses, nr, &inlines);
	for (size_t i = 0; i < nr; i++)
		tell(search, &places[i], &inlines, inlines.innermost[i]);
	pdb_inlines_release(&inlines);
	free(addresses);
}

static bool open_unit(struct pdb_lines *lines, uint32_t module)
{
	struct err err = ERR_INIT;

	if (lines->module != module) {
		pdb_unit_release(&lines->unit);
		lines->module = module;
		if (pdb_unit_read(lines->file, module, &lines->unit, &err))
			err_clear(&err);
	}
	return lines->unit.symbols;
}

static void find_in_module(struct search *search, const struct place *places, size_t nr)
{
	size_t end;

	if (!open_unit(search->lines, places->module))
		return;
	for (size_t i = 0; i < nr; i = end) {
		const struct pdb_procedure *procedure =
			pdb_unit_procedure(&search->lines->unit, places[i].linked);

		for (end = i + 1; procedure && end < nr && places[end].linked < procedure->end;)
			end++;
		if (procedure)
			find_in_procedure(search, procedure, &places[i], end - i);
		else
			tell(search, &places[i], NULL, PDB_NOT_INLINED);
	}
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->linked != y->linked)
		return x->linked < y->linked ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static size_t find_places(const struct pdb_file *file, const uint64_t *rvas, size_t nr,
			  struct place *places)
{
	size_t found = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct pdb_contribution *contribution;
		struct pdb_piece piece;

		if (!pdb_file_linked(file, rvas[i], &piece))
			continue;
		contribution = pdb_file_contribution(file, piece.linked);
		if (contribution)
			places[found++] = (struct place){ contribution->module, piece.linked, i };
	}
	if (found)
		qsort(places, found, sizeof(*places), compare_places);
	return found;
}

void pdb_lines_find(struct pdb_lines *lines, const uint64_t *rvas, size_t nr,
		    struct source_lines_taker taker)
{
	struct place *places = xcalloc(nr + 1, sizeof(*places));
	struct search search = { lines, rvas, taker };
	size_t found = find_places(lines->file, rvas, nr, places), end;

	for (size_t i = 0; i < found; i = end) {
		for (end = i + 1; end < found && places[end].module == places[i].module;)
			end++;
		find_in_module(&search, &places[i], end - i);
	}
	free(places);
}
