/*
 * Reads INI text into configuration entries, with the library inih. Adds line numbers, and refuses every line that inih
 * would silently truncate, join or drop.
 *
 * Additions to inih's grammar: if a value's line ends in a backslash, the indented line below is joined without a blank. A
 * backslash makes a ";" or "#" at the start of a word, or blanks at the start of a line's text, part of the value.
 */
#ifndef CONFIG_INI_READER_H
#define CONFIG_INI_READER_H

#include <stddef.h>

#include "config/config.h"
#include "config/problems.h"

/* Longest line that inih does not split, without CR LF. */
#define INI_LINE_MAX 197

/* Append the settings of `text` to the configuration's entries; bad lines go to `problems`. */
void ini_read(const char *text, size_t len, struct config *config, struct problems *problems);

#endif
