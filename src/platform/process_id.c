#include "platform/process_id.h"

#include <stdlib.h>
#include <string.h>

int64_t process_id_number(const char *id)
{
	return strtoll(id, NULL, 10);
}

bool process_id_lives(const char *id)
{
	char *now = process_id(process_id_number(id));
	bool lives = now && !strcmp(now, id);

	free(now);
	return lives;
}
