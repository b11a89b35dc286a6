#include "symbol/elf/elf_file.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "util/alloc.h"

static int open_elf(struct elf_file *file, char *bytes, size_t size)
{
	if (elf_version(EV_CURRENT) != EV_NONE && size)
		file->elf = elf_memory(bytes, size);
	return file->elf && elf_kind(file->elf) == ELF_K_ELF ? 0 : -1;
}

int elf_file_open(const char *path, struct elf_file *file, struct err *err)
{
	memset(file, 0, sizeof(*file));
	if (!fs_exists(path))
		return err_set(err, ERR_NOT_FOUND, "no such file '%s'", path);
	if (file_map_open(path, &file->map, err))
		return -1;
	if (open_elf(file, file->map.data, file->map.size)) {
		elf_file_close(file);
		return err_set(err, ERR_CORRUPT, "'%s' is not an ELF file", path);
	}
	return 0;
}

int elf_file_open_image(const void *image, size_t size, struct elf_file *file, struct err *err)
{
	memset(file, 0, sizeof(*file));
	file->image = xmalloc(size + 1);
	memcpy(file->image, image, size);
	if (open_elf(file, file->image, size)) {
		elf_file_close(file);
		return err_set(err, ERR_CORRUPT, "not an ELF image");
	}
	return 0;
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	file_map_close(&file->map);
	free(file->image);
	memset(file, 0, sizeof(*file));
}

void elf_file_id(const struct elf_file *file, const uint8_t **id, size_t *nr)
{
	const void *bits = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(file->elf, &bits);

	*id = len > 0 ? bits : NULL;
	*nr = len > 0 ? (size_t)len : 0;
}

const char *elf_file_debuglink(const struct elf_file *file, uint32_t *crc)
{
	GElf_Word word = 0;
	const char *name = dwelf_elf_gnu_debuglink(file->elf, &word);

	/* A file name only: it is joined to directories. */
	if (!name || !*name || strchr(name, '/'))
		return NULL;
	*crc = word;
	return name;
}
