/*
 * What is at the other end of an output stream.
 */
#ifndef PLATFORM_TERMINAL_H
#define PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

bool terminal_is_tty(FILE *file);

/* Columns; 0 where it is no terminal or does not say. */
int terminal_width(FILE *file);

#endif
