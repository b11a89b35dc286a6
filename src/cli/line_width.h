/*
 * The width of lines of text.
 */
#ifndef CLI_LINE_WIDTH_H
#define CLI_LINE_WIDTH_H

#include <stddef.h>
#include <stdio.h>

/*
 * That of the environment variable COLUMNS, from 40 up, or of the terminal `out` (NULL: none); TABLE_WIDTH without both.
 */
size_t line_width(FILE *out);

#endif
