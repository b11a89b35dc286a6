/*
 * For functions that take a format and what it formats: the compiler checks the two against each other. By C's rules
 * on every system, as __USE_MINGW_ANSI_STDIO has them printed.
 */
#ifndef UTIL_PRINTF_LIKE_H
#define UTIL_PRINTF_LIKE_H

#ifdef __MINGW32__
#define PRINTF_LIKE(format_at, arguments_at) \
	__attribute__((format(gnu_printf, format_at, arguments_at)))
#else
#define PRINTF_LIKE(format_at, arguments_at) \
	__attribute__((format(printf, format_at, arguments_at)))
#endif

#endif
