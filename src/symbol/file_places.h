/*
 * Where the files with the symbols of a module may be, and the search for them: among the files of a run, on this machine,
 * in directories that the user names, among files that were fetched before, on servers. A file is used only if it is the
 * traced one, by its build id or by the GUID and age of its PDB.
 */
#ifndef SYMBOL_FILE_PLACES_H
#define SYMBOL_FILE_PLACES_H

#include <stdbool.h>

#include "model/module.h"
#include "symbol/debug_fetcher.h"
#include "symbol/symbol_file.h"
#include "util/strvec.h"

/* Files that a run has of its modules, which may be a stranger's. */
struct run_files {
	void *data;
	/* The path of the file with this name below symbols/, which the caller frees; NULL: there is none. Thread-safe. */
	char *(*find)(void *data, const char *name);
};

/* All are copied but `run` and `fetcher`, and may be NULL. */
struct place_options {
	struct run_files run;
	/* Directories where PDBs may be, and those that the run names; _NT_SYMBOL_PATH follows. */
	const struct strvec *dirs, *traced_dirs;
	const char *symfs;             /* a directory with ELF files of the traced machine */
	const struct strvec *caches;   /* directories of fetched files (id_file.h) */
	struct debug_fetcher *fetcher; /* for what files of this machine lack */
};

struct file_places;

struct file_places *file_places_new(const struct place_options *options);
void file_places_free(struct file_places *places);

/*
 * The path of a module's ELF file, which the caller frees: below `symfs` by its build id (.build-id/xx/yyyy), its traced
 * path or its name, else the traced path. NULL: that must not be opened.
 */
char *file_places_elf(const struct file_places *places, const struct module *module);

/*
 * Open the file of a module: that of the run, unless the names of the module are `kept`, else any other. `same`: see
 * elf_module_open(). Thread-safe for different modules.
 */
void file_places_open(struct file_places *places, const struct module *module, bool kept,
		      const struct symbol_file *same, struct symbol_file *file);

/*
 * The same, but of the files of this machine only those that were fetched, and PDBs in the stores that _NT_SYMBOL_PATH
 * names. False: there is none.
 */
bool file_places_open_kept(struct file_places *places, const struct module *module, bool kept,
			   struct symbol_file *file);

#endif
