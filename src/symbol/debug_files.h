/*
 * Where the debug information of a stripped ELF file is, by the rules of GDB ("Debugging Information in
 * Separate Files"): ROOT/.build-id/xx/yyyy.debug, else what .gnu_debuglink names, beside the file, in
 * .debug/ beside it, or in ROOT/<its directory>.
 */
#ifndef SYMBOL_DEBUG_FILES_H
#define SYMBOL_DEBUG_FILES_H

#include <stddef.h>
#include <stdint.h>

#define DEBUG_FILES_ROOT "/usr/lib/debug"

/* What is known of a file that is to have a debug file. */
struct debug_want {
	const char *path;
	const uint8_t *id;
	size_t id_nr;     /* 0: none */
	const char *link; /* of .gnu_debuglink; NULL */
	uint32_t crc;     /* of the file that `link` names */
};

/* Checked to be that file's: by build id, or where it has none by CRC. NULL: none. The caller frees it. */
char *debug_file_find(const char *root, const struct debug_want *want);

#endif
