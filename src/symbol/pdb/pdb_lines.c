#include "symbol/pdb/pdb_lines.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/pdb/pdb_ids.h"
#include "symbol/pdb/pdb_records.h"
#include "symbol/pdb/pdb_unit.h"
#include "symbol/pool.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/intmap.h"

#define NO_MODULE   UINT32_MAX
#define NAMES_HEAD  12u
#define NAMES_MAGIC 0xeffeeffeu
#define PATH_BYTES  4096u /* longer paths are truncated */
#define CHAIN_MAX   130
#define DEPTH_MAX   128 /* of nested sites and blocks; deeper ones are left out */

#define NOT_INLINED UINT32_MAX

/* A function that was inlined at an address, and the line in it there. */
struct level {
	uint32_t caller; /* index in `levels`; NOT_INLINED: the procedure itself */
	uint32_t site;   /* numbered from 1 in the procedure */
	uint32_t id;     /* pdb_ids_name() */
	uint32_t file, line;
};

struct inlines {
	struct level *levels;
	size_t levels_nr, levels_alloc;
	/* By index of the address: index in `levels`, or NOT_INLINED. */
	uint32_t *innermost;
};

struct pdb_lines {
	const struct pdb_file *file;
	const struct pdb_symbols *symbols;
	struct pdb_ids *ids;
	struct pdb_stream names; /* of files and modules; size 0: none */
	struct intmap strings;   /* by offset in `names` */
	struct pool pool;
	struct pdb_unit unit;
	struct intmap imported; /* functions of other modules, by their id in `unit`; "" for none */
	uint32_t module;        /* number of the module in `unit` */
};

struct place {
	uint32_t module, linked;
	size_t index;
};

/* Addresses of one module, and the sink for their lines. */
struct search {
	struct pdb_lines *lines;
	const uint64_t *rvas;
	struct line_sink sink;
};

enum operation {
	END,
	CODE_OFFSET,
	CODE_OFFSET_BASE,
	ADD_CODE_OFFSET,
	CODE_LENGTH,
	FILE_CHANGE,
	ADD_LINE,
	LINE_END,
	RANGE_KIND,
	COLUMN,
	COLUMN_END_DELTA,
	ADD_CODE_OFFSET_AND_LINE,
	CODE_LENGTH_AND_ADD_OFFSET,
	COLUMN_END,
};

/* State of walking a procedure. */
struct walk {
	const struct pdb_unit *unit;
	const struct pdb_procedure *procedure;
	const uint32_t *addresses;
	size_t nr;
	struct inlines *inlines;
	uint32_t sites_nr;
	uint64_t visits; /* how often pieces may go through an address */
};

/* State of running a site's program; offsets are from the start of the procedure. */
struct program {
	uint32_t site, caller; /* numbers */
	uint32_t id, file, line;
	uint32_t offset;
	bool open; /* a piece began at `offset`, and has not ended yet; its file and line: */
	uint32_t piece_file, piece_line;
};

/* Read a number of 7, 14 or 29 bits; the first bits give the length. */
static bool take_number(struct byte_cursor *bytes, uint32_t *value)
{
	const unsigned char *s = bytes->left ? bytes->at : NULL;

	if (!s || (s[0] & 0xe0) == 0xe0)
		return false;
	if (!(s[0] & 0x80)) {
		*value = s[0];
		return byte_cursor_take(bytes, 1);
	}
	if (!(s[0] & 0x40)) {
		if (!byte_cursor_take(bytes, 2))
			return false;
		*value = (uint32_t)(s[0] & 0x3f) << 8 | s[1];
		return true;
	}
	if (!byte_cursor_take(bytes, 4))
		return false;
	*value = (uint32_t)(s[0] & 0x1f) << 24 | (uint32_t)s[1] << 16 | (uint32_t)s[2] << 8 | s[3];
	return true;
}

/* Decode a signed number, whose lowest bit is the sign. */
static uint32_t signed_number(uint32_t value)
{
	return value & 1 ? 0 - (value >> 1) : value >> 1;
}

static uint32_t site_of(const struct inlines *inlines, uint32_t level)
{
	return level == NOT_INLINED ? 0 : inlines->levels[level].site;
}

