#include "symbol/pdb/pdb_unit.h"

#include <stdlib.h>

#include "symbol/pdb/pdb_records.h"
#include "util/array.h"
#include "util/compare.h"

enum {
	TABLE_LINES = 0xf2,
	TABLE_FILES = 0xf4,
	TABLE_INLINEES = 0xf6,
	TABLE_IMPORTS = 0xf7,
};

#define SIGNATURE_BYTES 4
#define HAVE_COLUMNS    1
#define LINE_MASK       0xffffffu
#define LINE_HIDDEN     0xfeefeeu /* code of no line: debuggers step into it */
#define LINE_SKIPPED    0xf00f00u /* code of no line: debuggers step over it */
#define MORE_FILES      1         /* more files follow an inlinee */

static void add_line(struct pdb_unit *unit, struct pdb_fragment *fragment, uint32_t file,
		     const unsigned char *entry)
{
	uint32_t offset = le_get32(entry), number = le_get32(entry + 4) & LINE_MASK;

	if (offset >= fragment->end - fragment->start)
		return;
	if (number == LINE_HIDDEN || number == LINE_SKIPPED)
		number = 0;
	ARRAY_ADD(unit->lines, unit->lines_nr, unit->lines_alloc,
		  (struct pdb_line){ fragment->start + offset, (uint32_t)fragment->lines_nr++, file,
				     number });
}

static int compare_lines(const void *a, const void *b)
{
	const struct pdb_line *x = a, *y = b;
	int order = compare_u64(x->start, y->start);

	return order ? order : compare_u64(x->order, y->order);
}

/* Read the lines of one range of code: blocks, each of ascending lines of one file. */
static void read_lines(const struct pdb_file *file, struct pdb_unit *unit, struct byte_cursor bytes)
{
	const unsigned char *head = byte_cursor_take(&bytes, 12), *block;
	struct pdb_fragment fragment = { .lines = unit->lines_nr };
	uint32_t length = head ? le_get32(head + 8) : 0;

	if (!head || !pdb_file_place(file, le_get16(head + 4), le_get32(head), &fragment.start) ||
	    length > UINT32_MAX - fragment.start)
		return;
	fragment.end = fragment.start + length;
	fragment.order = (uint32_t)unit->fragments_nr;
	while ((block = byte_cursor_take(&bytes, 12))) {
		uint64_t nr = le_get32(block + 4);
		const unsigned char *entries = byte_cursor_take(&bytes, nr * 8);

		for (uint64_t i = 0; entries && i < nr; i++)
			add_line(unit, &fragment, le_get32(block), entries + i * 8);
		if (!entries)
			break;
		if (le_get16(head + 6) & HAVE_COLUMNS)
			byte_cursor_take(&bytes, nr * 4);
	}
	if (!fragment.lines_nr)
		return;
	qsort(unit->lines + fragment.lines, fragment.lines_nr, sizeof(*unit->lines), compare_lines);
	ARRAY_ADD(unit->fragments, unit->fragments_nr, unit->fragments_alloc, fragment);
}

static void read_inlinees(struct pdb_unit *unit, struct byte_cursor bytes)
{
	uint32_t form, more;
	const unsigned char *s;

	if (!byte_cursor_take32(&bytes, &form))
		return;
	while ((s = byte_cursor_take(&bytes, 12))) {
		ARRAY_GROW(unit->inlinees, unit->inlinees_nr + 1, unit->inlinees_alloc);
		unit->inlinees[unit->inlinees_nr] =
			(struct pdb_inlinee){ le_get32(s), (uint32_t)unit->inlinees_nr,
					      le_get32(s + 4), le_get32(s + 8) };
		unit->inlinees_nr++;
		if (form == MORE_FILES && (!byte_cursor_take32(&bytes, &more) ||
					   !byte_cursor_take(&bytes, (uint64_t)more * 4)))
			break;
	}
}

