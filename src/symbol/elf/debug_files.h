/*
 * Finds the separate debug file of a stripped ELF file, by the rules of GDB ("Debugging Information in
 * Separate Files"): ROOT/.build-id/xx/yyyy.debug, else the file named by .gnu_debuglink, in the
 * directory of the ELF file, in its .debug/, or in ROOT/<directory of the ELF file>.
 */
#ifndef SYMBOL_ELF_DEBUG_FILES_H
#define SYMBOL_ELF_DEBUG_FILES_H

#include <stddef.h>
#include <stdint.h>

#define DEBUG_FILES_ROOT "/usr/lib/debug"

/* The ELF file whose debug file is wanted. */
struct debug_want {
	const char *path;
	const uint8_t *id;
	size_t id_nr;     /* 0: none */
	const char *link; /* of .gnu_debuglink; NULL */
	uint32_t crc;     /* of the file that `link` names */
};

/* The path of the debug file, checked by build id, else by CRC; NULL: none. The caller frees it. */
char *debug_file_find(const char *root, const struct debug_want *want);

#endif
