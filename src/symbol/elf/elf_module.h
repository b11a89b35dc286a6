/*
 * Names and lines of a module from its ELF file and its debug file.
 */
#ifndef SYMBOL_ELF_ELF_MODULE_H
#define SYMBOL_ELF_ELF_MODULE_H

#include "model/module.h"
#include "symbol/symbol_file.h"

/* The file at the module's path, if it has the traced build id, or none was traced. */
void elf_module_open(const struct module *module, struct symbol_file *file);

/*
 * The [vdso], from an image in memory, which is copied. `same`: it is the traced one; only used if the trace has no build
 * id of it.
 */
void elf_module_open_vdso(const struct module *module, const void *image, size_t size, bool same,
			  struct symbol_file *file);

#endif
