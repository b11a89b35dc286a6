#include "platform/vdso.h"

/* ntdll.dll, the nearest to it, is a file. */
const void *vdso_image(size_t *size)
{
	(void)size;
	return NULL;
}
