#include "report/short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "util/ascii.h"
#include "util/text.h"

#define ELLIPSIS  "…"
#define DEPTH_MAX 64

/* Whether the '<' at `at` opens type arguments: it follows a name and does not begin a path. */
static bool opens_arguments(const char *name, size_t at)
{
	return at && (isalnum((unsigned char)name[at - 1]) || strchr("_:}", name[at - 1]));
}

static bool closes(const char *name, size_t at)
{
	return name[at] == '>' && (!at || !strchr("-=", name[at - 1]));
}

int short_name_elide(struct strbuf *sb, const char *name, int level)
{
	bool arguments[DEPTH_MAX];
	int depth = 0, deep = 0, deepest = 0;

	if (strstr(name, "operator"))
		return -1;
	for (size_t i = 0;; i++) {
		size_t plain = strcspn(name + i, "<>");
		bool kept = deep < level;

		if (kept)
			strbuf_add(sb, name + i, plain);
		i += plain;
		if (!name[i])
			break;
		if (name[i] == '<') {
			if (depth == DEPTH_MAX)
				return -1;
			arguments[depth] = opens_arguments(name, i);
			deep += arguments[depth++];
			if (deep > deepest)
				deepest = deep;
			if (kept)
				strbuf_adds(sb, deep < level ? "<" : "<" ELLIPSIS);
		} else if (closes(name, i)) {
			if (!depth)
				return -1;
			deep -= arguments[--depth];
			if (deep < level)
				strbuf_addc(sb, '>');
		} else if (kept) {
			strbuf_addc(sb, name[i]);
		}
	}
	return depth ? -1 : deepest;
}

static bool is_hexadecimal(char c)
{
	return ascii_is_digit(c) || (c >= 'a' && c <= 'f');
}

static size_t hexadecimal_length(const char *s)
{
	size_t len = 0;

	while (is_hexadecimal(s[len]))
		len++;
	return len;
}

/* Bytes of what the short form leaves out here: a crate's hash, a closure's number, a function's hash. */
static size_t skipped(const char *name, size_t at)
{
	const char *s = name + at;
	size_t len;

	if (*s == '[' && at && (isalnum((unsigned char)name[at - 1]) || name[at - 1] == '_')) {
		len = hexadecimal_length(s + 1);
		return len && s[1 + len] == ']' ? len + 2 : 0;
	}
	if (*s == '#' && at >= 8 && text_starts_with(s - 8, "{closure")) {
		len = 1 + strspn(s + 1, "0123456789");
		return s[len] == '}' ? len : 0;
	}
	/* The legacy mangling ends with "::h" and 16 digits. */
	if (text_starts_with(s, "::h") && hexadecimal_length(s + 3) == 16 && !s[19])
		return 19;
	return 0;
}

void short_name(struct strbuf *sb, const char *name)
{
	struct strbuf elided = STRBUF_INIT;

	if (short_name_elide(&elided, name, 1) < 0) {
		strbuf_clear(&elided);
		strbuf_adds(&elided, name);
	}
	for (size_t i = 0; i < elided.len;) {
		size_t skip = skipped(elided.buf, i);

		if (skip)
			i += skip;
		else
			strbuf_addc(sb, elided.buf[i++]);
	}
	strbuf_release(&elided);
}
