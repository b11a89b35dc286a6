#include "cli/message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "util/print.h"

static bool quiet;

void message_set_quiet(void)
{
	quiet = true;
}

static bool is_shown(const char *kind)
{
	return !quiet || !*kind;
}

void message_print(const char *kind, const char *text)
{
	if (!is_shown(kind))
		return;
	print_line(stderr, kind, "%s", text);
}

void message_print_buf(const char *kind, struct strbuf *text)
{
	if (is_shown(kind))
		print_lines(stderr, kind, text->buf);
	strbuf_release(text);
}

void message_printf(const char *kind, const char *fmt, ...)
{
	va_list ap;

	if (!is_shown(kind))
		return;
	va_start(ap, fmt);
	print_line_va(stderr, kind, fmt, ap);
	va_end(ap);
}
