/*
 * Command lines: Windows starts a program with all arguments in one string. The C runtime of the program (argv of
 * main) and CommandLineToArgvW() split a string made here into the same arguments again.
 */
#ifndef PLATFORM_WINDOWS_COMMAND_LINE_H
#define PLATFORM_WINDOWS_COMMAND_LINE_H

#include <wchar.h>

#include "util/err.h"
#include "util/strvec.h"

/*
 * Join arguments; rules: learn.microsoft.com, "Parsing C command-line arguments". The caller frees `*line`. Fails if
 * it is longer than the system's limit of 32767 characters, or the name of the program has a quote in it.
 */
int command_line_join(const struct strvec *argv, wchar_t **line, struct err *err);

/*
 * The command line for cmd.exe to run the .bat or .cmd file `script` with the arguments argv[1], argv[2], ... cmd
 * interprets the line before the script gets it: all characters special to cmd are quoted, also %. Fails for a line
 * break, which cannot be quoted, and above the 8191 characters that cmd accepts.
 */
int command_line_join_batch(const wchar_t *script, const struct strvec *argv, wchar_t **line,
			    struct err *err);

/*
 * The C runtime's: the arguments of this program. No header declares it; see learn.microsoft.com, "__getmainargs,
 * __wgetmainargs".
 */
int __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***env, int expand, int *startup);

/* Append the arguments in `line`, the program's name first, which has different rules. An empty line has none. */
void command_line_split(const wchar_t *line, struct strvec *argv);

/*
 * Our environment with `changes` (NAME=value; NULL: none) applied, as a block for CreateProcessW(): sorted, each
 * variable ends with NUL, the block with one more. The caller frees it.
 */
wchar_t *environment_with(const struct strvec *changes);

#endif
