/*
 * Measures the time to open a file with symbols and look up 50,000 addresses in it, for tests/bench/pdb-lookups.sh.
 *
 *     time-symbols make NR FILE.pdb FILE.s   NR functions of 16 bytes, the same in both; FILE.s is for the assembler
 *     time-symbols FILE                      milliseconds, and the number of addresses with a name
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "support/pdb_writer.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_symbols.h"
#include "util/text.h"

#define PLACES 50000
#define LENGTH 16u

static int make(uint32_t nr, const char *pdb_path, const char *assembler_path)
{
	FILE *pdb = fopen(pdb_path, "wb"), *assembler = fopen(assembler_path, "w");
	struct strbuf symbols = STRBUF_INIT, tables = STRBUF_INIT, file = STRBUF_INIT;
	struct pdb_writer writer;
	char name[128];

	if (!pdb || !assembler)
		return 1;
	pdb_writer_init(&writer);
	writer.page_size = 4096;
	pdb_writer_section(&writer.sections, 0x1000, nr * LENGTH, true);
	fputs("\t.text\n", assembler);
	for (uint32_t i = 0; i < nr; i++) {
		snprintf(name, sizeof(name),
			 "_RNvNtNtCs4fqI2P2rA04_10some_crate6module%" PRIu32 "function", i);
		pdb_writer_contribution(&writer, 1, i * LENGTH, LENGTH, 0);
		pdb_put_public(&writer.publics, 1, i * LENGTH, name);
		pdb_put_procedure(&symbols, 1, i * LENGTH, LENGTH, "some_crate::module::function");
		pdb_record_end(&symbols, pdb_record_begin(&symbols, 6));
		fprintf(assembler,
			"\t.globl %s\n\t.type %s,@function\n%s:\n\t.skip %u\n\t.size %s, %u\n",
			name, name, name, LENGTH, name, LENGTH);
	}
	pdb_writer_module(&writer, "m", &symbols, &tables);
	pdb_writer_finish(&writer, &file);
	return (fwrite(file.buf, 1, file.len, pdb) != file.len) | fclose(pdb) | fclose(assembler);
}

/* Which it is, opened. */
struct opened {
	struct elf_symbols *elf;
	struct pdb_file *pdb;
	struct pdb_symbols *symbols;
};

static int open_file(const char *path, struct opened *opened, struct err *err)
{
	const struct module module = { .path = (char *)(uintptr_t)path };

	if (!text_ends_with(path, ".pdb"))
		return elf_symbols_open(&module, module.path, NULL, &opened->elf, err);
	if (pdb_file_open(path, &opened->pdb, err))
		return -1;
	pdb_file_read(opened->pdb);
	opened->symbols = pdb_symbols_new(opened->pdb);
	return 0;
}

static int look_up(const char *path)
{
	struct opened opened = { NULL, NULL, NULL };
	int64_t start = clock_now();
	struct err err = ERR_INIT;
	uint32_t seed = 1;
	size_t found = 0, nr;

	if (open_file(path, &opened, &err)) {
		fprintf(stderr, "time-symbols: %s\n", err.msg);
		return 1;
	}
	nr = opened.elf ? elf_symbols_nr(opened.elf) : pdb_symbols_nr(opened.symbols);
	for (int i = 0; i < PLACES; i++) {
		struct symbol symbol;
		uint64_t offset;

		seed = seed * 1664525 + 1013904223;
		offset = 0x1000 + seed % (nr * LENGTH);
		found += opened.elf ? elf_symbols_find(opened.elf, offset, &symbol)
				    : pdb_symbols_find(opened.symbols, offset, &symbol);
	}
	printf("%.1f ms, %zu symbols, %zu of %d places named\n",
	       (double)(clock_now() - start) / 1e6, nr, found, PLACES);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "make"))
		return make((uint32_t)strtoul(argv[2], NULL, 10), argv[3], argv[4]);
	return argc == 2 ? look_up(argv[1]) : 2;
}
