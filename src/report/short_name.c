#include "report/short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "util/ascii.h"
#include "util/text.h"

#define ELLIPSIS  "…"
#define OPERATOR  "operator"
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

static bool is_identifier(char c)
{
	return ascii_is_letter_or_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

bool short_name_is_operator(const char *part)
{
	return text_starts_with(part, OPERATOR) && !is_identifier(part[strlen(OPERATOR)]);
}

/* Whether a part of the name is an operator, whose brackets may match nothing. */
static bool has_operator(const char *name)
{
	for (const char *at = name; (at = strstr(at, OPERATOR)); at++) {
		if ((at == name || !is_identifier(at[-1])) && short_name_is_operator(at))
			return true;
	}
	return false;
}

int short_name_elide(struct strbuf *sb, const char *name, int level)
{
	bool arguments[DEPTH_MAX];
	int depth = 0, deep = 0, deepest = 0;

	if (has_operator(name))
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

/* Length of a closure as a PDB names it, "::closure$12"; 0: it is none. */
static size_t pdb_closure(const char *s)
{
	static const char prefix[] = "::closure$";
	size_t len = sizeof(prefix) - 1, digits;

	if (!text_starts_with(s, prefix))
		return 0;
	digits = strspn(s + len, "0123456789");
	return digits && !is_identifier(s[len + digits]) ? len + digits : 0;
}

void short_name_drop_hashes(struct strbuf *sb, const char *name)
{
	for (size_t i = 0; name[i];) {
		size_t skip = skipped(name, i), closure = pdb_closure(name + i);

		if (closure)
			strbuf_adds(sb, "::{closure}");
		if (skip || closure)
			i += skip + closure;
		else
			strbuf_addc(sb, name[i++]);
	}
}

void short_name(struct strbuf *sb, const char *name)
{
	struct strbuf elided = STRBUF_INIT;

	if (short_name_elide(&elided, name, 1) < 0) {
		strbuf_clear(&elided);
		strbuf_adds(&elided, name);
	}
	short_name_drop_hashes(sb, elided.buf);
	strbuf_release(&elided);
}

/* What is left out of a name, while it is read: type arguments. */
struct eliding {
	bool arguments[DEPTH_MAX]; /* by depth of brackets: they are type arguments */
	int depth, deep;           /* brackets that are open; those of type arguments */
};

/* Follow a bracket. False: it matches none. */
static bool follow(struct eliding *eliding, const char *name, size_t i)
{
	if (name[i] == '<') {
		if (eliding->depth == DEPTH_MAX)
			return false;
		eliding->arguments[eliding->depth] = opens_arguments(name, i);
		eliding->deep += eliding->arguments[eliding->depth++];
	} else if (closes(name, i)) {
		if (!eliding->depth)
			return false;
		eliding->deep -= eliding->arguments[--eliding->depth];
	}
	return true;
}

/* Append the short form around what is kept. False: brackets do not match. */
static bool add_around(struct strbuf *sb, const char *name, size_t *from, size_t *to)
{
	struct eliding eliding = { .depth = 0 };
	size_t kept_from = sb->len, kept_to = sb->len, i = 0;
	bool dots = false; /* stand for what is left out here */

	while (name[i]) {
		bool inside = i >= *from && i < *to, left_out = eliding.deep && !inside;
		size_t skip = skipped(name, i);

		if (skip && !inside && (i + skip <= *from || i >= *to)) {
			i += skip;
			continue;
		}
		if (!follow(&eliding, name, i))
			return false;
		if (i == *from)
			kept_from = sb->len;
		if (!left_out || !eliding.deep) {
			strbuf_addc(sb, name[i]);
			dots = false;
		} else if (!dots) {
			strbuf_adds(sb, ELLIPSIS);
			dots = true;
		}
		i++;
		if (i == *to)
			kept_to = sb->len;
	}
	*from = kept_from;
	*to = kept_to;
	return !eliding.depth;
}

void short_name_keep(struct strbuf *sb, const char *name, size_t *from, size_t *to)
{
	size_t before = sb->len, kept_from = *from, kept_to = *to;

	if (!has_operator(name) && add_around(sb, name, &kept_from, &kept_to)) {
		*from = kept_from;
		*to = kept_to;
		return;
	}
	strbuf_set_len(sb, before);
	strbuf_adds(sb, name);
	*from += before;
	*to += before;
}
