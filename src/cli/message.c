#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/print.h"

void message_print(const char *kind, const char *text)
{
	print_line(stderr, kind, "%s", text);
}

void message_print_buf(const char *kind, struct strbuf *text)
{
	print_lines(stderr, kind, text->buf);
	strbuf_release(text);
}

void message_printf(const char *kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line_va(stderr, kind, fmt, ap);
	va_end(ap);
}
