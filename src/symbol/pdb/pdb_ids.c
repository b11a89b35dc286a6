#include "symbol/pdb/pdb_ids.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/pdb/pdb_records.h"
#include "symbol/pool.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/intmap.h"
#include "util/strbuf.h"

enum { STREAM_TYPES = 2, STREAM_IDS = 4 };

#define HEADER_BYTES  56
#define CHUNK_BYTES   8192u /* between two marks, as linkers write them */
#define MARK_GAP_MAX  (UINT64_C(2) << 16)
#define MARKS_MAX     (1u << 24) /* bytes */
#define NUMBER_PREFIX 0x8000u    /* from here on: a number follows the 2 bytes */

/* An imported id has the index of the module in the import list and, in the low bits, the index in the module's numbers. */
#define MODULE_SHIFT 20
#define MODULE_MASK  0x7ffu
#define NUMBER_MASK  0xfffffu

/* The position of the record with a number. */
struct mark {
	uint32_t number, offset;
};

struct types {
	struct pdb_stream stream; /* size 0: none */
	uint32_t first, end;      /* range of numbers */
	uint64_t start, stop;     /* range of the records in the stream */
	struct mark *marks;
	size_t marks_nr, marks_alloc;
	struct pdb_reader reader; /* for lookups */
};

struct export
{
	uint32_t number, id;
};

/* Of one module. */
struct exports {
	struct export *v; /* sorted by number */
	size_t nr;
};

struct pdb_ids {
	const struct pdb_file *file;
	struct types types, ids;
	struct pool pool;
	struct intmap names;   /* by id; "" for none */
	struct intmap exports; /* by hash of the module's name */
};

static void add_mark(struct types *types, uint32_t number, uint32_t offset)
{
	ARRAY_GROW(types->marks, types->marks_nr + 1, types->marks_alloc);
	types->marks[types->marks_nr++] = (struct mark){ number, offset };
}

/* Whether marks are at most about a chunk and a record apart: a lookup walks from the mark before. */
static bool are_near(const struct types *types)
{
	for (size_t i = 0; i < types->marks_nr; i++) {
		uint64_t next = i + 1 < types->marks_nr ? types->marks[i + 1].offset
							: types->stop - types->start;

		if (next > types->marks[i].offset + MARK_GAP_MAX)
			return false;
	}
	return types->marks_nr;
}

/* Read the marks that the linker wrote; they are ignored unless they ascend. */
static void read_marks(struct types *types, const struct pdb_msf *msf, const unsigned char *head)
{
	uint32_t number = le_get16(head + 20), at = le_get32(head + 40);
	uint32_t nr = le_get32(head + 44) / 8 * 8;
	unsigned char *bytes = NULL;
	struct err err = ERR_INIT;
	struct pdb_stream stream;

	if (number != PDB_NO_STREAM && nr <= MARKS_MAX &&
	    !pdb_stream_open(msf, number, &stream, &err)) {
		bytes = pdb_stream_load(&stream, at, nr, &err);
		pdb_stream_close(&stream);
	}
	err_clear(&err);
	for (uint32_t i = 0; bytes && i < nr; i += 8) {
		uint32_t next = le_get32(bytes + i), offset = le_get32(bytes + i + 4);
		const struct mark *last =
			types->marks_nr ? &types->marks[types->marks_nr - 1] : NULL;

		if (last ? next <= last->number || offset <= last->offset
			 : next != types->first || offset)
			break;
		add_mark(types, next, offset);
	}
	free(bytes);
}

/* If the linker wrote no marks, make them by walking all records once. */
static void make_marks(struct types *types)
{
	uint32_t number = types->first;
	struct pdb_record record;
	struct pdb_reader reader;
	uint64_t at, marked = 0;

	pdb_reader_init(&reader, &types->stream, types->start, types->stop);
	for (at = 0; pdb_read_record(&reader, &record); at = reader.offset - types->start) {
		if (number == types->first || at - marked >= CHUNK_BYTES) {
			add_mark(types, number, (uint32_t)at);
			marked = at;
		}
		number++;
	}
	pdb_reader_release(&reader);
}

