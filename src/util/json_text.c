#include "util/json_text.h"

#include <stdbool.h>
#include <string.h>

#include "util/json.h"
#include "util/text.h"
#include "util/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

#define BYTES(value) (UINT64_C(0x0101010101010101) * (value))

/* Whether one of eight bytes is `value`: a subtraction borrows into the highest bit of a byte that was zero. */
static uint64_t has(uint64_t bytes, unsigned char value)
{
	bytes ^= BYTES(value);
	return (bytes - BYTES(1)) & ~bytes & BYTES(0x80);
}

/* Whether all of eight bytes stand for themselves in a string: from 0x20 to 0x7e, without '"' and '\\'. */
static inline bool are_plain(const char *s)
{
	uint64_t bytes;

	memcpy(&bytes, s, sizeof(bytes));
	return !((bytes | (bytes - BYTES(0x20)) | (bytes + BYTES(1))) & BYTES(0x80)) &&
	       !has(bytes, '"') && !has(bytes, '\\');
}

/*
 * Copy the bytes at the start of `s`, which has `len` bytes, that stand for themselves. The last eight of a long string are
 * looked at together, some of them again. Returns their number.
 */
static size_t copy_plain(char *to, const char *s, size_t len)
{
	size_t nr = 0;

	for (; nr + 8 <= len && are_plain(s + nr); nr += 8)
		memcpy(to + nr, s + nr, 8);
	if (len >= 8 && nr + 8 > len && are_plain(s + len - 8)) {
		memcpy(to + len - 8, s + len - 8, 8);
		return len;
	}
	for (; nr < len && s[nr] >= 0x20 && s[nr] < 0x7f && s[nr] != '"' && s[nr] != '\\'; nr++)
		to[nr] = s[nr];
	return nr;
}

static void add_escape(struct strbuf *sb, uint32_t c)
{
	static const char *const short_ones[] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n",  ['\f'] = "\\f",
		['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\",
	};

	if (c <= '\\' && short_ones[c])
		strbuf_adds(sb, short_ones[c]);
	else if (c < 0x10000)
		strbuf_addf(sb, "\\u%04X", (unsigned int)c);
	else
		strbuf_addf(sb, "\\u%04X\\u%04X", 0xd7c0 + (unsigned int)(c >> 10),
			    0xdc00 | (unsigned int)(c & 0x3ff));
}

/* False: it is not UTF-8; U+FFFD stands for each bad byte. */
static bool add_string(struct strbuf *sb, const char *s)
{
	size_t left = strlen(s), used;
	bool valid = true;

	strbuf_grow(sb, left + 2);
	strbuf_addc(sb, '"');
	for (; left; s += used, left -= used) {
		uint32_t c;

		strbuf_grow(sb, left);
		used = copy_plain(sb->buf + sb->len, s, left);
		strbuf_set_len(sb, sb->len + used);
		if (used)
			continue;
		c = utf8_next(s, left, &used);
		if (c == UTF8_BAD)
			strbuf_adds(sb, REPLACEMENT);
		else if (c == '"' || c == '\\' || utf8_is_control(c))
			add_escape(sb, c);
		else
			strbuf_add(sb, s, used);
		valid &= c != UTF8_BAD;
	}
	strbuf_addc(sb, '"');
	return valid;
}

static void add_hex(struct strbuf *sb, const char *s)
{
	strbuf_addc(sb, '"');
	text_add_hex(sb, s, strlen(s));
	strbuf_addc(sb, '"');
}

static void begin_member(struct strbuf *sb, const char *key, const char *suffix)
{
	if (sb->buf[sb->len - 1] != '{')
		strbuf_addc(sb, ',');
	strbuf_addc(sb, '"');
	strbuf_adds(sb, key);
	strbuf_adds(sb, suffix);
	strbuf_add(sb, "\":", 2);
}

bool json_text_string(struct strbuf *sb, const char *s)
{
	return add_string(sb, s);
}

void json_text_bytes(struct strbuf *sb, const char *key, const char *s)
{
	begin_member(sb, key, "");
	if (!s) {
		strbuf_adds(sb, "null");
	} else if (!add_string(sb, s)) {
		begin_member(sb, key, "_hex");
		add_hex(sb, s);
	}
}

static void add_hex_strings(struct strbuf *sb, const struct strvec *strings)
{
	strbuf_addc(sb, '[');
	for (size_t i = 0; i < strings->nr; i++) {
		if (i)
			strbuf_addc(sb, ',');
		if (utf8_valid(strings->v[i], strlen(strings->v[i])))
			strbuf_adds(sb, "null");
		else
			add_hex(sb, strings->v[i]);
	}
	strbuf_addc(sb, ']');
}

/* Strings that are read ahead: names of functions are anywhere in memory. */
#define PREFETCHED 8

void json_text_strings(struct strbuf *sb, const char *key, const struct strvec *strings)
{
	bool valid = true;

	begin_member(sb, key, "");
	strbuf_addc(sb, '[');
	for (size_t i = 0; i < strings->nr; i++) {
		if (i)
			strbuf_addc(sb, ',');
		if (i + PREFETCHED < strings->nr)
			__builtin_prefetch(strings->v[i + PREFETCHED]);
		valid &= add_string(sb, strings->v[i]);
	}
	strbuf_addc(sb, ']');
	if (valid)
		return;
	begin_member(sb, key, "_hex");
	add_hex_strings(sb, strings);
}

void json_text_int(struct strbuf *sb, const char *key, int64_t value)
{
	begin_member(sb, key, "");
	text_add_int(sb, value);
}

/* jansson's own form of the number. */
void json_text_real(struct strbuf *sb, const char *key, double value)
{
	char text[64];
	json_t *real = json_real(value);
	size_t nr = json_dumpb(real, text, sizeof(text), JSON_ENCODE_ANY);

	json_decref(real);
	begin_member(sb, key, "");
	strbuf_add(sb, text, nr);
}
