/*
 * Records of symbols and types: the length of the remaining record, its kind, and the content, whose layout depends on the
 * kind.
 *
 * Numbers and layouts: microsoft/microsoft-pdb, include/cvinfo.h; LLVM's documentation, "CodeView Symbol Records" and
 * "CodeView Type Records". Names with a length before them (before 2002) are not read.
 */
#ifndef SYMBOL_PDB_RECORDS_H
#define SYMBOL_PDB_RECORDS_H

#include "symbol/pdb/pdb_msf.h"

enum pdb_symbol_kind {
	S_END = 0x0006,
	S_THUNK32 = 0x1102,
	S_BLOCK32 = 0x1103,
	S_WITH32 = 0x1104,
	S_PUB32 = 0x110e,
	S_LPROC32 = 0x110f,
	S_GPROC32 = 0x1110,
	S_SEPCODE = 0x1132,
	S_LPROC32_ID = 0x1146,
	S_GPROC32_ID = 0x1147,
	S_INLINESITE = 0x114d,
	S_INLINESITE_END = 0x114e,
	S_PROC_ID_END = 0x114f,
	S_LPROC32_DPC = 0x1155,
	S_LPROC32_DPC_ID = 0x1156,
	S_INLINESITE2 = 0x115d,
};

enum pdb_type_kind {
	LF_CLASS = 0x1504,
	LF_STRUCTURE = 0x1505,
	LF_UNION = 0x1506,
	LF_ENUM = 0x1507,
	LF_INTERFACE = 0x1519,
	LF_FUNC_ID = 0x1601,
	LF_MFUNC_ID = 0x1602,
	LF_STRING_ID = 0x1605,
};

struct pdb_record {
	uint16_t kind;
	const unsigned char *content;
	size_t nr; /* bytes of it */
};

/* Read the next record; false: end of the bytes, or the record is damaged. */
static inline bool pdb_next_record(struct byte_cursor *bytes, struct pdb_record *record)
{
	const unsigned char *at = bytes->at;
	size_t length;

	if (bytes->left < 4)
		return false;
	length = le_get16(at);
	if (length < 2 || length + 2 > bytes->left)
		return false;
	*record = (struct pdb_record){ le_get16(at + 2), at + 4, length - 2 };
	return byte_cursor_take(bytes, length + 2);
}

/* Read the next record of a stream; valid until the next call. */
static inline bool pdb_read_record(struct pdb_reader *reader, struct pdb_record *record)
{
	const unsigned char *at = pdb_reader_peek(reader, 4);
	size_t length = at ? le_get16(at) : 0;

	at = length < 2 ? NULL : pdb_reader_peek(reader, length + 2);
	if (!at)
		return false;
	*record = (struct pdb_record){ le_get16(at + 2), at + 4, length - 2 };
	pdb_reader_skip(reader, length + 2);
	return true;
}

/* Offsets in the content of a procedure record. */
#define PDB_PROC_LENGTH  12
#define PDB_PROC_OFFSET  28
#define PDB_PROC_SEGMENT 32
#define PDB_PROC_NAME    35

static inline bool pdb_is_procedure(const struct pdb_record *record)
{
	switch (record->kind) {
	case S_LPROC32:
	case S_GPROC32:
	case S_LPROC32_ID:
	case S_GPROC32_ID:
	case S_LPROC32_DPC:
	case S_LPROC32_DPC_ID:
		return record->nr > PDB_PROC_NAME;
	default:
		return false;
	}
}

#endif
