/*
 * An ELF file in memory (libelf), with its build id and the link to its debug file.
 */
#ifndef SYMBOL_ELF_ELF_FILE_H
#define SYMBOL_ELF_ELF_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

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

/* The build id, borrowed from the file; *nr is 0 if it has none. */
void elf_file_id(const struct elf_file *file, const uint8_t **id, size_t *nr);

/* The contents of .gnu_debuglink: the name of the debug file, and its CRC; NULL: none. */
const char *elf_file_debuglink(const struct elf_file *file, uint32_t *crc);

#endif
