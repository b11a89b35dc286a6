#include "util/print.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/ascii.h"
#include "util/strbuf.h"
#include "util/utf8.h"

#define PREFIX   "stagetrace: "
#define INDENT   2
#define UNIT_MAX 3 /* with the sign that follows: "5.00 ms;" */

static void add_line(struct strbuf *sb, const char *text, size_t len)
{
	char *line = xstrndup(text, len);

	utf8_add_printable(sb, line);
	free(line);
}

/* The length of the first word of a text, with the blank and the unit behind a number. */
static size_t first_word(const char *text)
{
	size_t len = strcspn(text, " "), unit;

	if (!len || text[len] != ' ' || !ascii_is_digit(text[len - 1]))
		return len;
	unit = strcspn(text + len + 1, " ");
	return unit && unit <= UNIT_MAX ? len + 1 + unit : len;
}

/*
 * Add the words of `text`, in lines of `width` columns, the first of which has `used` columns already; the others begin in
 * column `indent`.
 */
static void add_words(struct strbuf *sb, const char *text, size_t width, size_t used, size_t indent)
{
	size_t column = used;

	while (*text) {
		size_t len = first_word(text), gap = strspn(text + len, " ");
		char *word = xstrndup(text, len);
		size_t columns = utf8_length(word);

		if (width && column > indent && column + columns > width) {
			while (sb->len && sb->buf[sb->len - 1] == ' ')
				strbuf_set_len(sb, sb->len - 1);
			strbuf_addc(sb, '\n');
			strbuf_pad(sb, ' ', sb->len + indent);
			column = indent;
		}
		strbuf_add(sb, text, len + gap);
		column += columns + gap;
		text += len + gap;
		free(word);
	}
}

void print_wrapped(FILE *out, const char *text, size_t width, size_t indent)
{
	struct strbuf sb = STRBUF_INIT, line = STRBUF_INIT;

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *end = text + len + (text[len] == '\n');

		/* The line ends of Windows, as in scripts for it, are no control characters. */
		if (len && end > text + len && text[len - 1] == '\r')
			len--;
		strbuf_clear(&line);
		add_line(&line, text, len);
		add_words(&sb, line.buf, width, 0, indent);
		strbuf_add(&sb, text + len, (size_t)(end - text) - len);
		text = end;
	}
	fputs(sb.buf, out);
	strbuf_release(&line);
	strbuf_release(&sb);
}

void print_text(FILE *out, const char *text)
{
	print_wrapped(out, text, 0, 0);
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

void print_styled(FILE *out, const struct print_style *style, const char *kind, const char *text)
{
	struct strbuf sb = STRBUF_INIT, line = STRBUF_INIT;

	add_line(&line, text, strlen(text));
	strbuf_adds(&sb, PREFIX);
	if (style->bold && *kind)
		strbuf_addf(&sb, PRINT_BOLD "%s" PRINT_PLAIN, kind);
	else
		strbuf_adds(&sb, kind);
	add_words(&sb, line.buf ? line.buf : "", style->width, strlen(PREFIX) + strlen(kind),
		  INDENT);
	strbuf_addc(&sb, '\n');
	fputs(sb.buf, out);
	strbuf_release(&line);
	strbuf_release(&sb);
}

void print_line_va(FILE *out, const char *kind, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addvf(&text, fmt, ap);
	print_styled(out, &(struct print_style){ 0 }, kind, text.buf ? text.buf : "");
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
		char *line = xstrndup(text, len);

		print_styled(out, &(struct print_style){ 0 }, kind, line);
		free(line);
		text += len + (text[len] == '\n');
	}
}
