#include "symbol/elf/debug_alt.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <string.h>

#include "platform/traced_path.h"

/* An ELF file without DIEs or strings. libdw wants one of the sections of DWARF. */
#define NAMES "\0.shstrtab\0.debug_line"

struct empty_elf {
	Elf64_Ehdr head;
	Elf64_Shdr sections[3];
	char names[sizeof(NAMES)];
};

static const struct empty_elf empty = {
	.head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shoff = offsetof(struct empty_elf, sections),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 1,
	},
	.sections = {
		{ .sh_type = SHT_NULL },
		{ .sh_name = 1,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = offsetof(struct empty_elf, names),
		  .sh_size = sizeof(NAMES),
		  .sh_addralign = 1 },
		{ .sh_name = 11,
		  .sh_type = SHT_PROGBITS,
		  .sh_offset = offsetof(struct empty_elf, names),
		  .sh_size = 1,
		  .sh_addralign = 1 },
	},
	.names = NAMES,
};

static int begin(struct debug_alt *alt)
{
	alt->dwarf = dwarf_begin_elf(alt->file.elf, DWARF_C_READ, NULL);
	if (alt->dwarf)
		return 0;
	elf_file_close(&alt->file);
	return -1;
}

static int open_named(struct debug_alt *alt, Dwarf *dwarf)
{
	const char *path = NULL;
	const void *wanted = NULL;
	ssize_t wanted_nr = dwelf_dwarf_gnu_debugaltlink(dwarf, &path, &wanted);
	struct err err = ERR_INIT;

	if (wanted_nr <= 0 || !traced_path_is_plain(path) ||
	    elf_file_open(path, &alt->file, &err)) {
		err_clear(&err);
		return -1;
	}
	if (elf_file_has_id(&alt->file, wanted, (size_t)wanted_nr))
		return begin(alt);
	elf_file_close(&alt->file);
	return -1;
}

static int open_empty(struct debug_alt *alt)
{
	struct err err = ERR_INIT;

	if (!elf_file_open_image(&empty, sizeof(empty), &alt->file, &err))
		return begin(alt);
	err_clear(&err);
	return -1;
}

int debug_alt_open(struct debug_alt *alt, Dwarf *dwarf)
{
	*alt = (struct debug_alt){ .dwarf = NULL };
	if (open_named(alt, dwarf) && open_empty(alt))
		return -1;
	dwarf_setalt(dwarf, alt->dwarf);
	/* It may not lead to a third one. */
	dwarf_setalt(alt->dwarf, alt->dwarf);
	return 0;
}

void debug_alt_close(struct debug_alt *alt)
{
	if (alt->dwarf)
		dwarf_end(alt->dwarf);
	elf_file_close(&alt->file);
	alt->dwarf = NULL;
}
