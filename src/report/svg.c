#include "report/svg.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"

void svg_add_text(struct strbuf *sb, const char *text)
{
	size_t left = strlen(text), used;

	for (; left; text += used, left -= used) {
		uint32_t c = utf8_next(text, left, &used);

		if (c == '&')
			strbuf_adds(sb, "&amp;");
		else if (c == '<')
			strbuf_adds(sb, "&lt;");
		else if (c == '>')
			strbuf_adds(sb, "&gt;");
		else if (c == '"')
			strbuf_adds(sb, "&quot;");
		else if (c == UTF8_BAD || utf8_is_control(c) || c == 0xfffe || c == 0xffff)
			strbuf_adds(sb, "\xef\xbf\xbd");
		else
			strbuf_add(sb, text, used);
	}
}

void svg_add_cut(struct strbuf *sb, const char *text, size_t room)
{
	struct strbuf cut = STRBUF_INIT;

	if (utf8_length(text) <= room) {
		svg_add_text(sb, text);
		return;
	}
	strbuf_add(&cut, text, utf8_prefix(text, room - 1));
	svg_add_text(sb, cut.buf);
	strbuf_adds(sb, "…");
	strbuf_release(&cut);
}

void svg_add_pixels(struct strbuf *sb, double pixels)
{
	int64_t scaled = (int64_t)(pixels * 10000 + 0.5);

	strbuf_addf(sb, "%lld", (long long)(scaled / 10000));
	if (!(scaled % 10000))
		return;
	strbuf_addf(sb, ".%04lld", (long long)(scaled % 10000));
	while (sb->buf[sb->len - 1] == '0')
		strbuf_set_len(sb, sb->len - 1);
}

void svg_add_attribute(struct strbuf *sb, const char *name, double pixels)
{
	strbuf_addf(sb, " %s=\"", name);
	svg_add_pixels(sb, pixels);
	strbuf_addc(sb, '"');
}

void svg_add_rect(struct strbuf *sb, const char *css, double x, double y, double width,
		  double height)
{
	strbuf_addf(sb, "<rect class=\"%s\"", css);
	svg_add_attribute(sb, "x", x);
	svg_add_attribute(sb, "y", y);
	svg_add_attribute(sb, "width", width);
	svg_add_attribute(sb, "height", height);
}

void svg_add_line(struct strbuf *sb, const char *css, double x1, double y1, double x2, double y2)
{
	strbuf_addf(sb, "<line class=\"%s\"", css);
	svg_add_attribute(sb, "x1", x1);
	svg_add_attribute(sb, "y1", y1);
	svg_add_attribute(sb, "x2", x2);
	svg_add_attribute(sb, "y2", y2);
	strbuf_adds(sb, "/>\n");
}

void svg_begin_text(struct strbuf *sb, const char *css, const char *anchor, double x, double y)
{
	strbuf_adds(sb, "<text");
	if (css)
		strbuf_addf(sb, " class=\"%s\"", css);
	if (anchor)
		strbuf_addf(sb, " text-anchor=\"%s\"", anchor);
	svg_add_attribute(sb, "x", x);
	svg_add_attribute(sb, "y", y);
	strbuf_addc(sb, '>');
}

void svg_add_text_at(struct strbuf *sb, const char *css, const char *anchor, double x, double y,
		     const char *text)
{
	svg_begin_text(sb, css, anchor, x, y);
	svg_add_text(sb, text);
	strbuf_adds(sb, "</text>\n");
}

static int compare_down(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

int64_t svg_least(int64_t *values, size_t nr, size_t most, int64_t least)
{
	if (nr <= most)
		return least;
	qsort(values, nr, sizeof(*values), compare_down);
	return values[most] + 1;
}
