/*
 * Names and lines of a module from its ELF file and its debug file.
 */
#ifndef SYMBOL_ELF_ELF_MODULE_H
#define SYMBOL_ELF_ELF_MODULE_H

#include "model/module.h"
#include "symbol/symbol_file.h"

/*
 * The file at `path`, if it has the module's traced build id, or none was traced. `same` is of the same file, opened
 * under another path, and must be closed later; NULL: there is none.
 */
void elf_module_open(const struct module *module, const char *path, const struct symbol_file *same,
		     struct symbol_file *file);

/*
 * The [vdso], from an image in memory, which is copied. `same`: it is the traced one; only used if the trace has no build
 * id of it.
 */
void elf_module_open_vdso(const struct module *module, const void *image, size_t size, bool same,
			  struct symbol_file *file);

#endif
