#include "symbol/pdb/pdb_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/pool.h"
#include "symbol/symbol_table.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/intmap.h"

#define HEADER_BYTES 28

enum origin {
	PUBLIC,
	PROCEDURE,
};

struct entry {
	uint32_t start, length; /* linked; length 0: unknown */
	uint32_t module;        /* of a procedure */
	uint32_t order;
	uint16_t segment;
	uint8_t origin;
	const char *name;
};

struct pdb_symbols {
	const struct pdb_file *file;
	struct pool pool;
	struct entry *entries; /* until the table is ready */
	size_t entries_nr, entries_alloc;
	size_t seen;
	uint32_t module;      /* the module that is being read */
	struct intmap places; /* its entries, by start: index plus one; `places_end` of them */
	size_t places_end;
	struct symbol_table table; /* by linked address */
};

static int compare_offsets(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return compare_u64(*x, *y);
}

static uint32_t *make_offsets(const unsigned char *bytes, size_t nr)
{
	uint32_t *offsets = xcalloc(nr + 1, sizeof(*offsets));

	for (size_t i = 0; i < nr; i++)
		offsets[i] = le_get32(bytes + i * 4);
	if (nr)
		qsort(offsets, nr, sizeof(*offsets), compare_offsets);
	return offsets;
}

/* The offsets of the records, ascending; NULL: unknown. The stream has a header, a table by name, then this address map. */
static uint32_t *read_map(const struct pdb_file *file, size_t *nr)
{
	unsigned char head[HEADER_BYTES], *bytes = NULL;
	uint32_t *offsets = NULL;
	struct err err = ERR_INIT;
	struct pdb_stream stream;

	if (file->publics == PDB_NO_STREAM ||
	    pdb_stream_open(file->msf, file->publics, &stream, &err)) {
		err_clear(&err);
		return NULL;
	}
	if (!pdb_stream_read(&stream, 0, head, sizeof(head), &err)) {
		*nr = le_get32(head + 4) / 4;
		bytes = pdb_stream_load(&stream, (uint64_t)HEADER_BYTES + le_get32(head), *nr * 4,
					&err);
	}
	if (bytes)
		offsets = make_offsets(bytes, *nr);
	free(bytes);
	err_clear(&err);
	pdb_stream_close(&stream);
	return offsets;
}

/* Records do not overlap: otherwise a small file could have gigabytes of names. */
static void read_mapped(struct pdb_reader *reader, const uint32_t *offsets, size_t nr,
			void (*take)(void *data, const struct pdb_record *record), void *data)
{
	struct pdb_record record;
	uint64_t end = 0;

	for (size_t i = 0; i < nr; i++) {
		if (offsets[i] < end)
			continue;
		reader->offset = offsets[i];
		end = (uint64_t)offsets[i] + 1;
		if (!pdb_read_record(reader, &record) || record.kind != S_PUB32)
			continue;
		take(data, &record);
		end = reader->offset;
	}
}

void pdb_publics_read(const struct pdb_file *file,
		      void (*take)(void *data, const struct pdb_record *record), void *data)
{
	struct pdb_record record;
	struct pdb_stream stream;
	struct pdb_reader reader;
	struct err err = ERR_INIT;
	uint32_t *offsets;
	size_t nr = 0;

	if (file->symbols == PDB_NO_STREAM ||
	    pdb_stream_open(file->msf, file->symbols, &stream, &err)) {
		err_clear(&err);
		return;
	}
	pdb_reader_init(&reader, &stream, 0, stream.size);
	offsets = read_map(file, &nr);
	if (offsets)
		read_mapped(&reader, offsets, nr, take, data);
	while (!offsets && pdb_read_record(&reader, &record)) {
		if (record.kind == S_PUB32)
			take(data, &record);
	}
	free(offsets);
	pdb_reader_release(&reader);
	pdb_stream_close(&stream);
}

/* Add an entry with a name; false: its place is not in code. */
static bool add_named(struct pdb_symbols *symbols, struct entry entry, uint32_t offset)
{
	symbols->seen++;
	if (!entry.name || !*entry.name || !pdb_file_is_code(symbols->file, entry.segment) ||
	    !pdb_file_place(symbols->file, entry.segment, offset, &entry.start))
		return false;
	entry.module = symbols->module;
	entry.order = (uint32_t)symbols->entries_nr;
	ARRAY_ADD(symbols->entries, symbols->entries_nr, symbols->entries_alloc, entry);
	return true;
}

static void add_entry(struct pdb_symbols *symbols, struct entry entry, uint32_t offset,
		      const struct pdb_record *record, size_t name_at)
{
	char *copy;
	size_t len;

	entry.name = pdb_string(record->content, record->nr, name_at);
	if (!add_named(symbols, entry, offset))
		return;
	len = strlen(entry.name) + 1;
	copy = pool_alloc(&symbols->pool, len);
	memcpy(copy, entry.name, len);
	symbols->entries[symbols->entries_nr - 1].name = copy;
}

