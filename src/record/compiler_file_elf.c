/* ELF files, read with libelf. A sample of the functions is searched for frame pointers. */
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "platform/file.h"
#include "record/compiler_check.h"

#define SAMPLE_LIMIT 5000

/* push %rbp; mov %rsp,%rbp (x86-64), or stp x29, x30, [sp, ...] (arm64) within the first instructions. */
static bool sets_frame_pointer(const unsigned char *code, size_t len, int machine)
{
	for (size_t i = 0; machine == EM_X86_64 && i + 4 <= len && i < 24; i++) {
		if (code[i] == 0x55 && !memcmp(code + i + 1, "\x48\x89\xe5", 3))
			return true;
	}
	for (size_t i = 0; machine == EM_AARCH64 && i + 4 <= len && i < 24; i += 4) {
		/* bits 31..22 of a pre-index or offset pair store, registers 29 and 30 */
		if ((code[i] & 0x1f) == 29 && (code[i + 1] & 0x7c) == 0x78 &&
		    (code[i + 3] & 0xfe) == 0xa8)
			return true;
	}
	return false;
}

static void sample_function(Elf *elf, const GElf_Sym *sym, int machine, struct compiler_file *file)
{
	Elf_Scn *section = elf_getscn(elf, sym->st_shndx);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	GElf_Shdr header;
	uint64_t at;

	/* Short functions need no frame. */
	if (!data || !data->d_buf || !gelf_getshdr(section, &header) || sym->st_size < 256 ||
	    sym->st_value < header.sh_addr)
		return;
	at = sym->st_value - header.sh_addr;
	if (at >= data->d_size || data->d_size - at < 32)
		return;
	file->functions++;
	file->with_frame_pointer +=
		sets_frame_pointer((unsigned char *)data->d_buf + at, 32, machine);
}

static void sample_symbols(Elf *elf, Elf_Scn *section, int machine, struct compiler_file *file)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym sym;
	size_t count, step;

	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	count = data->d_size / header.sh_entsize;
	step = count / SAMPLE_LIMIT + 1;
	for (size_t i = 0; i < count; i += step) {
		if (gelf_getsym(data, (int)i, &sym) && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    sym.st_shndx != SHN_UNDEF && sym.st_shndx < SHN_LORESERVE)
			sample_function(elf, &sym, machine, file);
	}
}

static void read_sections(Elf *elf, struct compiler_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr elf_header;
	GElf_Shdr header;
	size_t names;

	if (!gelf_getehdr(elf, &elf_header) || elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && strstr(name, "debug_line"))
			file->lines = true;
		if (header.sh_type == SHT_SYMTAB) {
			file->symbols = true;
			sample_symbols(elf, section, elf_header.e_machine, file);
		}
	}
}

bool compiler_file_read(const char *path, struct compiler_file *result)
{
	struct err err = ERR_INIT;
	struct file_map map;
	Elf *elf = NULL;

	*result = (struct compiler_file){ .good = "symbols, lines and frame pointers" };
	if (elf_version(EV_CURRENT) == EV_NONE || file_map_open(path, &map, &err)) {
		err_clear(&err);
		return false;
	}
	if (map.data)
		elf = elf_memory(map.data, map.size);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		read_sections(elf, result);
	elf_end(elf);
	file_map_close(&map);
	return elf != NULL;
}
