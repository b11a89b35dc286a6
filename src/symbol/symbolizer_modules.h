/*
 * The files that a symbolizer has opened; for its own parts only.
 */
#ifndef SYMBOL_SYMBOLIZER_MODULES_H
#define SYMBOL_SYMBOLIZER_MODULES_H

#include "symbol/elf_symbols.h"
#include "symbol/kernel_symbols.h"
#include "symbol/module_map.h"
#include "symbol/source_lines.h"
#include "symbol/symbolizer.h"
#include "symbol/unwinder.h"

/* A module that was looked for, once. */
struct symbol_file {
	struct elf_symbols *elf; /* NULL: there are none */
	char *debug_path;        /* NULL: none, or not looked for */
	bool debug_wanted;       /* it was looked for */
	const char *why;         /* it has no names, or they are in doubt; NULL: all is well */
};

enum traced_kernel {
	KERNEL_NOT_ASKED,
	KERNEL_NOT_KNOWN,
	KERNEL_RUNNING,
	KERNEL_OTHER,
};

struct symbolizer {
	struct symbolizer_options options;
	struct module_map keys;
	struct symbol_file *files; /* as in `keys` */
	size_t files_nr, files_alloc;
	enum traced_kernel traced_kernel;
	struct kernel_symbols *kernel;
	char *kernel_why;           /* why there are none; NULL: not asked, or there are */
	struct symbol_store *found; /* lines that were looked up */
	struct source_lines *lines; /* of `lines_of`; NULL where it has none */
	const struct elf_symbols *lines_of;
	struct unwinder *unwinder;
	void (*free_unwinder)(struct unwinder *unwinder);
};

/* The file of a module, opened when it is first asked for; its `elf` is NULL where it is not the traced one. */
const struct symbol_file *symbolizer_file(struct symbolizer *symbolizer,
					  const struct module *module);

/* Its debug file; NULL. */
const char *symbolizer_debug_path(struct symbolizer *symbolizer, const struct module *module);

#endif
