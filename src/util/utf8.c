#include "util/utf8.h"

#include <string.h>

#include "util/little_endian.h"

#define REPLACEMENT "\xef\xbf\xbd"

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

void utf8_add_clean(struct strbuf *sb, const char *s, size_t len)
{
	size_t good = 0, used;

	for (size_t i = 0; i < len; i += used) {
		if (utf8_next(s + i, len - i, &used) != UTF8_BAD)
			continue;
		strbuf_add(sb, s + good, i - good);
		strbuf_adds(sb, REPLACEMENT);
		good = i + used;
	}
	strbuf_add(sb, s + good, len - good);
}

static size_t encode(uint32_t c, char text[UTF8_BYTES_MAX])
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t nr = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = nr - 1; i; i--, c >>= 6)
		text[i] = (char)(0x80 | (c & 0x3f));
	text[0] = (char)(first[nr] | c);
	return nr;
}

static uint32_t unit_at(const unsigned char *bytes, size_t i)
{
	return le_get16(bytes + i * 2);
}

void utf8_add_utf16(struct strbuf *sb, const unsigned char *bytes, size_t units)
{
	char text[UTF8_BYTES_MAX];

	for (size_t i = 0; i < units; i++) {
		uint32_t c = unit_at(bytes, i);
		uint32_t low = c >> 10 == 0x36 && i + 1 < units ? unit_at(bytes, i + 1) : 0;

		if (low >> 10 == 0x37) {
			c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
			i++;
		} else if (c >> 11 == 0x1b) {
			c = 0xfffd;
		}
		strbuf_add(sb, text, encode(c, text));
	}
}

/* Each byte of `c`. */
#define BYTES(c) (UINT64_C(0x0101010101010101) * (c))

/* Whether eight bytes are ASCII and no control characters; it may be false of bytes that are. */
static bool are_plain(uint64_t bytes)
{
	return !((bytes | (bytes - BYTES(0x20)) | (bytes + BYTES(1))) & BYTES(0x80));
}

/* The number of bytes at the start of `s`, which ends at `end`, that are ASCII and no control characters. */
static size_t count_plain(const char *s, const char *end)
{
	const char *at = s;
	uint64_t bytes;

	for (; end - at >= 8; at += 8) {
		memcpy(&bytes, at, 8);
		if (!are_plain(bytes))
			break;
	}
	while (*at >= 0x20 && *at < 0x7f)
		at++;
	return (size_t)(at - s);
}

/* utf8_next() for a string: its NUL ends an incomplete sequence. */
static uint32_t next_of_string(const char *s, size_t *used)
{
	return utf8_next(s, UTF8_BYTES_MAX, used);
}

/*
 * Unicode's Default_Ignorable_Code_Point, which are never seen and include Bidi_Control; its two characters that end a line
 * or a paragraph; and those around annotations.
 */
static const uint32_t unseen[][2] = {
	{ 0xad, 0xad },       { 0x34f, 0x34f },   { 0x61c, 0x61c },     { 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f }, { 0x200b, 0x200f },   { 0x2028, 0x202e },
	{ 0x2060, 0x206f },   { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

static bool is_unseen(uint32_t c)
{
	for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen) && c >= unseen[i][0]; i++) {
		if (c <= unseen[i][1])
			return true;
	}
	return false;
}

bool utf8_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || is_unseen(c);
}

void utf8_add_printable(struct strbuf *sb, const char *s)
{
	const char *end = s + strlen(s);

	for (;;) {
		size_t plain = count_plain(s, end), used;
		uint32_t c;

		strbuf_add(sb, s, plain);
		s += plain;
		if (!*s)
			return;
		c = next_of_string(s, &used);
		if (c == '\n')
			strbuf_adds(sb, "\\n");
		else if (c == '\t')
			strbuf_adds(sb, "\\t");
		else if (utf8_is_control(c))
			strbuf_addf(sb,
				    c < 0x100     ? "\\x%02x"
				    : c < 0x10000 ? "\\u%04x"
						  : "\\U%08x",
				    (unsigned int)c);
		else if (c == UTF8_BAD)
			strbuf_adds(sb, REPLACEMENT);
		else
			strbuf_add(sb, s, used);
		s += used;
	}
}

size_t utf8_length(const char *s)
{
	const char *end = s + strlen(s);
	size_t count = 0;

	for (;;) {
		size_t plain = count_plain(s, end), used;

		s += plain;
		count += plain;
		if (!*s)
			return count;
		next_of_string(s, &used);
		s += used;
		count++;
	}
}

size_t utf8_prefix(const char *s, size_t count)
{
	const char *end = s;
	size_t used;

	for (; *end && count; count--, end += used)
		next_of_string(end, &used);
	return (size_t)(end - s);
}
