#include "platform/env.h"

#include <stdlib.h>

#include "platform/windows/wide.h"

char *env_get(const char *name)
{
	char *value = wide_getenv(name);

	if (value && *value)
		return value;
	free(value);
	return NULL;
}
