/*
 * What is at the other end of an output stream.
 */
#ifndef PLATFORM_TERMINAL_H
#define PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Let descriptors 0, 1 and 2 be something: where the caller closed one, the next file that is opened would
 * take its number, and messages would go into it. program_start() calls it.
 */
void terminal_ensure_streams(void);

/* One that follows escape sequences, so that a line can be rewritten. */
bool terminal_is_tty(FILE *file);

/* Columns; 0 where it is no terminal or does not say. */
int terminal_width(FILE *file);

#endif
