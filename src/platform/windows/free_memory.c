#include "platform/free_memory.h"

void free_memory_give_back(void)
{
	/* The heap of Windows does it by itself. */
}
