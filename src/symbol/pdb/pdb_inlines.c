#include "symbol/pdb/pdb_inlines.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/pdb/pdb_records.h"
#include "util/array.h"

#define DEPTH_MAX 128 /* of sites and blocks in each other; what is deeper is left out */

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

/* All that a procedure is walked with. */
struct walk {
	const struct pdb_unit *unit;
	const struct pdb_procedure *procedure;
	const uint32_t *addresses;
	size_t nr;
	struct pdb_inlines *inlines;
	uint32_t sites_nr;
};

/* A site's program at work: offsets from the procedure's start. */
struct program {
	uint32_t site, caller; /* numbers */
	uint32_t id, file, line;
	uint32_t offset;
	bool open; /* a piece began at `offset`, and has not ended; it is of ... */
	uint32_t piece_file, piece_line;
};

/* A number of 7, 14 or 29 bits, by its first bits. */
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

/* The lowest bit is the sign. */
static uint32_t signed_number(uint32_t value)
{
	return value & 1 ? 0 - (value >> 1) : value >> 1;
}

static uint32_t site_of(const struct pdb_inlines *inlines, uint32_t level)
{
	return level == PDB_NOT_INLINED ? 0 : inlines->levels[level].site;
}

/* A piece of the site's code is also its caller's. */
static void add_piece(struct walk *walk, const struct program *program, uint32_t length)
{
	uint64_t start = (uint64_t)walk->procedure->start + program->offset;
	struct pdb_inlines *inlines = walk->inlines;

	size_t first;

	ARRAY_SEARCH(first, walk->nr, i, walk->addresses[i] < start);
	for (size_t i = first; i < walk->nr && walk->addresses[i] < start + length; i++) {
		struct pdb_level *level;

		if (site_of(inlines, inlines->innermost[i]) != program->caller)
			continue;
		ARRAY_GROW(inlines->levels, inlines->levels_nr + 1, inlines->levels_alloc);
		level = &inlines->levels[inlines->levels_nr];
		*level = (struct pdb_level){ inlines->innermost[i], program->site, program->id,
					     program->piece_file, program->piece_line };
		inlines->innermost[i] = (uint32_t)inlines->levels_nr++;
	}
}

/* The piece that is open ends where the next one begins. */
static void go_on(struct walk *walk, struct program *program, uint32_t delta)
{
	if (program->open)
		add_piece(walk, program, delta);
	program->offset += delta;
	program->open = true;
	program->piece_file = program->file;
	program->piece_line = program->line;
}

/* False: it cannot be followed further. */
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

void pdb_inlines_read(const struct pdb_unit *unit, const struct pdb_procedure *procedure,
		      const uint32_t *addresses, size_t nr, struct pdb_inlines *inlines)
{
	struct walk walk = { unit, procedure, addresses, nr, inlines, 0 };
	struct byte_cursor bytes = { unit->symbols + procedure->inside,
				     unit->symbols_nr - procedure->inside };
	uint32_t sites[DEPTH_MAX] = { 0 }; /* 0: the procedure */
	struct pdb_record record;
	size_t depth = 0;

	*inlines = (struct pdb_inlines){ .innermost = xcalloc(nr + 1, sizeof(uint32_t)) };
	for (size_t i = 0; i < nr; i++)
		inlines->innermost[i] = PDB_NOT_INLINED;
	while (pdb_next_record(&bytes, &record)) {
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

void pdb_inlines_release(struct pdb_inlines *inlines)
{
	free(inlines->levels);
	free(inlines->innermost);
	*inlines = (struct pdb_inlines){ .levels = NULL };
}
