#include "platform/vdso.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Its headers say how long it is: the sections' headers are at its end, as the kernel's build has it. */
const void *vdso_image(size_t *size)
{
	const unsigned char *image = (const unsigned char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), end;
	Elf64_Ehdr ehdr;

	if (!image || memcmp(image, ELFMAG, SELFMAG) || image[EI_CLASS] != ELFCLASS64)
		return NULL;
	memcpy(&ehdr, image, sizeof(ehdr));
	end = (size_t)(ehdr.e_shoff + (size_t)ehdr.e_shnum * ehdr.e_shentsize);
	if (!ehdr.e_shoff || !ehdr.e_shnum || end > 16 * page)
		return NULL;
	*size = end;
	return image;
}