/* Read the next table: u32 kind, u32 length, content, padded to a multiple of 4. */
static bool next_table(struct byte_cursor *bytes, uint32_t *kind, struct byte_cursor *table)
{
	uint32_t length;

	if (!byte_cursor_take32(bytes, kind) || !byte_cursor_take32(bytes, &length))
		return false;
	*table = (struct byte_cursor){ bytes->at, length };
	if (!byte_cursor_take(bytes, length))
		return false;
	byte_cursor_take(bytes, (4 - length % 4) % 4);
	return true;
}

struct byte_cursor pdb_unit_table(const unsigned char *tables, size_t nr, uint32_t kind)
{
	struct byte_cursor bytes = { tables, nr }, table, found = { tables, 0 };
	uint32_t this_kind;

	while (next_table(&bytes, &this_kind, &table)) {
		if (this_kind == kind)
			found = table;
	}
	return found;
}

static void read_tables(const struct pdb_file *file, struct pdb_unit *unit)
{
	struct byte_cursor bytes = { unit->tables, unit->tables_nr }, table;
	uint32_t kind;

	unit->files = pdb_unit_table(unit->tables, unit->tables_nr, TABLE_FILES);
	unit->imports = pdb_unit_table(unit->tables, unit->tables_nr, TABLE_IMPORTS);
	while (next_table(&bytes, &kind, &table)) {
		if (kind == TABLE_LINES)
			read_lines(file, unit, table);
		else if (kind == TABLE_INLINEES)
			read_inlinees(unit, table);
	}
}

static void read_procedures(const struct pdb_file *file, struct pdb_unit *unit)
{
	struct byte_cursor bytes = { unit->symbols, unit->symbols_nr };
	struct pdb_record record;

	while (pdb_next_record(&bytes, &record)) {
		const unsigned char *s = record.content;
		struct pdb_procedure procedure;
		uint32_t length;

		if (!pdb_is_procedure(&record))
			continue;
		length = le_get32(s + PDB_PROC_LENGTH);
		if (!pdb_file_place(file, le_get16(s + PDB_PROC_SEGMENT),
				    le_get32(s + PDB_PROC_OFFSET), &procedure.start) ||
		    length > UINT32_MAX - procedure.start)
			continue;
		procedure.end = procedure.start + length;
		procedure.inside = (uint32_t)(unit->symbols_nr - bytes.left);
		ARRAY_ADD(unit->procedures, unit->procedures_nr, unit->procedures_alloc, procedure);
	}
}

static int compare_inlinees(const void *a, const void *b)
{
	const struct pdb_inlinee *x = a, *y = b;
	int order = compare_u64(x->id, y->id);

	return order ? order : compare_u64(x->order, y->order);
}

static int compare_procedures(const void *a, const void *b)
{
	const struct pdb_procedure *x = a, *y = b;
	int order = compare_u64(x->start, y->start);

	return order ? order : compare_u64(x->inside, y->inside);
}

static int compare_fragments(const void *a, const void *b)
{
	const struct pdb_fragment *x = a, *y = b;
	int order = compare_u64(x->start, y->start);

	return order ? order : compare_u64(x->order, y->order);
}

/* Sort by address. Of identical functions that the linker folded only the first stays: its code was kept. */
static void sort(struct pdb_unit *unit)
{
	size_t kept = 0;

	if (unit->fragments_nr)
		qsort(unit->fragments, unit->fragments_nr, sizeof(*unit->fragments),
		      compare_fragments);
	for (size_t i = 0; i < unit->fragments_nr; i++) {
		if (!kept || unit->fragments[i].start != unit->fragments[kept - 1].start)
			unit->fragments[kept++] = unit->fragments[i];
	}
	unit->fragments_nr = kept;
	kept = 0;
	if (unit->procedures_nr)
		qsort(unit->procedures, unit->procedures_nr, sizeof(*unit->procedures),
		      compare_procedures);
	for (size_t i = 0; i < unit->procedures_nr; i++) {
		if (!kept || unit->procedures[i].start != unit->procedures[kept - 1].start)
			unit->procedures[kept++] = unit->procedures[i];
	}
	unit->procedures_nr = kept;
	if (unit->inlinees_nr)
		qsort(unit->inlinees, unit->inlinees_nr, sizeof(*unit->inlinees), compare_inlinees);
}

