/*
 * Names and lines of a module from its ELF file and its debug file.
 */
#ifndef SYMBOL_ELF_ELF_MODULE_H
#define SYMBOL_ELF_ELF_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/module.h"
#include "symbol/symbol_file.h"
#include "util/err.h"

/* Asks for a debug file that this machine does not have. */
struct debug_asker {
	void *data;
	/* The path of the file with a build id, valid until the module is closed; NULL: there is none. Thread-safe. */
	const char *(*find)(void *data, const char *module, const uint8_t *id, size_t nr);
};

/*
 * The file at `path`, if it has the module's traced build id, or none was traced. `same` is of the same file, opened
 * under another path, and must be closed later; NULL: there is none. `asker` may have no `find`.
 */
void elf_module_open(const struct module *module, const char *path, const struct symbol_file *same,
		     struct debug_asker asker, struct symbol_file *file);

/*
 * The [vdso], from an image in memory, which is copied. `same`: it is the traced one; only used if the trace has no build
 * id of it.
 */
void elf_module_open_vdso(const struct module *module, const void *image, size_t size, bool same,
			  struct symbol_file *file);

/* Whether the file has the bytes of its code, and so the places of its segments: a debug file has only their addresses. */
bool elf_has_code(const char *path);

/* Check a debug file from elsewhere. ERR_CORRUPT: it is not an ELF file, is truncated, or has another build id. */
int elf_check_debug_file(const char *path, const uint8_t *id, size_t nr, struct err *err);

#endif
