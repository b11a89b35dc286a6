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
#define KERNEL_NOTES_PATH   "/sys/kernel/notes"

struct kernel_symbols;

/* Takes the text over. ERR_UNSUPPORTED where all addresses are zero (kptr_restrict), ERR_CORRUPT: no list. */
int kernel_symbols_parse(char *text, size_t len, struct kernel_symbols **symbols, struct err *err);

/* The running kernel's. */
int kernel_symbols_read(const char *path, struct kernel_symbols **symbols, struct err *err);
/*
 * The build id among the notes of a kernel, in the byte order of this machine (the ELF specification, "Note Section").
 * Its length, 0: there is none.
 */
size_t kernel_notes_id(const void *notes, size_t nr, uint8_t id[MODULE_ID_MAX]);

void kernel_symbols_free(struct kernel_symbols *symbols);

/* Whether it is the kernel itself, and no module of it. */
bool kernel_symbols_is_main(const struct module *module);

/*
 * `offset` is from the module's base. A module of its own ("[ext4]", a .ko file) is where its base says, the
 * kernel is where its text is. Thread-safe.
 */
bool kernel_symbols_find(const struct kernel_symbols *symbols, const struct module *module,
			 uint64_t offset, struct symbol *symbol);

#endif
