#include "cli/line_width.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/program.h"
#include "platform/terminal.h"
#include "report/table.h"
#include "util/text.h"

#define WIDTH_MIN 20
#define WIDTH_MAX 10000

size_t line_width(FILE *out)
{
	char *columns = env_get("COLUMNS");
	int terminal = out ? terminal_width(out) : 0;
	int64_t width = terminal > 0 ? terminal : TABLE_WIDTH;

	if (columns)
		text_parse_int(columns, WIDTH_MIN, WIDTH_MAX, &width);
	free(columns);
	return (size_t)width;
}
