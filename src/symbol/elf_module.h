/*
 * Names and lines of a module from its ELF file and that one's debug file.
 */
#ifndef SYMBOL_ELF_MODULE_H
#define SYMBOL_ELF_MODULE_H

#include "model/module.h"
#include "symbol/symbol_file.h"

/* The file at its path, if it has the traced build id; where none was traced it is taken as it is. */
void elf_module_open(const struct module *module, struct symbol_file *file);

/*
 * The [vdso] from memory, which is copied; where no build id of it was traced, `same` says whether it is the traced one.
 */
void elf_module_open_vdso(const struct module *module, const void *image, size_t size, bool same,
			  struct symbol_file *file);

#endif
