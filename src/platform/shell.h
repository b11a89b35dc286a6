/*
 * The shell that people of this system paste commands into.
 */
#ifndef PLATFORM_SHELL_H
#define PLATFORM_SHELL_H

#include "util/strbuf.h"

/*
 * Append one word, quoted where needed. On Windows so that cmd.exe and PowerShell both take it: but for what nothing
 * quotes for both, "%NAME%" in the one, "$" and "`" in the other.
 */
void shell_add_word(struct strbuf *sb, const char *word);

#endif
