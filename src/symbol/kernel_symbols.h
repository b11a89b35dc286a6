/*
 * The kernel's symbols from its list: lines of address, type, name and module as in /proc/kallsyms.
 *
 * Addresses change with each start of the machine: they are counted from the start of the kernel's text in
 * the list (_text, else _stext), and from where it was in the trace.
 */
#ifndef SYMBOL_KERNEL_SYMBOLS_H
#define SYMBOL_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "util/err.h"

#define KERNEL_SYMBOLS_PATH "/proc/kallsyms"

struct kernel_symbols;

/* Takes the text over. ERR_UNSUPPORTED where all addresses are zero (kptr_restrict), ERR_CORRUPT: no list. */
int kernel_symbols_parse(char *text, size_t len, struct kernel_symbols **symbols, struct err *err);

/* The running kernel's. */
int kernel_symbols_read(const char *path, struct kernel_symbols **symbols, struct err *err);
void kernel_symbols_free(struct kernel_symbols *symbols);

/*
 * `offset` is from the module's base. A module of its own ("[ext4]", a .ko file) is where its base says, the
 * kernel is where its text is. Thread-safe.
 */
bool kernel_symbols_find(const struct kernel_symbols *symbols, const struct module *module,
			 uint64_t offset, struct symbol *symbol);

#endif
