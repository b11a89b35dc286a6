/*
 * Attribute of functions with a printf format: the compiler checks the arguments against the format, on Windows too by
 * the rules of standard C, which __USE_MINGW_ANSI_STDIO selects for printing.
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
