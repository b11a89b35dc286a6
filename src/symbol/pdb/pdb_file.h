/*
 * What a PDB says about its image: the id, the sections, and the module (object file) that each range of code came from.
 *
 * Format: LLVM's documentation, "The PDB Info (aka PDB) Stream" and "The PDB DBI (Debug Info) Stream". An image may have
 * been reordered after it was linked (Microsoft's own are): the PDB then has addresses of the image as linked, and
 * OMAP_TO_SRC (microsoft/microsoft-pdb, langapi/include/pdb.h) maps addresses of the final image to these. All addresses
 * here are relative to the image base; "linked" ones are of the image as linked.
 */
#ifndef SYMBOL_PDB_FILE_H
#define SYMBOL_PDB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/pdb/pdb_msf.h"
#include "util/err.h"
#include "util/key_hash.h"

#define PDB_ID_BYTES 20

#define PDB_MACHINE_X86 0x14c /* IMAGE_FILE_MACHINE_I386 */

struct pdb_section {
	uint32_t start, length;
	bool code;
};

/* Add a character to the hash of a module's name; case is ignored, as PDBs do not write it consistently. */
static inline uint64_t pdb_name_add(uint64_t hash, unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		c += 'a' - 'A';
	return key_hash_add(hash, &c, 1);
}

struct pdb_module {
	uint64_t name;         /* pdb_name_add() of its characters */
	uint16_t stream;       /* with its symbols and lines; PDB_NO_STREAM: none */
	uint32_t symbols_size; /* bytes at the stream's start, with a signature of 4 bytes */
	uint32_t lines_start, lines_size;
};

struct pdb_contribution {
	uint32_t start, end; /* linked */
	uint32_t module;     /* index in `modules`; may be out of range */
};

struct pdb_omap {
	uint32_t from, to; /* `to` 0: code that was not in the image as linked */
};

struct pdb_file {
	struct pdb_msf *msf;
	/*
	 * The GUID as in the file, and an age of 4 bytes, little-endian: as in the image's RSDS record. That age is the
	 * one in the DBI stream; the one in the info stream grows with each change of the file, and counts if there
	 * is no DBI stream.
	 */
	uint8_t id[PDB_ID_BYTES];
	uint32_t age, info_age; /* of the two streams */
	uint16_t machine;       /* IMAGE_FILE_MACHINE_... */
	uint32_t names;         /* streams; PDB_NO_STREAM: none */
	uint32_t publics, symbols;
	struct pdb_section *sections; /* segment 1 first */
	size_t sections_nr;
	struct pdb_module *modules;
	size_t modules_nr, modules_alloc;
	struct pdb_contribution *contributions; /* of code, by start */
	size_t contributions_nr, contributions_alloc;
	struct pdb_omap *omap; /* to linked addresses; by `from` */
	size_t omap_nr;        /* 0: addresses are as linked */
};

/* Open a PDB and read its id; errors as pdb_msf_open(). */
int pdb_file_open(const char *path, struct pdb_file **file, struct err *err);
void pdb_file_free(struct pdb_file *file);

/* Read the other members. Damaged parts are left out: lookups find nothing there. */
void pdb_file_read(struct pdb_file *file);

/* The linked address of a segment and offset, as in records; false: invalid. */
bool pdb_file_place(const struct pdb_file *file, uint32_t segment, uint32_t offset,
		    uint32_t *linked);

/* Whether a segment has code. */
bool pdb_file_is_code(const struct pdb_file *file, uint32_t segment);

/*
 * The linked address of an address, and the number of bytes before and after it that were moved together with it. False: it
 * was not in the image as linked.
 */
struct pdb_piece {
	uint32_t linked;
	uint32_t before, after; /* `after` counts the byte itself */
};
bool pdb_file_linked(const struct pdb_file *file, uint64_t rva, struct pdb_piece *piece);

/* The contribution that contains a linked address; NULL: none. */
const struct pdb_contribution *pdb_file_contribution(const struct pdb_file *file, uint32_t linked);

#endif
