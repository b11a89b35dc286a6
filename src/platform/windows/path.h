/*
 * What a path looks like on Windows: both separators, drives, shares.
 */
#ifndef PLATFORM_WINDOWS_PATH_H
#define PLATFORM_WINDOWS_PATH_H

#include <stdbool.h>
#include <stddef.h>

bool path_is_separator(char c);

/*
 * How many bytes at the start are no component, the separator behind them included: "/" 1, "C:" 2, "C:\" 3, the whole
 * of "\\server\share\" and "\\?\C:\". 0 for a relative path.
 */
size_t path_root_length(const char *path);

/* By its name: .exe, .com, .bat or .cmd, the ones that the system starts by itself. */
bool path_is_program(const char *path);

/* .bat or .cmd: cmd.exe runs it. */
bool path_is_batch(const char *path);

#endif
