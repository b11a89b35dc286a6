#include "symbol/elf/elf_file.h"

#include <elfutils/libdwelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/module.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

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
	cost_allow_file(path);
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

void elf_file_drop_pages(const struct elf_file *file)
{
	file_map_drop(&file->map);
}

void elf_file_id(const struct elf_file *file, const uint8_t **id, size_t *nr)
{
	const void *bits = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(file->elf, &bits);

	*id = len > 0 ? bits : NULL;
	*nr = len > 0 ? (size_t)len : 0;
}

bool elf_file_has_id(const struct elf_file *file, const uint8_t *id, size_t nr)
{
	const uint8_t *own;
	size_t own_nr;

	elf_file_id(file, &own, &own_nr);
	return module_id_equal(own, own_nr, id, nr);
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

/* CRC-32 as in IEEE 802.3, four bits at a time. */
static uint32_t sum_bytes(const unsigned char *bytes, size_t nr)
{
	uint32_t table[16], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 16; i++) {
		table[i] = i;
		for (int bit = 0; bit < 4; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
	}
	for (size_t i = 0; i < nr; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

static bool is_wanted(const char *path, const struct debug_want *want)
{
	struct elf_file file;
	struct err err = ERR_INIT;
	bool good;

	if (elf_file_open(path, &file, &err)) {
		err_clear(&err);
		return false;
	}
	if (want->id_nr)
		good = elf_file_has_id(&file, want->id, want->id_nr);
	else
		good = want->link &&
		       sum_bytes((const unsigned char *)file.map.data, file.map.size) == want->crc;
	elf_file_close(&file);
	return good;
}

/* Returns the path if it is that of the debug file; else frees it. */
static char *check_path(char *path, const struct debug_want *want)
{
	if (strcmp(path, want->path) && fs_exists(path) && is_wanted(path, want))
		return path;
	free(path);
	return NULL;
}

static char *find_by_id(const char *root, const struct debug_want *want)
{
	struct strbuf sb = STRBUF_INIT;

	if (want->id_nr < 2)
		return NULL;
	strbuf_addf(&sb, "%s/.build-id/%02x/", root, want->id[0]);
	text_add_hex(&sb, want->id + 1, want->id_nr - 1);
	strbuf_adds(&sb, ".debug");
	return check_path(strbuf_detach(&sb), want);
}

static char *find_by_link(const char *root, const struct debug_want *want)
{
	char *dir = fs_dirname(want->path), *found;

	found = check_path(xasprintf("%s/%s", dir, want->link), want);
	if (!found)
		found = check_path(xasprintf("%s/.debug/%s", dir, want->link), want);
	if (!found && dir[0] == '/')
		found = check_path(xasprintf("%s%s/%s", root, dir, want->link), want);
	free(dir);
	return found;
}

char *debug_file_find(const char *root, const struct debug_want *want)
{
	char *found = find_by_id(root, want);

	return found || !want->link ? found : find_by_link(root, want);
}
