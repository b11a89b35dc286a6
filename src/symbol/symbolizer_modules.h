/*
 * The files that a symbolizer has opened; for its own parts only.
 */
#ifndef SYMBOL_SYMBOLIZER_MODULES_H
#define SYMBOL_SYMBOLIZER_MODULES_H

#include "symbol/kernel_symbols.h"
#include "symbol/module_map.h"
#include "symbol/pdb/pdb_search.h"
#include "symbol/symbol_file.h"
#include "symbol/symbolizer.h"
#include "symbol/unwinder.h"

enum traced_kernel {
	KERNEL_NOT_ASKED,
	KERNEL_NOT_KNOWN,
	KERNEL_RUNNING,
	KERNEL_OTHER,
};

struct symbolizer {
	struct symbolizer_options options;
	struct module_map keys;
	struct symbol_file *files; /* as in `keys`; of a module that was looked for, once */
	size_t files_nr, files_alloc;
	enum traced_kernel traced_kernel;
	struct kernel_symbols *kernel;
	char *kernel_why; /* why there are none; NULL: not asked, or there are */
	struct pdb_search pdbs;
	struct unwinder *unwinder;
	void (*free_unwinder)(struct unwinder *unwinder);
};

/* Whether it may have a file of its own: not code that the kernel tells of, or that nobody has. */
bool symbolizer_has_file(const struct module *module);

/* The file of a module, opened when it is first asked for. */
const struct symbol_file *symbolizer_file(struct symbolizer *symbolizer,
					  const struct module *module);

#endif
