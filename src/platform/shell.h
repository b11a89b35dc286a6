/*
 * Command lines and scripts for the shell of this system, for users to paste.
 */
#ifndef PLATFORM_SHELL_H
#define PLATFORM_SHELL_H

#include "util/strbuf.h"
#include "util/strvec.h"

/*
 * Append one word, quoted if needed. On Windows the quoting works for both cmd.exe and PowerShell, except for what
 * cannot be quoted for both: "%NAME%" in cmd.exe, "$" and "`" in PowerShell. A word that has a quote is for cmd.exe alone,
 * and a line break is a space: cmd.exe would take what follows it for the next command.
 */
void shell_add_word(struct strbuf *sb, const char *word);

/* Append words, separated by blanks. */
void shell_add_words(struct strbuf *sb, const struct strvec *words);

/*
 * Append lines of a script, each with its line end; on Windows for cmd.exe. shell_add_run() runs a command in a
 * directory, with variables (NAME=value) and its output appended to the file `log` (NULL: not redirected). It does not
 * change the directory and variables of the shell; on Windows it unsets the variables afterwards.
 */
void shell_add_comment(struct strbuf *sb, const char *text);
void shell_add_mkdir(struct strbuf *sb, const char *dir);
void shell_add_copy(struct strbuf *sb, const char *from, const char *to);
void shell_add_run(struct strbuf *sb, const char *dir, const struct strvec *env,
		   const struct strvec *argv, const char *log);

#endif