/* Add a level to the addresses of a piece of code that are in the site's caller. */
static void add_piece(struct walk *walk, const struct program *program, uint32_t length)
{
	uint64_t start = (uint64_t)walk->procedure->start + program->offset;
	struct inlines *inlines = walk->inlines;

	size_t first;

	ARRAY_SEARCH(first, walk->nr, i, walk->addresses[i] < start);
	for (size_t i = first; i < walk->nr && walk->addresses[i] < start + length && walk->visits;
	     i++) {
		struct level *level;

		walk->visits--;
		if (site_of(inlines, inlines->innermost[i]) != program->caller)
			continue;
		ARRAY_GROW(inlines->levels, inlines->levels_nr + 1, inlines->levels_alloc);
		level = &inlines->levels[inlines->levels_nr];
		*level = (struct level){ inlines->innermost[i], program->site, program->id,
					 program->piece_file, program->piece_line };
		inlines->innermost[i] = (uint32_t)inlines->levels_nr++;
	}
}

/* Start the next piece, `delta` bytes further; the open one ends there. */
static void go_on(struct walk *walk, struct program *program, uint32_t delta)
{
	if (program->open)
		add_piece(walk, program, delta);
	program->offset += delta;
	program->open = true;
	program->piece_file = program->file;
	program->piece_line = program->line;
}

/* Run one operation. False: end of the program, or it is invalid. */
static bool run_operation(struct walk *walk, struct program *program, uint32_t operation,
			  struct byte_cursor *bytes)
{
	uint32_t value, second;

	if (operation == END || !take_number(bytes, &value))
		return false;
	switch (operation) {
	case CODE_OFFSET:
		go_on(walk, program, value - program->offset);
		return true;
	case ADD_CODE_OFFSET:
		go_on(walk, program, value);
		return true;
	case CODE_LENGTH:
		if (program->open)
			add_piece(walk, program, value);
		program->offset += value;
		program->open = false;
		return true;
	case FILE_CHANGE:
		program->file = value;
		return true;
	case ADD_LINE:
		program->line += signed_number(value);
		return true;
	case ADD_CODE_OFFSET_AND_LINE:
		program->line += signed_number(value >> 4);
		go_on(walk, program, value & 15);
		return true;
	case CODE_LENGTH_AND_ADD_OFFSET:
		if (!take_number(bytes, &second))
			return false;
		go_on(walk, program, second);
		add_piece(walk, program, value);
		program->open = false;
		return true;
	case LINE_END:
	case RANGE_KIND:
	case COLUMN:
	case COLUMN_END_DELTA:
	case COLUMN_END:
		return true;
	default:
		return false;
	}
}

static void read_site(struct walk *walk, const struct pdb_record *record, uint32_t site,
		      uint32_t caller)
{
	size_t head = record->kind == S_INLINESITE2 ? 16 : 12;
	struct program program = { .site = site, .caller = caller, .file = PDB_NO_FILE };
	const struct pdb_inlinee *inlinee;
	struct byte_cursor bytes;
	uint32_t operation;

	if (record->nr < head)
		return;
	program.id = le_get32(record->content + 8);
	inlinee = pdb_unit_inlinee(walk->unit, program.id);
	if (inlinee) {
		program.file = inlinee->file;
		program.line = inlinee->line;
	}
	bytes = (struct byte_cursor){ record->content + head, record->nr - head };
	while (take_number(&bytes, &operation) && run_operation(walk, &program, operation, &bytes))
		;
}

static bool opens_scope(uint16_t kind)
{
	return kind == S_INLINESITE || kind == S_INLINESITE2 || kind == S_BLOCK32 ||
	       kind == S_WITH32 || kind == S_THUNK32 || kind == S_SEPCODE;
}

static bool closes_scope(uint16_t kind)
{
	return kind == S_END || kind == S_INLINESITE_END || kind == S_PROC_ID_END;
}

/*
 * Find the functions inlined into a procedure at linked addresses, which ascend. Procedures are not within one another, and
 * an address is in one site of each level: of records that say otherwise not all are read.
 */
