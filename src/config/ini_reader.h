/*
 * INI text to entries, read by inih, with what inih does not tell: line numbers, and every line that it
 * would cut, join or drop without a word.
 *
 * On top of inih's grammar: a value whose line ends in a backslash goes on in the indented line below,
 * with nothing between; and a backslash before ";" or "#" (or before the blanks that begin a line's
 * text) takes away their meaning, where a word begins.
 */
#ifndef CONFIG_INI_READER_H
#define CONFIG_INI_READER_H

#include <stddef.h>

#include "config/config.h"
#include "config/problems.h"

/* Longest line, without its end: what inih reads whole, with CR LF and NUL. */
#define INI_LINE_MAX 197

#define INI_FILE_MAX (256 * 1024)

/* Append the settings of `text` to the configuration's entries; bad lines go to `problems`. */
void ini_read(const char *text, size_t len, struct config *config, struct problems *problems);

/* The entry of a key; NULL where it is not given. */
struct config_entry *ini_find_entry(const struct config *config, const char *section,
				    const char *key);

void ini_add_entry(struct config *config, const char *section, const char *key, const char *value,
		   int line);

#endif