static int load(const struct pdb_file *file, const struct pdb_module *module, struct pdb_unit *unit,
		struct err *err)
{
	struct pdb_stream stream;
	int rc = -1;

	if (pdb_stream_open(file->msf, module->stream, &stream, err))
		return -1;
	if (module->symbols_size < SIGNATURE_BYTES) {
		err_set(err, ERR_CORRUPT, "a module without symbols");
	} else {
		unit->symbols_nr = module->symbols_size - SIGNATURE_BYTES;
		unit->symbols = pdb_stream_load(&stream, SIGNATURE_BYTES, unit->symbols_nr, err);
	}
	if (unit->symbols) {
		unit->tables_nr = module->lines_size;
		unit->tables = pdb_stream_load(&stream, module->lines_start, unit->tables_nr, err);
		rc = unit->tables ? 0 : -1;
	}
	pdb_stream_close(&stream);
	return rc;
}

int pdb_unit_read(const struct pdb_file *file, uint32_t module, struct pdb_unit *unit,
		  struct err *err)
{
	*unit = (struct pdb_unit){ .symbols = NULL };
	if (module >= file->modules_nr || file->modules[module].stream == PDB_NO_STREAM)
		return err_set(err, ERR_NOT_FOUND, "no symbols or lines of the module");
	if (load(file, &file->modules[module], unit, err)) {
		pdb_unit_release(unit);
		return -1;
	}
	read_tables(file, unit);
	read_procedures(file, unit);
	sort(unit);
	return 0;
}

void pdb_unit_release(struct pdb_unit *unit)
{
	free(unit->symbols);
	free(unit->tables);
	free(unit->lines);
	free(unit->fragments);
	free(unit->inlinees);
	free(unit->procedures);
	*unit = (struct pdb_unit){ .symbols = NULL };
}

static const struct pdb_fragment *find_fragment(const struct pdb_unit *unit, uint32_t linked)
{
	size_t low;

	ARRAY_SEARCH(low, unit->fragments_nr, i, unit->fragments[i].start <= linked);
	return low && unit->fragments[low - 1].end > linked ? &unit->fragments[low - 1] : NULL;
}

/* If several lines start at one address, the first has that address and the last the code after it, as in LLVM's reader. */
const struct pdb_line *pdb_unit_line(const struct pdb_unit *unit, uint32_t linked)
{
	const struct pdb_fragment *fragment = find_fragment(unit, linked);
	const struct pdb_line *lines;
	size_t low;

	if (!fragment)
		return NULL;
	lines = unit->lines + fragment->lines;
	ARRAY_SEARCH(low, fragment->lines_nr, i, lines[i].start < linked);
	if (low < fragment->lines_nr && lines[low].start == linked)
		return &lines[low];
	return low ? &lines[low - 1] : NULL;
}

/* In a PDB with few types several functions may share an id; the first is returned. */
const struct pdb_inlinee *pdb_unit_inlinee(const struct pdb_unit *unit, uint32_t id)
{
	size_t low;

	ARRAY_SEARCH(low, unit->inlinees_nr, i, unit->inlinees[i].id < id);
	return low < unit->inlinees_nr && unit->inlinees[low].id == id ? &unit->inlinees[low]
								       : NULL;
}

const struct pdb_procedure *pdb_unit_procedure(const struct pdb_unit *unit, uint32_t linked)
{
	size_t low;

	ARRAY_SEARCH(low, unit->procedures_nr, i, unit->procedures[i].start <= linked);
	return low && unit->procedures[low - 1].end > linked ? &unit->procedures[low - 1] : NULL;
}

bool pdb_unit_file(const struct pdb_unit *unit, uint32_t file, uint32_t *name)
{
	if (file >= unit->files.left || unit->files.left - file < 4)
		return false;
	*name = le_get32(unit->files.at + file);
	return true;
}
