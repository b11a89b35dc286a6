/*
 * The shell that people of this system paste commands into.
 */
#ifndef PLATFORM_SHELL_H
#define PLATFORM_SHELL_H

#include "util/strbuf.h"
#include "util/strvec.h"

/*
 * Append one word, quoted where needed. On Windows so that cmd.exe and PowerShell both take it: but for what nothing
 * quotes for both, "%NAME%" in the one, "$" and "`" in the other.
 */
void shell_add_word(struct strbuf *sb, const char *word);

/* Append words, with blanks between. */
void shell_add_words(struct strbuf *sb, const struct strvec *words);

/*
 * Lines, each with its end; on Windows for cmd.exe. What runs in a folder, with variables (NAME=value each) and its
 * output appended to a file (NULL: as it is), leaves the shell's own folder and variables alone; on Windows its
 * variables are unset afterwards.
 */
void shell_add_comment(struct strbuf *sb, const char *text);
void shell_add_mkdir(struct strbuf *sb, const char *dir);
void shell_add_copy(struct strbuf *sb, const char *from, const char *to);
void shell_add_run(struct strbuf *sb, const char *dir, const struct strvec *env,
		   const struct strvec *argv, const char *log);

#endif
