#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/utf8.h"

void message_print(const char *kind, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, len);

		strbuf_addf(&sb, "stagetrace: %s", kind);
		utf8_add_printable(&sb, line);
		strbuf_addc(&sb, '\n');
		free(line);
		text += len + (text[len] == '\n');
	}
	fputs(sb.buf, stderr);
	strbuf_release(&sb);
}

void message_print_buf(const char *kind, struct strbuf *text)
{
	message_print(kind, text->buf);
	strbuf_release(text);
}

void message_printf(const char *kind, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&sb, fmt, ap);
	va_end(ap);
	message_print_buf(kind, &sb);
}
