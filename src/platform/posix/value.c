#include "platform/posix/value.h"

#include <stdio.h>
#include <stdlib.h>
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

int64_t value_read_number(const char *path, const char *key)
{
	char *text = value_read(path, key, " ");
	int64_t number = text && *text >= '0' && *text <= '9' ? strtoll(text, NULL, 10) : -1;

	free(text);
	return number;
}
