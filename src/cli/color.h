/*
 * Whether output is coloured: headings and the kind of a message are bold, nothing else.
 */
#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include <stdbool.h>
#include <stdio.h>

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Names of the modes, for --color; ends with NULL. */
extern const char *const color_mode_names[];

/* From now on; COLOR_AUTO at the start. */
void color_set(enum color_mode mode);

/*
 * Whether what is written to `out` (NULL: a file) is coloured. COLOR_AUTO: on a terminal that understands escape sequences,
 * unless NO_COLOR is set and not empty, or TERM is "dumb".
 */
bool color_of(FILE *out);

#endif
