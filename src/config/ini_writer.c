#include "config/ini_writer.h"

#include <stdbool.h>
#include <string.h>

#include "config/ini_reader.h"
#include "util/ascii.h"

/* Pleasant to read, and short enough below INI_LINE_MAX for every escape. */
#define CHUNK_MAX 90

/* Append `len` bytes, with a backslash more before what would otherwise be lost (see ini_reader.h). */
static void add_escaped(struct strbuf *sb, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!i || ascii_is_blank(s[i - 1])) {
			size_t run = strspn(s + i, "\\");
			char c = i + run < len ? s[i + run] : '\0';

			if (c == ';' || (c == '#' && (run || !i)) || (ascii_is_blank(c) && !i))
				strbuf_addc(sb, '\\');
		}
		strbuf_addc(sb, s[i]);
	}
}

/* Where to break a value that does not fit: behind a blank if possible, else between two characters. */
static size_t find_break(const char *s, size_t max)
{
	size_t at = max;

	while (at > 1 && !(ascii_is_blank(s[at - 1]) && !ascii_is_blank(s[at])))
		at--;
	if (at > 1)
		return at;
	for (at = max; at > 1 && ((unsigned char)s[at] & 0xc0) == 0x80; at--)
		;
	return at > 1 ? at : max;
}

void ini_write(struct strbuf *sb, const char *key, const char *value)
{
	size_t max = (INI_LINE_MAX - strlen(key) - 4) / 2;

	strbuf_addf(sb, "%s =%s", key, *value ? " " : "");
	if (max > CHUNK_MAX)
		max = CHUNK_MAX;
	while (strlen(value) > max) {
		size_t len = find_break(value, max);

		add_escaped(sb, value, len);
		strbuf_adds(sb, "\\\n\t");
		value += len;
		max = CHUNK_MAX;
	}
	add_escaped(sb, value, strlen(value));
	strbuf_addc(sb, '\n');
}
