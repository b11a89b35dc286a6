/*
 * An ELF file in memory (libelf), with its build id and the link to its debug file; and the search for that file.
 */
#ifndef SYMBOL_ELF_ELF_FILE_H
#define SYMBOL_ELF_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/file.h"
#include "util/err.h"

struct elf_file {
	struct file_map map;
	char *image; /* a copy of an image in memory, instead of a file; NULL */
	Elf *elf;
};

/* ERR_NOT_FOUND: no such file; ERR_CORRUPT: not an ELF file. */
int elf_file_open(const char *path, struct elf_file *file, struct err *err);

/* Open an image in memory, which is copied. */
int elf_file_open_image(const void *image, size_t size, struct elf_file *file, struct err *err);
void elf_file_close(struct elf_file *file);

/* Give back the memory of the file's pages: after reading much of it, when little is needed from now on. */
void elf_file_drop_pages(const struct elf_file *file);

/* The build id, borrowed from the file; *nr is 0 if it has none. */
void elf_file_id(const struct elf_file *file, const uint8_t **id, size_t *nr);

/* Whether the file has this build id. */
bool elf_file_has_id(const struct elf_file *file, const uint8_t *id, size_t nr);

/* The contents of .gnu_debuglink: the name of the debug file, and its CRC; NULL: none. */
const char *elf_file_debuglink(const struct elf_file *file, uint32_t *crc);

#define DEBUG_FILES_ROOT "/usr/lib/debug"

/* The ELF file whose debug file is wanted. */
struct debug_want {
	const char *path;
	const uint8_t *id;
	size_t id_nr;     /* 0: none */
	const char *link; /* of .gnu_debuglink; NULL */
	uint32_t crc;     /* of the file that `link` names */
};

/*
 * The path of the separate debug file of a stripped ELF file, checked by build id, else by CRC; NULL: none. The caller
 * frees it. By the rules of GDB ("Debugging Information in Separate Files"): ROOT/.build-id/xx/yyyy.debug, else the
 * file named by .gnu_debuglink, in the directory of the ELF file, in its .debug/, or in ROOT/<directory of the ELF file>.
 */
char *debug_file_find(const char *root, const struct debug_want *want);

#endif
