/*
 * Prints what people read on stdout and stderr: progress, messages, summaries. Much of it is untrusted: names and texts of
 * runs, traces and file systems. Printed by these functions, or by a table (report/table.h), it cannot control a terminal:
 * the escapes are those of utf8_add_printable().
 */
#ifndef UTIL_PRINT_H
#define UTIL_PRINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/printf_like.h"

/* For terminals that understand them. */
#define PRINT_BOLD  "\033[1m"
#define PRINT_PLAIN "\033[0m"

/* Print the lines of a text. An untrusted part that must not end a line is to be escaped before it is added to the text. */
void print_text(FILE *out, const char *text);

/* The same with lines of `width` columns, 0: any, broken between words. What follows a break begins in column `indent`. */
void print_wrapped(FILE *out, const char *text, size_t width, size_t indent);
void print_textf(FILE *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Print one message, "stagetrace: " KIND TEXT, in one line, whatever the text has. `kind` is "" for errors and progress,
 * "note: " or "warning: ".
 */
void print_line(FILE *out, const char *kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
void print_line_va(FILE *out, const char *kind, const char *fmt, va_list ap) PRINTF_LIKE(3, 0);

/* Each line of the text is a message. */
void print_lines(FILE *out, const char *kind, const char *text);

/* How messages look on a terminal. All 0: plain, each on one line. */
struct print_style {
	size_t width; /* lines are broken between words; 0: they are not */
	bool bold;    /* the kind is */
};

/* The same in a style; further lines of a message are indented. */
void print_styled(FILE *out, const struct print_style *style, const char *kind, const char *text);

#endif
