/*
 * Splits command lines into arguments, and writes arguments as command lines.
 */
#ifndef UTIL_QUOTE_H
#define UTIL_QUOTE_H

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/*
 * Split `command` at blanks, by the same rules on all systems: blanks in '...' and "..." do not split, and
 * a quoted part may be within a word (a"b c"d is one word). Within double quotes, \" is a quote and \\ a
 * backslash; any other backslash is a plain character, so that Windows paths need no doubling. An unclosed
 * quote is an error.
 */
int quote_split(const char *command, struct strvec *args, struct err *err);

/* Append `args` so that quote_split() gives them back. They may not have control characters. */
void quote_add_split(struct strbuf *sb, const struct strvec *args);

/*
 * Split a Windows command line as the C runtime of Windows does. The program's name ends at the first blank outside quotes;
 * backslashes in it are plain characters. In arguments, 2n backslashes before a quote are n backslashes, after 2n + 1 the
 * quote is a plain character, and "" within quotes is one quote. Never fails: an unclosed quote reaches to the end.
 *
 * learn.microsoft.com, "Parsing C command-line arguments"
 */
void quote_split_windows(const char *command, struct strvec *args);

/* Append `args`, quoted for a POSIX shell only where needed, separated by blanks. */
void quote_add_shell(struct strbuf *sb, const struct strvec *args);

/*
 * Append `args` as a Windows command line that the C runtime splits into the same arguments. The program's name cannot have
 * quotes: they are left out.
 *
 * learn.microsoft.com, "Parsing C command-line arguments"
 */
void quote_add_windows(struct strbuf *sb, const struct strvec *args);

/* Append one of its arguments, in quotes. */
void quote_add_windows_word(struct strbuf *sb, const char *word);

/* Append one word, quoted for a POSIX shell where needed. */
void quote_add_word(struct strbuf *sb, const char *word);

#endif