static void read_inlines(const struct pdb_unit *unit, const struct pdb_procedure *procedure,
			 const uint32_t *addresses, size_t nr, struct inlines *inlines)
{
	struct walk walk = { unit, procedure, addresses, nr, inlines, 0, (uint64_t)nr * DEPTH_MAX };
	struct byte_cursor bytes = { unit->symbols + procedure->inside,
				     unit->symbols_nr - procedure->inside };
	uint32_t sites[DEPTH_MAX] = { 0 }; /* 0: the procedure */
	struct pdb_record record;
	size_t depth = 0;

	*inlines = (struct inlines){ .innermost = xcalloc(nr + 1, sizeof(uint32_t)) };
	for (size_t i = 0; i < nr; i++)
		inlines->innermost[i] = NOT_INLINED;
	while (pdb_next_record(&bytes, &record) && !pdb_is_procedure(&record)) {
		if (closes_scope(record.kind)) {
			if (!depth--)
				break;
		} else if (opens_scope(record.kind)) {
			bool site = record.kind == S_INLINESITE || record.kind == S_INLINESITE2;

			if (++depth >= DEPTH_MAX)
				continue;
			sites[depth] = site ? ++walk.sites_nr : sites[depth - 1];
			if (site)
				read_site(&walk, &record, sites[depth], sites[depth - 1]);
		}
	}
}

static void release_inlines(struct inlines *inlines)
{
	free(inlines->levels);
	free(inlines->innermost);
	*inlines = (struct inlines){ .levels = NULL };
}

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
	open_names(lines);
	return lines;
}

void pdb_lines_free(struct pdb_lines *lines)
{
	if (!lines)
		return;
	pdb_unit_release(&lines->unit);
	pdb_ids_free(lines->ids);
	pdb_stream_close(&lines->names);
	intmap_release(&lines->strings);
	intmap_release(&lines->imported);
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

/* A string of the list of all names; NULL: unknown. */
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

static const char *find_imported(struct pdb_lines *lines, uint32_t id)
{
	uint32_t name, number;
	const char *module = pdb_ids_find_import(&lines->unit, id, &name, &number)
				     ? string_of(lines, name)
				     : NULL;

	id = module ? pdb_ids_imported(lines->ids, module, number) : 0;
	return id ? pdb_ids_name(lines->ids, id) : NULL;
}

static const char *function_of(struct pdb_lines *lines, uint32_t id)
{
	const char *name;

	if (!(id & PDB_IMPORTED))
		return pdb_ids_name(lines->ids, id);
	name = intmap_get(&lines->imported, id);
	if (!name) {
		name = find_imported(lines, id);
		name = name ? name : "";
		intmap_put(&lines->imported, id, (void *)(uintptr_t)name);
	}
	return *name ? name : NULL;
}

/* Report the levels of an address, innermost first. */
static void report(struct search *search, const struct place *place, const struct inlines *inlines,
		   uint32_t innermost)
{
	const struct pdb_line *line = pdb_unit_line(&search->lines->unit, place->linked);
	struct symbol_line chain[CHAIN_MAX] = { { NULL, NULL, 0 } };
	struct symbol symbol;
	size_t nr = 0;

	for (uint32_t at = innermost; at != NOT_INLINED && nr < CHAIN_MAX - 1;) {
		const struct level *level = &inlines->levels[at];

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
	search->sink.add(search->sink.data, place->index, chain, nr + 1);
}

static void find_in_procedure(struct search *search, const struct pdb_procedure *procedure,
			      const struct place *places, size_t nr)
{
	uint32_t *addresses = xcalloc(nr + 1, sizeof(*addresses));
	struct inlines inlines;

	for (size_t i = 0; i < nr; i++)
		addresses[i] = places[i].linked;
	read_inlines(&search->lines->unit, procedure, addresses, nr, &inlines);
	for (size_t i = 0; i < nr; i++)
		report(search, &places[i], &inlines, inlines.innermost[i]);
	release_inlines(&inlines);
	free(addresses);
}

static bool open_unit(struct pdb_lines *lines, uint32_t module)
{
	struct err err = ERR_INIT;

	if (lines->module != module) {
		pdb_unit_release(&lines->unit);
		intmap_release(&lines->imported);
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
			report(search, &places[i], NULL, NOT_INLINED);
	}
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = compare_u64(x->module, y->module);

	if (!order)
		order = compare_u64(x->linked, y->linked);
	return order ? order : compare_u64(x->index, y->index);
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

void pdb_lines_find(struct pdb_lines *lines, const uint64_t *rvas, size_t nr, struct line_sink sink)
{
	struct place *places = xcalloc(nr + 1, sizeof(*places));
	struct search search = { lines, rvas, sink };
	size_t found = find_places(lines->file, rvas, nr, places), end;

	for (size_t i = 0; i < found; i = end) {
		for (end = i + 1; end < found && places[end].module == places[i].module;)
			end++;
		find_in_module(&search, &places[i], end - i);
	}
	free(places);
}
