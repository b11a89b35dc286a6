/* The position of code of the test program in its own file. */
#ifndef ELF_FIXTURE_H
#define ELF_FIXTURE_H

#include <link.h>
#include <stdint.h>

#define SELF "/proc/self/exe"

struct elf_place {
	uint64_t address; /* in: address in this process; out: address in the file */
	uint64_t offset;
};

static int find_elf_place(struct dl_phdr_info *info, size_t size, void *data)
{
	struct elf_place *place = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + phdr->p_vaddr;

		if (phdr->p_type != PT_LOAD || place->address < start ||
		    place->address - start >= phdr->p_filesz)
			continue;
		place->offset = place->address - start + phdr->p_offset;
		place->address -= info->dlpi_addr;
		return 1;
	}
	return 0;
}

static inline struct elf_place elf_place_of(const void *code)
{
	struct elf_place place = { (uint64_t)(uintptr_t)code, UINT64_MAX };

	dl_iterate_phdr(find_elf_place, &place);
	return place;
}

#endif
