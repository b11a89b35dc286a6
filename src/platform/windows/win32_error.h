/*
 * Failures of the system's calls, in words.
 */
#ifndef PLATFORM_WINDOWS_WIN32_ERROR_H
#define PLATFORM_WINDOWS_WIN32_ERROR_H

#include "util/err.h"
#include "util/printf_like.h"

/*
 * As err_set_errno(), with what GetLastError() gave: ": " and the system's own words, in English where it has them, and
 * the number. A full disk or quota becomes ERR_NO_SPACE. Always -1.
 */
int err_set_win32(struct err *err, unsigned long code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The nearest errno, for calls that are as C's own. */
int win32_errno(unsigned long code);

#endif
