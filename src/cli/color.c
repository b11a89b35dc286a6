#include "cli/color.h"

#include <stdlib.h>
#include <string.h>

#include "platform/program.h"
#include "platform/terminal.h"

const char *const color_mode_names[] = { "auto", "always", "never", NULL };

static enum color_mode mode = COLOR_AUTO;

void color_set(enum color_mode chosen)
{
	mode = chosen;
}

static bool is_unwanted(void)
{
	char *no_color = env_get("NO_COLOR"), *term = env_get("TERM");
	bool unwanted = (no_color && *no_color) || (term && !strcmp(term, "dumb"));

	free(no_color);
	free(term);
	return unwanted;
}

bool color_of(FILE *out)
{
	if (mode != COLOR_AUTO)
		return mode == COLOR_ALWAYS;
	return out && terminal_is_tty(out) && !is_unwanted();
}
