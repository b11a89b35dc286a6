/*
 * Prints the contents of a PDB, for tests/tools/check-pdb.py.
 *
 *     ask-pdb FILE.pdb <ADDRESSES           a line each level, innermost first: address, level, linkage name, file, line
 *     ask-pdb --names FILE.pdb <ADDRESSES   only the functions: no lines, no inlined functions
 *     ask-pdb --publics FILE.pdb            its public symbols: segment, offset, kind, name
 *     ask-pdb --id FILE.pdb                 GUID and age, as a symbol store writes them
 *
 * Addresses are hexadecimal, a line each, relative to the image's start.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_lines.h"
#include "symbol/pdb/pdb_module.h"
#include "symbol/pdb/pdb_symbols.h"
#include "util/array.h"

struct addresses {
	uint64_t *v;
	size_t nr, alloc;
	const struct pdb_symbols *symbols;
};

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void read_addresses(struct addresses *addresses)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		ARRAY_GROW(addresses->v, addresses->nr + 1, addresses->alloc);
		addresses->v[addresses->nr++] = strtoull(line, NULL, 16);
	}
	if (addresses->nr)
		qsort(addresses->v, addresses->nr, sizeof(*addresses->v), compare_addresses);
}

static void print_name(const struct addresses *addresses, uint64_t rva)
{
	struct symbol symbol;

	if (pdb_symbols_find(addresses->symbols, rva, &symbol))
		printf("0x%" PRIx64 "\t0\t%s\t?\t0\n", rva, symbol.name);
	else
		printf("0x%" PRIx64 "\t0\t?\t?\t0\n", rva);
}

static void print_chain(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	struct addresses *addresses = data;

	for (size_t i = 0; i < nr; i++)
		printf("0x%" PRIx64 "\t%zu\t%s\t%s\t%u\n", addresses->v[index], i,
		       lines[i].function ? lines[i].function : "?",
		       lines[i].file ? lines[i].file : "?", lines[i].line);
	addresses->v[index] = UINT64_MAX;
}

static void print_lines(const struct pdb_file *file, struct addresses *addresses)
{
	struct pdb_lines *lines = pdb_lines_new(file, addresses->symbols);

	pdb_lines_find(lines, addresses->v, addresses->nr,
		       (struct line_sink){ addresses, print_chain });
	pdb_lines_free(lines);
	for (size_t i = 0; i < addresses->nr; i++) {
		if (addresses->v[i] != UINT64_MAX)
			print_name(addresses, addresses->v[i]);
	}
}

static void print_public(void *data, const struct pdb_record *record)
{
	(void)data;
	if (record->nr > 10)
		printf("%u\t%u\t%s\t%s\n", le_get16(record->content + 8),
		       le_get32(record->content + 4),
		       le_get32(record->content) & 2 ? "function" : "none",
		       (const char *)record->content + 10);
}

static void answer(struct pdb_file *file, bool names)
{
	struct pdb_symbols *symbols;
	struct addresses addresses = { .v = NULL };

	pdb_file_read(file);
	addresses.symbols = symbols = pdb_symbols_new(file);
	read_addresses(&addresses);
	for (size_t i = 0; names && i < addresses.nr; i++)
		print_name(&addresses, addresses.v[i]);
	if (!names)
		print_lines(file, &addresses);
	pdb_symbols_free(symbols);
	free(addresses.v);
}

int main(int argc, char **argv)
{
	const char *option = argc == 3 ? argv[1] : "";
	struct err err = ERR_INIT;
	struct pdb_file *file;
	int rc;

	if (argc < 2 || argc > 3)
		return 2;
	rc = pdb_file_open(argv[argc - 1], &file, &err);
	if (!rc) {
		if (!strcmp(option, "--publics")) {
			pdb_publics_read(file, print_public, NULL);
		} else if (!strcmp(option, "--id")) {
			char *name = module_symbol_id(file->id);

			puts(name);
			free(name);
		} else {
			answer(file, *option);
		}
		pdb_file_free(file);
	}
	if (rc)
		fprintf(stderr, "ask-pdb: %s\n", err.msg);
	err_clear(&err);
	return rc ? 1 : 0;
}
