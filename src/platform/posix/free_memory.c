#include "platform/free_memory.h"

#include <stdlib.h> /* defines __GLIBC__ where it is that */

#ifdef __GLIBC__
#include <malloc.h>
#endif

void free_memory_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
