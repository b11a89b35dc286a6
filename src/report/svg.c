#include "report/svg.h"

#include <stdint.h>
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