/* Of code for ARM64EC names that are not C++'s have a '#' in front, as Microsoft's and LLVM's tools write them. */
static void add_public(void *data, const struct pdb_record *record)
{
	struct pdb_symbols *symbols = data;
	const unsigned char *s = record->content;
	struct entry entry = { .origin = PUBLIC };
	size_t name = 10;

	if (record->nr < name)
		return;
	if (record->nr > name + 1 && s[name] == '#' && s[name + 1])
		name++;
	entry.segment = le_get16(s + 8);
	add_entry(symbols, entry, le_get32(s + 4), record, name);
}

static void add_procedure(struct pdb_symbols *symbols, const struct pdb_record *record)
{
	const unsigned char *s = record->content;
	struct entry entry = { .origin = PROCEDURE,
			       .length = le_get32(s + PDB_PROC_LENGTH),
			       .segment = le_get16(s + PDB_PROC_SEGMENT) };

	add_entry(symbols, entry, le_get32(s + PDB_PROC_OFFSET), record, PDB_PROC_NAME);
}

static void add_thunk(struct pdb_symbols *symbols, const struct pdb_record *record)
{
	const unsigned char *s = record->content;
	struct entry entry = { .origin = PROCEDURE };

	if (record->nr < 21)
		return;
	entry.segment = le_get16(s + 16);
	entry.length = le_get16(s + 18);
	add_entry(symbols, entry, le_get32(s + 12), record, 21);
}

/* The module's last entry with this start; NULL: none. The map is made on demand, as few modules need it. */
static const struct entry *find_entry(struct pdb_symbols *symbols, uint32_t start)
{
	uintptr_t place;

	for (; symbols->places_end < symbols->entries_nr; symbols->places_end++)
		intmap_put(&symbols->places, symbols->entries[symbols->places_end].start,
			   (void *)((uintptr_t)symbols->places_end + 1));
	place = (uintptr_t)intmap_get(&symbols->places, start);
	return place ? &symbols->entries[place - 1] : NULL;
}

/* Add code that was moved away from its procedure. It shares the name of the procedure, whose record precedes it. */
static void add_separated(struct pdb_symbols *symbols, const struct pdb_record *record)
{
	const unsigned char *s = record->content;
	struct entry entry = { .origin = PROCEDURE };
	const struct entry *procedure;
	uint32_t parent;

	if (record->nr < 28 ||
	    !pdb_file_place(symbols->file, le_get16(s + 26), le_get32(s + 20), &parent))
		return;
	procedure = find_entry(symbols, parent);
	if (!procedure)
		return;
	entry.name = procedure->name;
	entry.segment = le_get16(s + 24);
	entry.length = le_get32(s + 8);
	add_named(symbols, entry, le_get32(s + 16));
}

static void read_module(struct pdb_symbols *symbols, const struct pdb_module *module)
{
	struct pdb_record record;
	struct pdb_stream stream;
	struct pdb_reader reader;
	struct err err = ERR_INIT;

	if (pdb_stream_open(symbols->file->msf, module->stream, &stream, &err)) {
		err_clear(&err);
		return;
	}
	symbols->places_end = symbols->entries_nr;
	pdb_reader_init(&reader, &stream, 4, module->symbols_size);
	while (pdb_read_record(&reader, &record)) {
		if (pdb_is_procedure(&record))
			add_procedure(symbols, &record);
		else if (record.kind == S_THUNK32)
			add_thunk(symbols, &record);
		else if (record.kind == S_SEPCODE)
			add_separated(symbols, &record);
	}
	intmap_release(&symbols->places);
	pdb_reader_release(&reader);
	pdb_stream_close(&stream);
}

