/*
 * Command lines as text: splitting one into arguments, and writing arguments fit to paste.
 */
#ifndef UTIL_QUOTE_H
#define UTIL_QUOTE_H

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/*
 * Split `command` at blanks, the same on every system: '...' and "..." keep blanks together and may
 * join a word (a"b c"d is one), "\"" and "\\" inside double quotes stand for themselves, any other
 * backslash is a plain character (so Windows paths need no doubling). A quote left open is an error.
 */
int quote_split(const char *command, struct strvec *args, struct err *err);

/*
 * Split a command line of Windows as its C runtime does: the program up to a blank outside of quotes, backslashes plain;
 * then 2n backslashes before a quote are n, with 2n + 1 the quote is plain, and "" in
 * quotes is one. Nothing is wrong: an open quote reaches to the end.
 *
 * learn.microsoft.com, "Parsing C command-line arguments"
 */
void quote_split_windows(const char *command, struct strvec *args);

/* Append `args`, quoted for a POSIX shell only where needed, separated by blanks. */
void quote_add_shell(struct strbuf *sb, const struct strvec *args);

/*
 * Append `args` as a command line of Windows, from which its C runtime makes the same arguments; but of the program's name
 * it takes no quotes.
 *
 * learn.microsoft.com, "Parsing C command-line arguments"
 */
void quote_add_windows(struct strbuf *sb, const struct strvec *args);

/* Append one word, quoted for a POSIX shell where needed. */
void quote_add_word(struct strbuf *sb, const char *word);

#endif
