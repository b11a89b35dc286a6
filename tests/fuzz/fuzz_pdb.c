/*
 * Any bytes as a PDB: a symbol that is found covers the requested address, and lines are reported innermost first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_lines.h"
#include "symbol/pdb/pdb_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ASKED 512
#define START 0x1000u
#define STEP  5u

static void add_lines(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	bool *seen = data;

	if (index >= ASKED || seen[index] || !nr || nr > 130)
		abort();
	seen[index] = true;
	for (size_t i = 0; i < nr; i++) {
		if ((lines[i].function && !*lines[i].function) ||
		    (lines[i].file && !*lines[i].file))
			abort();
	}
}

static void ask(const struct pdb_file *file, const struct pdb_symbols *symbols)
{
	struct pdb_lines *lines = pdb_lines_new(file, symbols);
	bool seen[ASKED] = { false };
	uint64_t rvas[ASKED];

	for (size_t i = 0; i < ASKED; i++) {
		struct symbol symbol;

		rvas[i] = START + i * STEP;
		if (pdb_symbols_find(symbols, rvas[i], &symbol) &&
		    (rvas[i] < symbol.start || rvas[i] >= symbol.end || !*symbol.name))
			abort();
	}
	pdb_lines_find(lines, rvas, ASKED, (struct line_sink){ seen, add_lines });
	pdb_lines_free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int descriptor = -1;
	struct pdb_symbols *symbols;
	struct pdb_file *file;
	struct err err = ERR_INIT;
	char path[64];

	if (descriptor < 0)
		descriptor = memfd_create("pdb", 0);
	if (descriptor < 0 || ftruncate(descriptor, 0) ||
	    pwrite(descriptor, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	if (pdb_file_open(path, &file, &err)) {
		err_clear(&err);
		return 0;
	}
	pdb_file_read(file);
	symbols = pdb_symbols_new(file);
	ask(file, symbols);
	pdb_symbols_free(symbols);
	pdb_file_free(file);
	return 0;
}
