/*
 * One module (object file) of a PDB in memory: its lines, its procedures, and the functions inlined into them.
 *
 * Format of the lines: LLVM's documentation, "The Module Information Stream" and microsoft/microsoft-pdb,
 * include/cvinfo.h (CV_DebugSLinesHeader_t and others). The line format used before 2002 (C11) is not read.
 */
#ifndef SYMBOL_PDB_UNIT_H
#define SYMBOL_PDB_UNIT_H

#include "symbol/pdb/pdb_file.h"

#define PDB_NO_FILE UINT32_MAX

/* A line of code, from `start` to the next line. */
struct pdb_line {
	uint32_t start; /* linked */
	uint32_t order;
	uint32_t file; /* offset in `files` */
	uint32_t line; /* 0: not known */
};

/* A range of code and its lines, sorted by start. */
struct pdb_fragment {
	uint32_t start, end; /* linked */
	uint32_t order;
	size_t lines, lines_nr; /* in `lines` of the unit */
};

/* The first line of a function that was inlined. */
struct pdb_inlinee {
	uint32_t id, order, file, line;
};

struct pdb_procedure {
	uint32_t start, end; /* linked */
	uint32_t inside;     /* offset of the first record in it */
};

struct pdb_unit {
	unsigned char *symbols, *tables; /* as in the stream */
	size_t symbols_nr, tables_nr;
	/* A part of `tables`: for each file, an offset in the list of all names, and a checksum. */
	struct byte_cursor files;
	/* A part of `tables`: ids of functions in other modules; see pdb_ids.h. */
	struct byte_cursor imports;
	struct pdb_line *lines;
	size_t lines_nr, lines_alloc;
	struct pdb_fragment *fragments; /* by start */
	size_t fragments_nr, fragments_alloc;
	struct pdb_inlinee *inlinees; /* by id */
	size_t inlinees_nr, inlinees_alloc;
	struct pdb_procedure *procedures; /* by start */
	size_t procedures_nr, procedures_alloc;
};

/* ERR_NOT_FOUND: the file has no symbols or lines of the module. Damaged parts are left out. */
int pdb_unit_read(const struct pdb_file *file, uint32_t module, struct pdb_unit *unit,
		  struct err *err);
void pdb_unit_release(struct pdb_unit *unit);

/* The line of an address, the inlined function of an id, the procedure of an address; NULL: unknown. */
const struct pdb_line *pdb_unit_line(const struct pdb_unit *unit, uint32_t linked);
const struct pdb_inlinee *pdb_unit_inlinee(const struct pdb_unit *unit, uint32_t id);
const struct pdb_procedure *pdb_unit_procedure(const struct pdb_unit *unit, uint32_t linked);

/*
 * The table of a kind among the tables of a module; the last one if there are several, empty if there is none.
 */
#define PDB_TABLE_EXPORTS 0xf8
struct byte_cursor pdb_unit_table(const unsigned char *tables, size_t nr, uint32_t kind);

/* The offset of a file's name in the list of all names; false: not known. */
bool pdb_unit_file(const struct pdb_unit *unit, uint32_t file, uint32_t *name);

#endif
