#include "rundir/scrub.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/little_endian.h"
#include "util/text.h"
#include "util/utf8.h"

enum rule { RULE_HOST, RULE_USER, RULE_HOME, RULE_ANYWHERE };

struct needle {
	char *bytes;
	char *instead;
	size_t len;
	size_t step; /* bytes per character: 1, or 2 for UTF-16 */
	enum rule rule;
};

struct scrub {
	struct needle *v;
	size_t nr, alloc;
	size_t longest;
	bool first[256]; /* can a needle begin with this byte? */
};

static unsigned char fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 'a' - 'A') : c;
}

static void add_needle(struct scrub *scrub, const struct strbuf *bytes,
		       const struct strbuf *instead, size_t step, enum rule rule)
{
	unsigned char first = (unsigned char)bytes->buf[0];
	struct needle *needle;

	if (!bytes->len)
		return;
	ARRAY_GROW(scrub->v, scrub->nr + 1, scrub->alloc);
	needle = &scrub->v[scrub->nr++];
	needle->bytes = xmalloc(bytes->len);
	memcpy(needle->bytes, bytes->buf, bytes->len);
	needle->instead = xmalloc(bytes->len);
	memcpy(needle->instead, instead->buf, bytes->len);
	needle->len = bytes->len;
	needle->step = step;
	needle->rule = rule;
	if (bytes->len > scrub->longest)
		scrub->longest = bytes->len;
	for (int c = 0; c < 256; c++)
		scrub->first[c] |= fold((unsigned char)c) == fold(first);
}

static void add_utf16_unit(struct strbuf *sb, uint32_t unit)
{
	strbuf_addc(sb, (char)(unit & 0xff));
	strbuf_addc(sb, (char)(unit >> 8 & 0xff));
}

static void add_utf16(struct strbuf *sb, const char *s, size_t len)
{
	while (len) {
		size_t used;
		uint32_t code = utf8_next(s, len, &used);

		if (code >= 0x10000 && code != UTF8_BAD) {
			add_utf16_unit(sb, 0xd800 + ((code - 0x10000) >> 10));
			add_utf16_unit(sb, 0xdc00 + ((code - 0x10000) & 0x3ff));
		} else {
			add_utf16_unit(sb, code & 0xffff);
		}
		s += used;
		len -= used;
	}
}

/* Add `word`, in both encodings. Everything from byte `keep` on is replaced: by `instead`, then x's. */
static void add_word(struct scrub *scrub, const char *word, size_t keep, const char *instead,
		     enum rule rule)
{
	struct strbuf bytes = STRBUF_INIT, masked = STRBUF_INIT;

	strbuf_adds(&bytes, word);
	strbuf_add(&masked, word, keep);
	if (bytes.len - keep > strlen(instead))
		strbuf_adds(&masked, instead);
	strbuf_pad(&masked, 'x', bytes.len);
	add_needle(scrub, &bytes, &masked, 1, rule);

	strbuf_clear(&bytes);
	strbuf_clear(&masked);
	add_utf16(&bytes, word, strlen(word));
	add_utf16(&masked, word, keep);
	for (size_t i = 0; masked.len < bytes.len; i++)
		add_utf16_unit(&masked, i < strlen(instead) ? (uint32_t)instead[i] : 'x');
	add_needle(scrub, &bytes, &masked, 2, rule);
	strbuf_release(&bytes);
	strbuf_release(&masked);
}

static void add_host(struct scrub *scrub, const char *host)
{
	char *label = xstrndup(host, strcspn(host, "."));

	if (!text_equal_fold(label, "localhost")) {
		add_word(scrub, host, 0, "host", RULE_HOST);
		if (strcmp(label, host))
			add_word(scrub, label, 0, "host", RULE_HOST);
	}
	free(label);
}

/* Add the hexadecimal form, which the process list has of arguments that are not UTF-8 (util/json.h). */
static void add_hex(struct scrub *scrub, const char *word, size_t keep)
{
	struct strbuf bytes = STRBUF_INIT, masked = STRBUF_INIT;

	for (size_t i = 0; word[i]; i++) {
		unsigned int c = (unsigned char)word[i];

		strbuf_addf(&bytes, "%02x", c);
		strbuf_addf(&masked, "%02x", i < keep ? c : 'x');
	}
	add_needle(scrub, &bytes, &masked, 1, RULE_ANYWHERE);
	strbuf_release(&bytes);
	strbuf_release(&masked);
}

static size_t last_folder(const char *path)
{
	size_t start = 0;

	for (size_t i = 0; path[i]; i++) {
		if (path[i] == '/' || path[i] == '\\')
			start = i + 1;
	}
	return start;
}

/* `path` with each backslash written as `slash`. */
static void add_path(struct scrub *scrub, const char *path, const char *slash)
{
	struct strbuf spelled = STRBUF_INIT;

	for (; *path; path++) {
		if (*path == '\\')
			strbuf_adds(&spelled, slash);
		else
			strbuf_addc(&spelled, *path);
	}
	add_word(scrub, spelled.buf, last_folder(spelled.buf), "", RULE_HOME);
	strbuf_release(&spelled);
}

