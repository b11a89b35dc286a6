/*
 * The file that DWARF shares strings and DIEs with (.gnu_debugaltlink, made by dwz). libdw would open whatever path the ELF
 * file names, a FIFO or a device too, and wait for it: so it is always given one.
 */
#ifndef SYMBOL_ELF_DEBUG_ALT_H
#define SYMBOL_ELF_DEBUG_ALT_H

#include <elfutils/libdw.h>

#include "symbol/elf/elf_file.h"

struct debug_alt {
	struct elf_file file;
	Dwarf *dwarf; /* NULL: not open */
};

/*
 * Open the regular file of the build id that `dwarf` names, or an empty one, and give it to `dwarf`. -1: it could not be
 * given one, and must not be read.
 */
int debug_alt_open(struct debug_alt *alt, Dwarf *dwarf);

/* Call it when `dwarf` is closed. */
void debug_alt_close(struct debug_alt *alt);

#endif
