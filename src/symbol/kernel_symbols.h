/*
 * Symbols of the kernel from a list in the format of /proc/kallsyms: address, type, name, module.
 *
 * Kernel addresses change with each boot. So offsets from the start of the kernel's text are compared, which is
 * _text (else _stext) in the list, and the module's base in the trace.
 */
#ifndef SYMBOL_KERNEL_SYMBOLS_H
#define SYMBOL_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "util/err.h"

#define KERNEL_SYMBOLS_PATH "/proc/kallsyms"
#define KERNEL_NOTES_PATH   "/sys/kernel/notes"

struct kernel_symbols;

/*
 * Parse a list; takes ownership of `text`. ERR_UNSUPPORTED: all addresses are zero (kptr_restrict), ERR_CORRUPT: not such a
 * list.
 */
int kernel_symbols_parse(char *text, size_t len, struct kernel_symbols **symbols, struct err *err);

/* Read the list of the running kernel; `path` is KERNEL_SYMBOLS_PATH except in tests. */
int kernel_symbols_read(const char *path, struct kernel_symbols **symbols, struct err *err);

/*
 * Copy the build id from the ELF notes of a kernel, which are in the byte order of this machine (ELF specification, "Note
 * Section"). Returns its length; 0: none.
 */
size_t kernel_notes_id(const void *notes, size_t nr, uint8_t id[MODULE_ID_MAX]);

void kernel_symbols_free(struct kernel_symbols *symbols);

/* Whether it is the kernel itself, not a kernel module. */
bool kernel_symbols_is_main(const struct module *module);

/*
 * Find the symbol at an offset from the module's base. The address in the list is relative to the start of the
 * kernel's text for the kernel, but absolute for a kernel module ("[ext4]", a .ko file). Thread-safe.
 */
bool kernel_symbols_find(const struct kernel_symbols *symbols, const struct module *module,
			 uint64_t offset, struct symbol *symbol);

#endif
