/*
 * Interface to a file with the symbols and lines of a module, independent of its format.
 *
 * To add a format:
 *   1. write symbol/<name>/<name>_module.[ch]: a function that opens a file, as in elf/elf_module.h and pdb/pdb_module.h;
 *   2. call it in symbol/symbolizer.c for modules of the format;
 *   3. test it in tests/unit/, with a fuzzer in tests/fuzz/, and describe it in docs/symbols.md.
 */
#ifndef SYMBOL_SYMBOL_FILE_H
#define SYMBOL_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/line.h"
#include "platform/helper.h"

/*
 * Receives the lines of offsets[index] or addresses[index]: `nr` inlining levels, innermost first, valid only during the
 * call. With a helper thread, `add` is called by two threads at once.
 */
struct line_sink {
	void *data;
	void (*add)(void *data, size_t index, const struct symbol_line *lines, size_t nr);
};

struct symbol_file_ops {
	/* The symbol of an offset in the module; false: none. Thread-safe. */
	bool (*find)(const void *data, uint64_t offset, struct symbol *symbol);

	/*
	 * Look up the lines of ascending offsets. Unknown offsets are left out. Memory is freed at the end. Several files
	 * may be read at a time, each by one thread.
	 */
	void (*find_lines)(const void *data, const uint64_t *offsets, size_t nr,
			   struct helper *helper, struct line_sink sink);

	void (*close)(void *data);
};

/* Why a module has no names, or doubtful ones, if the user can do something about it. */
enum symbol_flaw {
	SYMBOL_FLAW_NONE,
	SYMBOL_ID_MISSING, /* no build id in the trace: the file at the path may have been replaced */
	SYMBOL_PDB_MISSING,
	SYMBOL_PDB_OTHER, /* all PDBs of its name have another GUID or age, or are unreadable */
	SYMBOL_PDB_ID_MISSING, /* no GUID of its PDB in the trace */
	SYMBOL_PDB_EMPTY,
	SYMBOL_FILE_MISSING,
	SYMBOL_FILE_OTHER, /* its build id is another */
	SYMBOL_FILE_STRIPPED, /* it has no symbol table, and no debug file was found: exported functions at most have names */
	SYMBOL_FILE_UNREADABLE, /* or no ELF file */
	SYMBOL_FILE_REFUSED,    /* its path must not be opened */
	SYMBOL_KERNEL_OTHER, /* the kernel, or its vdso, is not the running one, or its symbols cannot be read */
	SYMBOL_NOT_KEPT, /* not among the symbols of the run, and files of this machine are not used */
};

struct symbol_file {
	const struct symbol_file_ops *ops; /* NULL: there is none */
	void *data;
	bool names_only; /* a stranger's ELF file: its lines and call frame information are not read */
	bool shared;     /* `data` belongs to another one: both are of the same file */
	const char *elf_path; /* the module's ELF file, which the unwinder can read, or NULL */
	enum symbol_flaw flaw;
	char *why;  /* why it has no names, or doubtful ones; NULL: neither */
	char *from; /* the path of the file that has the names; NULL: there is none */
};

#endif
