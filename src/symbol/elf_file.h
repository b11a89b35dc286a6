/*
 * An ELF file in memory, by libelf: what its notes and sections say of who it is.
 */
#ifndef SYMBOL_ELF_FILE_H
#define SYMBOL_ELF_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "platform/file_map.h"
#include "util/err.h"

struct elf_file {
	struct file_map map;
	char *image; /* a copy in memory in place of a file; NULL */
	Elf *elf;
};

/* ERR_NOT_FOUND where there is no such file, ERR_CORRUPT where it is no ELF file. */
int elf_file_open(const char *path, struct elf_file *file, struct err *err);

/* From memory, which is copied. */
int elf_file_open_image(const void *image, size_t size, struct elf_file *file, struct err *err);
void elf_file_close(struct elf_file *file);

/* Borrowed; *nr 0 where it has none. */
void elf_file_id(const struct elf_file *file, const uint8_t **id, size_t *nr);

/* What .gnu_debuglink says: the name of the file with its debug information and that file's CRC; NULL. */
const char *elf_file_debuglink(const struct elf_file *file, uint32_t *crc);

#endif
