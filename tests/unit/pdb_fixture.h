/*
 * Writes PDBs of tests/support/pdb_writer.h to a temporary directory.
 */
#ifndef TESTS_UNIT_PDB_FIXTURE_H
#define TESTS_UNIT_PDB_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "support/pdb_writer.h"
#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_symbols.h"
#include "util/alloc.h"
#include "util/array.h"

struct pdb_place {
	char *dir, *path;
};

static inline int pdb_place_setup(void **state)
{
	struct pdb_place *place = xcalloc(1, sizeof(*place));
	struct err err = ERR_INIT;

	place->dir = fs_temp_dir(&err);
	assert_non_null(place->dir);
	place->path = fs_join(place->dir, "example.pdb");
	*state = place;
	return 0;
}

static inline int pdb_place_teardown(void **state)
{
	struct pdb_place *place = *state;
	struct err err = ERR_INIT;

	assert_int_equal(fs_remove_tree(place->dir, &err), 0);
	free(place->dir);
	free(place->path);
	free(place);
	return 0;
}

static inline void pdb_place_put(const char *path, const struct strbuf *bytes)
{
	FILE *file = fs_open(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes->buf, 1, bytes->len, file), bytes->len);
	assert_int_equal(fclose(file), 0);
}

/* Write the file, and release the writer. */
static inline void pdb_place_write(const char *path, struct pdb_writer *writer)
{
	struct strbuf bytes = STRBUF_INIT;

	pdb_writer_finish(writer, &bytes);
	pdb_place_put(path, &bytes);
	strbuf_release(&bytes);
	pdb_writer_release(writer);
}

/* A PDB that is opened, with its functions. */
struct pdb_open {
	struct pdb_file *file;
	struct pdb_symbols *symbols;
};

static inline struct pdb_open pdb_open(const char *path)
{
	struct err err = ERR_INIT;
	struct pdb_open open;

	assert_int_equal(pdb_file_open(path, &open.file, &err), 0);
	pdb_file_read(open.file);
	open.symbols = pdb_symbols_new(open.file);
	return open;
}

static inline void pdb_close(struct pdb_open *open)
{
	pdb_symbols_free(open->symbols);
	pdb_file_free(open->file);
}

/* `expected` NULL: nothing must be found. */
static inline void pdb_expect(const struct pdb_open *open, uint64_t rva, const char *name,
			      uint64_t start, uint64_t end)
{
	struct symbol symbol;
	bool found = pdb_symbols_find(open->symbols, rva, &symbol);

	assert_int_equal(found, name != NULL);
	if (!found)
		return;
	assert_string_equal(symbol.name, name);
	assert_int_equal(symbol.start, start);
	assert_int_equal(symbol.end, end);
}

/* Paths are joined by either slash on Windows. */
static inline void expect_path(const char *path, const char *expected)
{
	char *a = xstrdup(path), *b = xstrdup(expected);

	for (char *at = a; *at; at++)
		*at = *at == '\\' ? '/' : *at;
	for (char *at = b; *at; at++)
		*at = *at == '\\' ? '/' : *at;
	assert_string_equal(a, b);
	free(a);
	free(b);
}

#endif
