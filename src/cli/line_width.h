/*
 * The width of lines of text on stdout.
 */
#ifndef CLI_LINE_WIDTH_H
#define CLI_LINE_WIDTH_H

#include <stddef.h>

/* That of the environment variable COLUMNS, from 40 up, or of the terminal; TABLE_WIDTH without both. */
size_t line_width(void);

#endif
