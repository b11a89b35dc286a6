#include "symbol/pdb/pdb_imports.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"

/* In an id is the place in the list of modules; below it that in the module's list. */
#define MODULE_SHIFT 20
#define MODULE_MASK  0x7ffu
#define NUMBER_MASK  0xfffffu

struct export
{
	uint32_t number, id;
};

struct exports {
	struct export *v; /* by number */
	size_t nr;
};

struct pdb_imports {
	const struct pdb_file *file;
	struct intmap exports; /* by hash of the module's name */
};

struct pdb_imports *pdb_imports_new(const struct pdb_file *file)
{
	struct pdb_imports *imports = xcalloc(1, sizeof(*imports));

	imports->file = file;
	return imports;
}

void pdb_imports_free(struct pdb_imports *imports)
{
	if (!imports)
		return;
	for (size_t i = 0; i < imports->exports.alloc; i++) {
		struct exports *exports = imports->exports.v[i].value;

		if (exports)
			free(exports->v);
		free(exports);
	}
	intmap_release(&imports->exports);
	free(imports);
}

/* By module: the place of its name, how many numbers, and these. */
bool pdb_imports_find(const struct pdb_unit *unit, uint32_t id, uint32_t *module_name,
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

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
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

static const struct exports *find_exports(struct pdb_imports *imports, const char *module_name)
{
	struct exports *exports;
	uint64_t hash = FNV_FIRST;

	for (const char *c = module_name; *c; c++)
		hash = pdb_name_add(hash, (unsigned char)*c);
	exports = intmap_get(&imports->exports, (int64_t)hash);
	if (exports)
		return exports;
	exports = xcalloc(1, sizeof(*exports));
	intmap_put(&imports->exports, (int64_t)hash, exports);
	for (size_t i = 0; i < imports->file->modules_nr; i++) {
		if (imports->file->modules[i].name == hash) {
			read_module(imports->file, &imports->file->modules[i], exports);
			break;
		}
	}
	return exports;
}

uint32_t pdb_imports_id(struct pdb_imports *imports, const char *module_name, uint32_t number)
{
	const struct exports *exports = find_exports(imports, module_name);
	size_t low;

	ARRAY_SEARCH(low, exports->nr, i, exports->v[i].number < number);
	return low < exports->nr && exports->v[low].number == number ? exports->v[low].id : 0;
}
