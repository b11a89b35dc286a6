/*
 * The container of a PDB: streams, each of pages that are anywhere in the file.
 *
 * Format: LLVM's documentation, "The PDB File Format: MSF"; that the list of the directory's pages may itself fill
 * several pages, which the first page of the file lists: microsoft/microsoft-pdb, PDB/msf. The map of free pages, which
 * comes in two forms, is for who writes. MSF 2.00 (before 2002) and the PDBs of .NET (ECMA-335 metadata) are refused.
 *
 * Of the directory a place and a size are kept for each stream; a stream's pages are listed while it is open.
 */
#ifndef SYMBOL_PDB_MSF_H
#define SYMBOL_PDB_MSF_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct pdb_msf;

#define PDB_NO_STREAM 0xffffu /* where a number of a stream may be missing */

struct pdb_stream {
	const struct pdb_msf *msf;
	uint32_t *pages;
	uint32_t size;
};

/* ERR_NOT_FOUND: no such file; ERR_UNSUPPORTED: a PDB of another kind; ERR_CORRUPT: none, or its directory is damaged. */
int pdb_msf_open(const char *path, struct pdb_msf **msf, struct err *err);
void pdb_msf_close(struct pdb_msf *msf);

/* Bytes of the file. */
uint64_t pdb_msf_file_size(const struct pdb_msf *msf);

/* Bytes of a stream; 0 where there is none of this number. */
uint32_t pdb_msf_size(const struct pdb_msf *msf, uint32_t number);

/* ERR_NOT_FOUND where there is none, or it is empty. */
int pdb_stream_open(const struct pdb_msf *msf, uint32_t number, struct pdb_stream *stream,
		    struct err *err);
void pdb_stream_close(struct pdb_stream *stream);

/* All `nr` bytes, or it fails. Thread-safe. */
int pdb_stream_read(const struct pdb_stream *stream, uint64_t offset, void *to, size_t nr,
		    struct err *err);

/* The same in memory that the caller frees; a NUL stands behind them. NULL. */
unsigned char *pdb_stream_load(const struct pdb_stream *stream, uint64_t offset, size_t nr,
			       struct err *err);

/* Bytes one after the other, through a window: for what is large, and walked once. */
struct pdb_reader {
	const struct pdb_stream *stream;
	uint64_t offset, end;
	unsigned char *window;
	uint64_t window_offset;
	size_t window_nr;
};

#define PDB_READER_MAX ((size_t)1 << 18)

/* From `offset` to `end`, or to where the stream ends. */
void pdb_reader_init(struct pdb_reader *reader, const struct pdb_stream *stream, uint64_t offset,
		     uint64_t end);
void pdb_reader_release(struct pdb_reader *reader);

/*
 * The next `nr` bytes (up to PDB_READER_MAX), good until the next call; they stay the next ones. NULL where there are
 * fewer, or they cannot be read.
 */
const unsigned char *pdb_reader_peek(struct pdb_reader *reader, size_t nr);
void pdb_reader_skip(struct pdb_reader *reader, uint64_t nr);

#endif
