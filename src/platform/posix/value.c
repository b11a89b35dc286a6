#include "platform/posix/value.h"

#include <stdio.h>
#include <string.h>

#include "util/alloc.h"

char *value_read(const char *path, const char *key, const char *skip)
{
	FILE *file = fopen(path, "re");
	char line[512], *found = NULL;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *s = line + strlen(key);

		if (strncmp(line, key, strlen(key)))
			continue;
		s += strspn(s, skip);
		s[strcspn(s, "\n\"")] = '\0';
		found = xstrdup(s);
	}
	if (file)
		fclose(file);
	return found;
}
