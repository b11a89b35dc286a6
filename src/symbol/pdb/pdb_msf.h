/*
 * The container format of a PDB: streams, each of pages that may be anywhere in the file.
 *
 * Format: LLVM's documentation, "The PDB File Format: MSF"; microsoft/microsoft-pdb, PDB/msf, for lists of the directory's
 * pages that fill several pages, which are listed in the first page of the file. The map of free pages is not read: only
 * writers need it. MSF 2.00 (before 2002) and the PDBs of .NET (ECMA-335 metadata) are refused.
 *
 * Memory: the directory is reduced to an offset and a size for each stream; the page list of a stream is read while it is
 * open.
 */
#ifndef SYMBOL_PDB_MSF_H
#define SYMBOL_PDB_MSF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/byte_cursor.h"
#include "util/err.h"

struct pdb_msf;

#define PDB_NO_STREAM 0xffffu /* in place of a stream's number: there is none */

struct pdb_stream {
	const struct pdb_msf *msf;
	uint32_t *pages;
	uint32_t size;
};

/*
 * ERR_NOT_FOUND: no such file; ERR_UNSUPPORTED: another kind of PDB; ERR_CORRUPT: not a PDB, or its directory is damaged.
 */
int pdb_msf_open(const char *path, struct pdb_msf **msf, struct err *err);
void pdb_msf_close(struct pdb_msf *msf);

/* The size of the file that begins with these PDB_MSF_HEAD bytes, as they say; -1: it is no PDB that is read here. */
#define PDB_MSF_HEAD 56
int64_t pdb_msf_head_size(const void *head);

/* Say what a file is instead, by its first `nr` bytes: "a PDB of .NET, which is not read", "not a PDB". Returns -1. */
int pdb_msf_refuse(const void *head, size_t nr, struct err *err);

/* The size of the file in bytes. */
uint64_t pdb_msf_file_size(const struct pdb_msf *msf);

/* The size of a stream in bytes; 0: no such stream. */
uint32_t pdb_msf_size(const struct pdb_msf *msf, uint32_t number);

/* ERR_NOT_FOUND: no such stream, or it is empty. */
int pdb_stream_open(const struct pdb_msf *msf, uint32_t number, struct pdb_stream *stream,
		    struct err *err);
void pdb_stream_close(struct pdb_stream *stream);

/* Read exactly `nr` bytes, else fail. Thread-safe. */
int pdb_stream_read(const struct pdb_stream *stream, uint64_t offset, void *to, size_t nr,
		    struct err *err);

/* Read exactly `nr` bytes to new memory, NUL-terminated, which the caller frees; NULL: failed. */
unsigned char *pdb_stream_load(const struct pdb_stream *stream, uint64_t offset, size_t nr,
			       struct err *err);

/* Reads a stream in sequence through a buffer: for large streams that are read once. */
struct pdb_reader {
	const struct pdb_stream *stream;
	uint64_t offset, end;
	unsigned char *window;
	uint64_t window_offset;
	size_t window_nr;
};

#define PDB_READER_MAX ((size_t)1 << 18)

/* Read from `offset` to `end`, or to the end of the stream if that is lower. */
void pdb_reader_init(struct pdb_reader *reader, const struct pdb_stream *stream, uint64_t offset,
		     uint64_t end);
void pdb_reader_release(struct pdb_reader *reader);

/*
 * The next `nr` bytes (at most PDB_READER_MAX), without advancing; valid until the next call. NULL: fewer bytes are left,
 * or they cannot be read.
 */
const unsigned char *pdb_reader_peek(struct pdb_reader *reader, size_t nr);
void pdb_reader_skip(struct pdb_reader *reader, uint64_t nr);

/* The string that begins at bytes[at]; NULL if no NUL ends it. */
static inline const char *pdb_string(const unsigned char *bytes, size_t nr, size_t at)
{
	return at < nr && memchr(bytes + at, 0, nr - at) ? (const char *)bytes + at : NULL;
}

#endif
