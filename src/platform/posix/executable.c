#include "platform/executable.h"

#include "platform/fs.h"

char *executable_path(void)
{
	return fs_absolute("/proc/self/exe");
}
