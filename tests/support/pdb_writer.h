/*
 * Writes synthetic PDBs: streams with the contents that a test needs, in an MSF file. Little is checked: a test may need
 * a damaged file.
 */
#ifndef TESTS_SUPPORT_PDB_WRITER_H
#define TESTS_SUPPORT_PDB_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

void put16(struct strbuf *to, unsigned value);
void put32(struct strbuf *to, uint32_t value);
void put_string(struct strbuf *to, const char *s); /* with its NUL */
void put_align(struct strbuf *to);                 /* zeros up to a multiple of 4 */

/* A record of symbols or types; add its content between the two calls. It is padded to a multiple of 4. */
size_t pdb_record_begin(struct strbuf *to, unsigned kind);
void pdb_record_end(struct strbuf *to, size_t begin);

void pdb_put_public(struct strbuf *to, unsigned segment, uint32_t offset, const char *name);

/* Add its records next, then S_END (6). */
void pdb_put_procedure(struct strbuf *to, unsigned segment, uint32_t offset, uint32_t length,
		       const char *name);

/* A table of a module's lines; add its content between the two calls. */
size_t pdb_table_begin(struct strbuf *to, unsigned kind);
void pdb_table_end(struct strbuf *to, size_t begin);

enum { PDB_WRITER_STREAMS = 32 };

/* Streams 1 (id of the PDB), 2 and 4 (types and ids) and 3 (modules) are made from these members. */
struct pdb_writer {
	uint32_t page_size; /* 0: 512 */
	uint8_t guid[16];
	uint32_t info_age, age;
	unsigned machine; /* 0: x86-64 */
	bool scatter;     /* consecutive pages of a stream are apart in the file */
	bool no_sections, no_marks, no_map;
	bool map_overlaps; /* the map of public symbols lists each 4 bytes of them */
	struct strbuf modules, contributions, sections, original_sections, omap;
	struct strbuf names;          /* strings; a name is given by its offset */
	struct strbuf publics, stale; /* stale: obsolete ones, of an earlier link */
	struct strbuf types, ids;
	unsigned types_nr, ids_nr; /* numbers begin at 0x1000 */
	struct strbuf streams[PDB_WRITER_STREAMS];
	unsigned streams_nr; /* those of modules are from 5 on */
};

void pdb_writer_init(struct pdb_writer *writer);
void pdb_writer_release(struct pdb_writer *writer);

/* Append a section, numbered from 1; `code`: it is executable. */
void pdb_writer_section(struct strbuf *to, uint32_t start, uint32_t length, bool code);
void pdb_writer_contribution(struct pdb_writer *writer, unsigned segment, uint32_t offset,
			     uint32_t length, unsigned module);

/* Add a module with these symbols and tables. */
void pdb_writer_module(struct pdb_writer *writer, const char *name, const struct strbuf *symbols,
		       const struct strbuf *tables);

/* Add a string to the names; returns its offset. */
uint32_t pdb_writer_name(struct pdb_writer *writer, const char *s);

/* Add a record to `ids` or `types`; returns its number. */
uint32_t pdb_writer_id(struct pdb_writer *writer, unsigned kind, uint32_t scope, const char *name);
uint32_t pdb_writer_class(struct pdb_writer *writer, const char *name);

/* Append the whole file. */
void pdb_writer_finish(struct pdb_writer *writer, struct strbuf *file);

/* Append an MSF file with any streams. */
void msf_write(const struct strbuf *streams, size_t nr, uint32_t page_size, bool scatter,
	       struct strbuf *file);

/* Add what most tests need: a function with another one inlined into it, from two source files. See pdb_writer.c. */
void pdb_writer_example(struct pdb_writer *writer);

#endif