static void open_types(struct types *types, const struct pdb_msf *msf, uint32_t number)
{
	unsigned char head[HEADER_BYTES];
	struct err err = ERR_INIT;

	if (pdb_stream_open(msf, number, &types->stream, &err) ||
	    pdb_stream_read(&types->stream, 0, head, sizeof(head), &err)) {
		pdb_stream_close(&types->stream);
		err_clear(&err);
		return;
	}
	types->start = le_get32(head + 4);
	types->first = le_get32(head + 8);
	types->end = le_get32(head + 12);
	types->stop = types->start + le_get32(head + 16);
	read_marks(types, msf, head);
	if (are_near(types))
		return;
	types->marks_nr = 0;
	make_marks(types);
}

/* Find the record of a number; valid until the next call. */
static bool find_record(struct types *types, uint32_t number, struct pdb_record *record)
{
	size_t low;
	uint64_t stop = types->stop;
	uint32_t at;

	if (number < types->first || number >= types->end)
		return false;
	ARRAY_SEARCH(low, types->marks_nr, i, types->marks[i].number <= number);
	if (!low)
		return false;
	if (low < types->marks_nr)
		stop = types->start + types->marks[low].offset;
	pdb_reader_release(&types->reader);
	pdb_reader_init(&types->reader, &types->stream, types->start + types->marks[low - 1].offset,
			stop);
	for (at = types->marks[low - 1].number; pdb_read_record(&types->reader, record); at++) {
		if (at == number)
			return true;
	}
	return false;
}

/* The offset after a number of variable size. */
static size_t skip_number(const struct pdb_record *record, size_t at)
{
	static const uint8_t sizes[] = { 1, 2, 2, 4, 4, 4, 8, 10, 16, 8, 8 };
	uint16_t prefix;

	if (at + 2 > record->nr)
		return record->nr;
	prefix = le_get16(record->content + at);
	if (prefix < NUMBER_PREFIX)
		return at + 2;
	prefix -= NUMBER_PREFIX;
	return prefix < ARRAY_SIZE(sizes) ? at + 2 + sizes[prefix] : record->nr;
}

static const char *type_name(const struct pdb_record *record)
{
	size_t at = record->nr;

	switch (record->kind) {
	case LF_CLASS:
	case LF_STRUCTURE:
	case LF_INTERFACE:
		at = skip_number(record, 16);
		break;
	case LF_UNION:
		at = skip_number(record, 8);
		break;
	case LF_ENUM:
		at = 12;
		break;
	case LF_STRING_ID:
		at = 4;
		break;
	}
	return pdb_string(record->content, record->nr, at);
}

/* Append the scope of a function and "::". */
static void add_scope(struct types *from, uint32_t number, struct strbuf *name)
{
	struct pdb_record record;
	const char *scope = find_record(from, number, &record) ? type_name(&record) : NULL;

	if (scope && *scope) {
		strbuf_adds(name, scope);
		strbuf_adds(name, "::");
	}
}

static void read_name(struct pdb_ids *ids, uint32_t id, struct strbuf *name)
{
	struct pdb_record record;
	bool member, function = find_record(&ids->ids, id, &record);
	const char *last = function ? pdb_string(record.content, record.nr, 8) : NULL;
	char *own;

	if (!last || (record.kind != LF_FUNC_ID && record.kind != LF_MFUNC_ID))
		return;
	member = record.kind == LF_MFUNC_ID;
	own = xstrdup(last);
	add_scope(member ? &ids->types : &ids->ids, le_get32(record.content), name);
	strbuf_adds(name, own);
	free(own);
}

const char *pdb_ids_name(struct pdb_ids *ids, uint32_t id)
{
	const char *known = intmap_get(&ids->names, id);

	if (!known) {
		struct strbuf name = STRBUF_INIT;

		read_name(ids, id, &name);
		known = pool_string(&ids->pool, name.buf);
		intmap_put(&ids->names, id, (void *)(uintptr_t)known);
		strbuf_release(&name);
	}
	return *known ? known : NULL;
}

struct pdb_ids *pdb_ids_new(const struct pdb_file *file)
{
	struct pdb_ids *ids = xcalloc(1, sizeof(*ids));

