#include "util/unescape.h"

#include <stdint.h>
#include <string.h>

#include "util/ascii.h"
#include "util/utf8.h"

#define ESC 0x1b

/* Read `nr` digits; the number of bytes, or 0. */
static size_t take_digits(const char *s, size_t len, size_t i, size_t nr, int base, uint32_t *value)
{
	if (nr > len - i)
		return 0;
	*value = 0;
	for (size_t k = 0; k < nr; k++) {
		int digit = ascii_hex_digit(ascii_lower(s[i + k]));

		if (digit < 0 || digit >= base)
			return 0;
		*value = *value * (uint32_t)base + (uint32_t)digit;
	}
	return nr;
}

/* \u{41} */
static size_t take_braces(const char *s, size_t len, size_t i, uint32_t *value)
{
	size_t nr = 0;

	while (nr < 4 && i + 1 + nr < len && s[i + 1 + nr] != '}')
		nr++;
	if (!nr || i + 1 + nr >= len || s[i + 1 + nr] != '}')
		return 0;
	return take_digits(s, len, i + 1, nr, 16, value) ? nr + 2 : 0;
}

/* The bytes of an escape at `i`; 0: none. */
static size_t take_escape(const char *s, size_t len, size_t i, uint32_t *value)
{
	size_t nr = 0;

	if (len - i < 2)
		return 0;
	if (s[i] == '%') {
		nr = take_digits(s, len, i + 1, 2, 16, value);
		return nr ? nr + 1 : 0;
	}
	if (s[i] != '\\')
		return 0;
	if (s[i + 1] == 'e') {
		*value = ESC;
		return 2;
	}
	if (s[i + 1] == 'x')
		nr = take_digits(s, len, i + 2, 2, 16, value);
	else if (s[i + 1] == 'u' && len - i > 2 && s[i + 2] == '{')
		nr = take_braces(s, len, i + 2, value);
	else if (s[i + 1] == 'u')
		nr = take_digits(s, len, i + 2, 4, 16, value);
	else if (s[i + 1] <= '3' && take_digits(s, len, i + 1, 3, 8, value))
		return 4;
	return nr ? nr + 2 : 0;
}

size_t unescape_sequence(const char *s, size_t len, size_t i)
{
	uint32_t value = (unsigned char)s[i];
	size_t escape = take_escape(s, len, i, &value), end = i + (escape ? escape : 1);

	if (value != ESC || end >= len || s[end] != '[')
		return 0;
	do
		end++;
	while (end < len &&
	       (ascii_is_digit(s[end]) || s[end] == ';' || s[end] == ':' || s[end] == '?'));
	if (end == len || ascii_lower(s[end]) < 'a' || ascii_lower(s[end]) > 'z')
		return 0;
	return end + 1 - i;
}

static void add_character(struct strbuf *to, uint32_t value, bool is_byte)
{
	const unsigned char unit[] = { (unsigned char)value, (unsigned char)(value >> 8) };

	if (is_byte || value < 0x80)
		strbuf_addc(to, (char)value);
	else
		utf8_add_utf16(to, unit, 1);
}

size_t unescape_next(const char *s, size_t len, size_t i, struct strbuf *to)
{
	uint32_t value = 0;
	size_t escape = take_escape(s, len, i, &value), sequence = unescape_sequence(s, len, i);

	if (sequence) {
		strbuf_addc(to, ESC);
		return sequence;
	}
	if (!escape || value < ' ' || value == 0x7f) {
		strbuf_addc(to, s[i]);
		return 1;
	}
	add_character(to, value, s[i] == '%' || s[i + 1] != 'u');
	return escape;
}

bool unescape_text(const char *s, size_t len, struct strbuf *to)
{
	size_t start = to->len, i = 0;

	while (i < len) {
		size_t plain = i;

		while (plain < len && !unescape_is_special(s[plain]))
			plain++;
		if (plain == len && !i)
			return false;
		strbuf_add(to, s + i, plain - i);
		i = plain;
		if (i < len)
			i += unescape_next(s, len, i, to);
	}
	if (to->len - start != len)
		return true;
	strbuf_set_len(to, start);
	return false;
}
