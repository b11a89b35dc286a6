#include "platform/env.h"

#include <stdlib.h>

#include "util/alloc.h"

char *env_get(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? xstrdup(value) : NULL;
}