	ids->file = file;
	open_types(&ids->types, file->msf, STREAM_TYPES);
	open_types(&ids->ids, file->msf, STREAM_IDS);
	return ids;
}

static void close_types(struct types *types)
{
	pdb_reader_release(&types->reader);
	pdb_stream_close(&types->stream);
	free(types->marks);
}

void pdb_ids_free(struct pdb_ids *ids)
{
	if (!ids)
		return;
	close_types(&ids->types);
	close_types(&ids->ids);
	intmap_release(&ids->names);
	for (size_t i = 0; i < ids->exports.nr; i++) {
		struct exports *exports = ids->exports.v[i].value;

		free(exports->v);
		free(exports);
	}
	intmap_release(&ids->exports);
	pool_release(&ids->pool);
	free(ids);
}

/* The import list has, for each module, the offset of its name, the count of its numbers, and the numbers. */
bool pdb_ids_find_import(const struct pdb_unit *unit, uint32_t id, uint32_t *module_name,
			 uint32_t *number)
{
	uint32_t skip = id >> MODULE_SHIFT & MODULE_MASK, nr, at = id & NUMBER_MASK;
	struct byte_cursor bytes = unit->imports;
	const unsigned char *numbers;

	do {
		if (!byte_cursor_take32(&bytes, module_name) || !byte_cursor_take32(&bytes, &nr))
			return false;
		numbers = byte_cursor_take(&bytes, (uint64_t)nr * 4);
		if (!numbers)
			return false;
	} while (skip--);
	if (at >= nr)
		return false;
	*number = le_get32(numbers + (size_t)at * 4);
	return true;
}

static int compare_exports(const void *a, const void *b)
{
	const struct export *x = a, *y = b;
	int order = compare_u64(x->number, y->number);

	return order ? order : compare_u64(x->id, y->id);
}

static void read_exports(struct exports *exports, struct byte_cursor table)
{
	const unsigned char *pair;

	exports->v = xcalloc(table.left / 8 + 1, sizeof(*exports->v));
	while ((pair = byte_cursor_take(&table, 8)))
		exports->v[exports->nr++] = (struct export){ le_get32(pair), le_get32(pair + 4) };
	if (exports->nr)
		qsort(exports->v, exports->nr, sizeof(*exports->v), compare_exports);
}

static void read_module(const struct pdb_file *file, const struct pdb_module *module,
			struct exports *exports)
{
	struct err err = ERR_INIT;
	struct pdb_stream stream;
	unsigned char *tables;

	if (module->stream == PDB_NO_STREAM ||
	    pdb_stream_open(file->msf, module->stream, &stream, &err)) {
		err_clear(&err);
		return;
	}
	tables = pdb_stream_load(&stream, module->lines_start, module->lines_size, &err);
	if (tables)
		read_exports(exports,
			     pdb_unit_table(tables, module->lines_size, PDB_TABLE_EXPORTS));
	free(tables);
	err_clear(&err);
	pdb_stream_close(&stream);
}

static const struct exports *find_exports(struct pdb_ids *ids, const char *module_name)
{
	struct exports *exports;
	uint64_t hash = key_hash_first();

	for (const char *c = module_name; *c; c++)
		hash = pdb_name_add(hash, (unsigned char)*c);
	exports = intmap_get(&ids->exports, (int64_t)hash);
	if (exports)
		return exports;
	exports = xcalloc(1, sizeof(*exports));
	intmap_put(&ids->exports, (int64_t)hash, exports);
	for (size_t i = 0; i < ids->file->modules_nr; i++) {
		if (ids->file->modules[i].name == hash) {
			read_module(ids->file, &ids->file->modules[i], exports);
			break;
		}
	}
	return exports;
}

uint32_t pdb_ids_imported(struct pdb_ids *ids, const char *module_name, uint32_t number)
{
	const struct exports *exports = find_exports(ids, module_name);
	size_t low;

	ARRAY_SEARCH(low, exports->nr, i, exports->v[i].number < number);
	return low < exports->nr && exports->v[low].number == number ? exports->v[low].id : 0;
}