static void add_home(struct scrub *scrub, const char *home)
{
	size_t len = strlen(home);
	char *path;

	while (len && strchr("/\\", home[len - 1]))
		len--;
	path = xstrndup(home, len);
	if (last_folder(path) && last_folder(path) < len) {
		add_path(scrub, path, "\\");
		if (strchr(path, '\\')) {
			add_path(scrub, path, "\\\\");
			add_path(scrub, path, "/");
		}
		add_hex(scrub, path, last_folder(path));
	}
	free(path);
}

struct scrub *scrub_new(const char *host, const char *user, const char *home)
{
	struct scrub *scrub = xcalloc(1, sizeof(*scrub));

	/* Longer names first: one may contain another. */
	if (home)
		add_home(scrub, home);
	if (host)
		add_host(scrub, host);
	if (user)
		add_word(scrub, user, 0, "", RULE_USER);
	return scrub;
}

void scrub_free(struct scrub *scrub)
{
	if (!scrub)
		return;
	for (size_t i = 0; i < scrub->nr; i++) {
		free(scrub->v[i].bytes);
		free(scrub->v[i].instead);
	}
	free(scrub->v);
	free(scrub);
}

/* The character (code unit) at `at`; -1: outside of the text. */
static int unit_at(const char *buf, size_t len, size_t at, size_t step)
{
	if (at >= len || len - at < step)
		return -1;
	return step > 1 ? le_get16((const unsigned char *)buf + at) : (unsigned char)buf[at];
}

static int unit_before(const char *buf, size_t at, size_t step)
{
	return at < step ? -1 : unit_at(buf, at, at - step, step);
}

static bool is_word(int unit)
{
	return (unit >= '0' && unit <= '9') || (unit >= 'A' && unit <= 'Z') || unit == '_' ||
	       (unit >= 'a' && unit <= 'z');
}

/* Can the character follow a file name? Any other one would be part of a longer name. */
static bool ends_name(int unit)
{
	return unit <= ' ' || unit >= 0x7f || strchr("/\\\"':;,()[]{}<>|&=*?", unit);
}

static bool follows(const char *buf, size_t at, size_t step, const char *text)
{
	size_t len = strlen(text);

	if (at < len * step)
		return false;
	for (size_t i = 0; i < len; i++) {
		int unit = unit_at(buf, at, at - (len - i) * step, step);

		if (unit > 0x7f || fold((unsigned char)unit) != (unsigned char)text[i])
			return false;
	}
	return true;
}

/* Variable names; at most SCRUB_CONTEXT / 2 characters each. */
static const char *const user_places[] = {
	"/",
	"\\",
	"user=",
	"logname=",
	"username=",
	"user\":\"",
	"user\": \"",
	"logname\":\"",
	"logname\": \"",
	"username\":\"",
	"username\": \"",
};

static bool is_user(const char *buf, size_t len, size_t at, const struct needle *needle)
{
	int after = unit_at(buf, len, at + needle->len, needle->step);

	if (after == '@' && !is_word(unit_before(buf, at, needle->step)))
		return true;
	if (!ends_name(after))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(user_places); i++) {
		if (follows(buf, at, needle->step, user_places[i]))
			return true;
	}
	return false;
}

static bool is_in_place(const char *buf, size_t len, size_t at, const struct needle *needle)
{
	int after = unit_at(buf, len, at + needle->len, needle->step);

	switch (needle->rule) {
	case RULE_HOST:
		return !is_word(after) && !is_word(unit_before(buf, at, needle->step));
	case RULE_HOME:
		return !is_word(after);
	case RULE_USER:
		return is_user(buf, len, at, needle);
	case RULE_ANYWHERE:
		return true;
	}
	return false;
}

static bool equal_fold(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (fold((unsigned char)a[i]) != fold((unsigned char)b[i]))
			return false;
	}
	return true;
}

/* Number of bytes replaced at `at`; 0: none. */
static size_t replace_at(const struct scrub *scrub, char *buf, size_t len, size_t at)
{
	for (size_t i = 0; i < scrub->nr; i++) {
		const struct needle *needle = &scrub->v[i];

		if (needle->len <= len - at && equal_fold(buf + at, needle->bytes, needle->len) &&
		    is_in_place(buf, len, at, needle)) {
			memcpy(buf + at, needle->instead, needle->len);
			return needle->len;
		}
	}
	return 0;
}

size_t scrub_part(const struct scrub *scrub, char *buf, size_t seen, size_t len, bool last)
{
	size_t ahead = scrub->longest + 2;
	size_t end = last ? len : len > ahead ? len - ahead : 0;
	size_t at = seen;

	while (at < end) {
		size_t replaced = 0;

		if (scrub->first[(unsigned char)buf[at]])
			replaced = replace_at(scrub, buf, len, at);
		at += replaced ? replaced : 1;
	}
	return at;
}

void scrub_text(const struct scrub *scrub, struct strbuf *sb)
{
	if (sb->len)
		scrub_part(scrub, sb->buf, 0, sb->len, true);
}
