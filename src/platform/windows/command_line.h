/*
 * Arguments in one string, as Windows starts programs with: what is joined here is split again by the C runtime
 * (main's argv) and by CommandLineToArgvW() into the same arguments, unchanged.
 */
#ifndef PLATFORM_WINDOWS_COMMAND_LINE_H
#define PLATFORM_WINDOWS_COMMAND_LINE_H

#include <wchar.h>

#include "util/err.h"
#include "util/strvec.h"

/*
 * Rules: learn.microsoft.com, "Parsing C command-line arguments". `*line` is the caller's to free. Fails above the
 * system's 32767 characters, and for a program's name with a quote in it.
 */
int command_line_join(const struct strvec *argv, wchar_t **line, struct err *err);

/*
 * What to give cmd.exe so that it runs the .bat or .cmd file `script` with argv[1] and on. cmd reads the line by rules
 * of its own before the script sees it: all that means something to it is quoted, % too. A line break cannot be. Fails
 * above the 8191 characters that cmd takes.
 */
int command_line_join_batch(const wchar_t *script, const struct strvec *argv, wchar_t **line,
			    struct err *err);

/* Append the arguments in `line` (the program's name first, by its own rules); nothing for an empty one. */
void command_line_split(const wchar_t *line, struct strvec *argv);

#endif
