/*
 * Errors of system calls as messages.
 */
#ifndef PLATFORM_WINDOWS_WIN32_ERROR_H
#define PLATFORM_WINDOWS_WIN32_ERROR_H

#include "util/err.h"
#include "util/printf_like.h"

/*
 * As err_set_errno(), with a code of GetLastError(): appends ": ", the system's message, in English if it has that,
 * and the number. A full disk or quota becomes ERR_NO_SPACE. Returns -1.
 */
int err_set_win32(struct err *err, unsigned long code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The nearest errno, for functions that report errors as C does. */
int win32_errno(unsigned long code);

#endif
