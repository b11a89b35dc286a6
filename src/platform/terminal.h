/*
 * The terminal to which the standard streams lead.
 */
#ifndef PLATFORM_TERMINAL_H
#define PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Make sure that descriptors 0, 1 and 2 are open. If the program was started with one of them closed, the next opened
 * file would get its number, and messages would be written into that file. program_start() calls this.
 */
void terminal_ensure_streams(void);

/* Whether it is a terminal that understands escape sequences, so that a line can be rewritten. */
bool terminal_is_tty(FILE *file);

/* The number of columns; 0 if it is no terminal, or its width is unknown. */
int terminal_width(FILE *file);

#endif
