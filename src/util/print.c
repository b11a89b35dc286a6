#include "util/print.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/utf8.h"

#define PREFIX "stagetrace: "

static void add_line(struct strbuf *sb, const char *text, size_t len)
{
	char *line = xstrndup(text, len);

	utf8_add_printable(sb, line);
	free(line);
}

void print_text(FILE *out, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *end = text + len + (text[len] == '\n');

		/* The line ends of Windows, as in scripts for it, are no control characters. */
		if (len && end > text + len && text[len - 1] == '\r')
			len--;
		add_line(&sb, text, len);
		strbuf_add(&sb, text + len, (size_t)(end - text) - len);
		text = end;
	}
	fputs(sb.buf, out);
	strbuf_release(&sb);
}

void print_textf(FILE *out, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&text, fmt, ap);
	va_end(ap);
	print_text(out, text.buf);
	strbuf_release(&text);
}

static void print_one(FILE *out, const char *kind, const char *text, size_t len)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, PREFIX "%s", kind);
	add_line(&sb, text, len);
	strbuf_addc(&sb, '\n');
	fputs(sb.buf, out);
	strbuf_release(&sb);
}

void print_line_va(FILE *out, const char *kind, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addvf(&text, fmt, ap);
	print_one(out, kind, text.buf, text.len);
	strbuf_release(&text);
}

void print_line(FILE *out, const char *kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line_va(out, kind, fmt, ap);
	va_end(ap);
}

void print_lines(FILE *out, const char *kind, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		print_one(out, kind, text, len);
		text += len + (text[len] == '\n');
	}
}