static void read_modules(struct pdb_symbols *symbols)
{
	for (size_t i = 0; i < symbols->file->modules_nr; i++) {
		symbols->module = (uint32_t)i;
		if (symbols->file->modules[i].stream != PDB_NO_STREAM)
			read_module(symbols, &symbols->file->modules[i]);
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_u64(x->start, y->start);

	if (!order)
		order = compare_u64(x->origin, y->origin);
	if (order)
		return order;
	if (x->origin == PUBLIC)
		return strcmp(y->name, x->name);
	return compare_u64(x->order, y->order);
}

static bool can_be_read(const char *name)
{
	name += *name == '_' && name[1] == '_';
	return name[0] == '_' && (name[1] == 'R' || name[1] == 'Z');
}

/* Whether it is the decorated form of a procedure's name: "_main", "_exit@4", "@fast@8" on x86, and names of C++. */
static bool is_decorated(const struct pdb_symbols *symbols, const char *name)
{
	return *name == '?' ||
	       (symbols->file->machine == PDB_MACHINE_X86 && (*name == '_' || *name == '@'));
}

/* Whether to keep the name of an entry, if both public symbols and procedures start at its address. */
static bool is_wanted(const struct pdb_symbols *symbols, const struct entry *entry, bool readable,
		      bool procedure)
{
	if (entry->origin == PROCEDURE)
		return !readable;
	return !procedure || readable || !is_decorated(symbols, entry->name);
}

/*
 * The entry whose name is preferred, if the linker folded several identical functions: of procedures the one whose code was
 * kept, of public symbols the last by name. llvm-symbolizer does the same.
 */
static const struct entry *choose(const struct pdb_symbols *symbols, const struct entry *v,
				  size_t nr, bool readable)
{
	const struct pdb_contribution *kept;
	size_t first = 0;

	if (readable) {
		while (!can_be_read(v[first].name))
			first++;
		return &v[first];
	}
	while (first < nr && v[first].origin != PROCEDURE)
		first++;
	if (first + 1 >= nr)
		return first < nr ? &v[first] : v;
	kept = pdb_file_contribution(symbols->file, v->start);
	for (size_t i = first; kept && i < nr; i++) {
		if (v[i].module == kept->module)
			return &v[i];
	}
	return &v[first];
}

/* The end of a symbol without a size: that of its contribution. The symbol table ends it earlier if another one follows. */
static uint32_t limit_of(const struct pdb_file *file, const struct entry *entry)
{
	const struct pdb_contribution *contribution = pdb_file_contribution(file, entry->start);
	const struct pdb_section *section = &file->sections[entry->segment - 1];

	return contribution ? contribution->end : section->start + section->length;
}

/* Add the entries of one address. They have one end; if none has a size, it is `next` at the latest. */
static void add_group(struct pdb_symbols *symbols, const struct entry *v, size_t nr, uint32_t next)
{
	bool readable = false, procedure = false;
	const struct entry *chosen;
	uint32_t length = 0, end;

	for (size_t i = 0; i < nr; i++) {
		readable |= v[i].origin == PUBLIC && can_be_read(v[i].name);
		procedure |= v[i].origin == PROCEDURE;
		if (v[i].length > length)
			length = v[i].length;
	}
	chosen = choose(symbols, v, nr, readable);
	end = length && length <= UINT32_MAX - v->start ? v->start + length
							: limit_of(symbols->file, v);
	if (!length && end > next)
		end = next;
	for (size_t i = 0; i < nr; i++) {
		struct symbol_entry entry = { .start = v[i].start, .end = end, .name = v[i].name };

		if (!is_wanted(symbols, &v[i], readable, procedure))
			continue;
		entry.binding = &v[i] == chosen ? SYMBOL_GLOBAL : SYMBOL_LOCAL;
		symbol_table_add(&symbols->table, entry);
	}
}

static void fill_table(struct pdb_symbols *symbols)
{
	struct entry *v = symbols->entries;
	size_t nr = symbols->entries_nr, end;

	if (nr)
		qsort(v, nr, sizeof(*v), compare_entries);
	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && v[end].start == v[i].start;)
			end++;
		add_group(symbols, &v[i], end - i, end < nr ? v[end].start : UINT32_MAX);
	}
	symbol_table_ready(&symbols->table);
	free(symbols->entries);
	symbols->entries = NULL;
	symbols->entries_nr = symbols->entries_alloc = 0;
}

struct pdb_symbols *pdb_symbols_new(const struct pdb_file *file)
{
	struct pdb_symbols *symbols = xcalloc(1, sizeof(*symbols));

	symbols->file = file;
	symbol_table_init(&symbols->table);
	pdb_publics_read(file, add_public, symbols);
	read_modules(symbols);
	fill_table(symbols);
	return symbols;
}

void pdb_symbols_free(struct pdb_symbols *symbols)
{
	if (!symbols)
		return;
	symbol_table_release(&symbols->table);
	pool_release(&symbols->pool);
	free(symbols->entries);
	free(symbols);
}

size_t pdb_symbols_nr(const struct pdb_symbols *symbols)
{
	return symbols->table.nr;
}

size_t pdb_symbols_seen(const struct pdb_symbols *symbols)
{
	return symbols->seen;
}

/* In a reordered image a symbol is limited to the piece around the address that was moved as a whole. */
bool pdb_symbols_find(const struct pdb_symbols *symbols, uint64_t rva, struct symbol *symbol)
{
	uint64_t before, after;
	struct pdb_piece piece;

	if (!pdb_file_linked(symbols->file, rva, &piece) ||
	    !symbol_table_find(&symbols->table, piece.linked, symbol))
		return false;
	before = piece.linked - symbol->start;
	after = symbol->end - piece.linked;
	symbol->start = rva - (before < piece.before ? before : piece.before);
	symbol->end = rva + (after < piece.after ? after : piece.after);
	return true;
}
