/*
 * The shared object that the kernel maps into each process: no file has it.
 */
#ifndef PLATFORM_VDSO_H
#define PLATFORM_VDSO_H

#include <stddef.h>

/* That of this process, to its end; NULL where there is none. An ELF image, *size bytes of it. */
const void *vdso_image(size_t *size);

#endif
