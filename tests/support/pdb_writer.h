/*
 * Made-up PDBs: streams with what a test wants to be in them, put into an MSF file. Little is checked: a test may want
 * damage.
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

/* A record of symbols or types: between these what its kind says; its length is a multiple of 4. */
size_t pdb_record_begin(struct strbuf *to, unsigned kind);
void pdb_record_end(struct strbuf *to, size_t begin);

void pdb_put_public(struct strbuf *to, unsigned segment, uint32_t offset, const char *name);

/* Its records follow, and S_END (6). */
void pdb_put_procedure(struct strbuf *to, unsigned segment, uint32_t offset, uint32_t length,
		       const char *name);

/* A table of a module's lines: between these what its kind says. */
size_t pdb_table_begin(struct strbuf *to, unsigned kind);
void pdb_table_end(struct strbuf *to, size_t begin);

enum { PDB_WRITER_STREAMS = 32 };

/* Streams 1 (id of the PDB), 2 and 4 (types and ids) and 3 (modules) are made from these members. */
struct pdb_writer {
	uint32_t page_size; /* 0: 512 */
	uint8_t guid[16];
	uint32_t info_age, age;
	unsigned machine; /* 0: x86-64 */
	bool scatter;     /* pages that follow each other in a stream are apart in the file */
	bool no_sections, no_marks, no_map;
	struct strbuf modules, contributions, sections, original_sections, omap;
	struct strbuf names;          /* strings; their places are those in it */
	struct strbuf publics, stale; /* stale: of an earlier link, which do not count */
	struct strbuf types, ids;
	unsigned types_nr, ids_nr; /* numbers begin at 0x1000 */
	struct strbuf streams[PDB_WRITER_STREAMS];
	unsigned streams_nr; /* from 5 on those of modules */
};

void pdb_writer_init(struct pdb_writer *writer);
void pdb_writer_release(struct pdb_writer *writer);

/* Section 1 and so on; `code`: it runs. */
void pdb_writer_section(struct strbuf *to, uint32_t start, uint32_t length, bool code);
void pdb_writer_contribution(struct pdb_writer *writer, unsigned segment, uint32_t offset,
			     uint32_t length, unsigned module);

/* A module with these symbols and tables. */
void pdb_writer_module(struct pdb_writer *writer, const char *name, const struct strbuf *symbols,
		       const struct strbuf *tables);

/* The place of a string among the names. */
uint32_t pdb_writer_name(struct pdb_writer *writer, const char *s);

/* A record of `ids` or `types`, as built; its number. */
uint32_t pdb_writer_id(struct pdb_writer *writer, unsigned kind, uint32_t scope, const char *name);
uint32_t pdb_writer_class(struct pdb_writer *writer, const char *name);

/* The whole file. */
void pdb_writer_finish(struct pdb_writer *writer, struct strbuf *file);

/* An MSF file of any streams. */
void msf_write(const struct strbuf *streams, size_t nr, uint32_t page_size, bool scatter,
	       struct strbuf *file);

/* A function with another one inlined into it, in a file of two sources: what most tests ask about. See the source. */
void pdb_writer_example(struct pdb_writer *writer);

#endif
