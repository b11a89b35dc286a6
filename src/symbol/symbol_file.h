/*
 * The file with a module's names and lines, whatever its format is: what a symbolizer asks.
 *
 * Formats: elf_module.h, pdb/pdb_module.h. A new one has an opener like theirs, which symbolizer.c calls for the modules
 * that it is of.
 */
#ifndef SYMBOL_SYMBOL_FILE_H
#define SYMBOL_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "platform/helper.h"
#include "symbol/source_lines.h"

struct symbol_file_ops {
	/* The symbol of an offset in the module; false: none. Thread-safe. */
	bool (*find)(const void *data, uint64_t offset, struct symbol *symbol);

	/*
	 * Lines of offsets, ascending; as source_lines_find(), which tells which they are by their index. What that
	 * needs in memory is given back. Several files may be asked at a time,
	 * each by one thread.
	 */
	void (*find_lines)(const void *data, const uint64_t *offsets, size_t nr,
			   struct helper *helper, struct source_lines_taker taker);

	void (*close)(void *data);
};

/* Why a module has no names, or names in doubt, where something can be done about it. */
enum symbol_flaw {
	SYMBOL_FLAW_NONE,
	SYMBOL_ID_MISSING, /* the trace has no build id of it: the file at its path may be another one by now */
	SYMBOL_PDB_MISSING,
	SYMBOL_PDB_OTHER, /* there are some of its name, by other GUIDs or ages, or that can't be read */
};

struct symbol_file {
	const struct symbol_file_ops *ops; /* NULL: there is none */
	void *data;
	bool unwinds; /* it is the module's own file, which unwinder.h reads */
	enum symbol_flaw flaw;
	char *why; /* it has no names, or they are in doubt; NULL: all is well */
};

void symbol_file_close(struct symbol_file *file);

#endif
