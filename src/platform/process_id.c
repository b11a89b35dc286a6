#include "platform/process_id.h"

#include <stdlib.h>
#include <string.h>

bool process_id_lives(const char *id)
{
	char *now = process_id(strtoll(id, NULL, 10));
	bool lives = now && !strcmp(now, id);

	free(now);
	return lives;
}
