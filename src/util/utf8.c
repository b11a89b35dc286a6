#include "util/utf8.h"

#include <string.h>

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

uint32_t utf8_next(const char *text, size_t len, size_t *used)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t need = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t c;

	*used = 1;
	if (need == 1)
		return s[0];
	if (!need || s[0] > 0xf4 || len < need)
		return UTF8_BAD;
	c = s[0] & (0x7fU >> need);
	for (size_t i = 1; i < need; i++) {
		if (!is_tail(s[i]))
			return UTF8_BAD;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[need] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return UTF8_BAD;
	*used = need;
	return c;
}

bool utf8_valid(const char *s, size_t len)
{
	size_t used;

	for (; len; s += used, len -= used) {
		if (utf8_next(s, len, &used) == UTF8_BAD)
			return false;
	}
	return true;
}

static void add_code_point(struct strbuf *sb, const char *s, size_t used, uint32_t c)
{
	if (c == UTF8_BAD)
		strbuf_adds(sb, "\xef\xbf\xbd");
	else
		strbuf_add(sb, s, used);
}

void utf8_add_clean(struct strbuf *sb, const char *s, size_t len)
{
	size_t used;

	for (; len; s += used, len -= used) {
		uint32_t c = utf8_next(s, len, &used);

		add_code_point(sb, s, used, c);
	}
}

/* How much of `s` is ASCII without control characters. */
static size_t count_plain(const char *s)
{
	size_t nr = 0;

	while (s[nr] >= 0x20 && s[nr] < 0x7f)
		nr++;
	return nr;
}

void utf8_add_printable(struct strbuf *sb, const char *s)
{
	size_t len = strlen(s), used;

	for (; len; s += used, len -= used) {
		size_t plain = count_plain(s);
		uint32_t c;

		strbuf_add(sb, s, plain);
		s += plain;
		len -= plain;
		if (!len)
			return;
		c = utf8_next(s, len, &used);
		if (c == '\n')
			strbuf_adds(sb, "\\n");
		else if (c == '\t')
			strbuf_adds(sb, "\\t");
		else if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			strbuf_addf(sb, "\\x%02x", (unsigned int)c);
		else
			add_code_point(sb, s, used, c);
	}
}

size_t utf8_length(const char *s)
{
	size_t len = strlen(s), used, count = 0;

	for (; len; s += used, len -= used) {
		utf8_next(s, len, &used);
		count++;
	}
	return count;
}

size_t utf8_prefix(const char *s, size_t count)
{
	size_t len = strlen(s), used, bytes = 0;

	while (bytes < len && count--) {
		utf8_next(s + bytes, len - bytes, &used);
		bytes += used;
	}
	return bytes;
}
