#include "report/joined_name.h"

#include <stdlib.h>
#include <string.h>

#include "report/short_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/text.h"

/* As short_name() has it in the place of type arguments. */
#define ARGUMENTS "<…>"

/* What the optimizer adds at the end of a name, with a number or without. */
static const char *const suffixes[] = { ".llvm.",     ".cold", ".part.", ".constprop.", ".isra.",
					".lto_priv.", ".warm", ".hot",   ".split." };

static size_t digits_before(const char *name, size_t len)
{
	size_t nr = 0;

	while (nr < len && ascii_is_digit(name[len - 1 - nr]))
		nr++;
	return nr;
}

static bool ends_with(const char *name, size_t len, const char *end)
{
	size_t size = strlen(end);

	return len > size && !memcmp(name + len - size, end, size);
}

/* The length of a name without one suffix; `len`: it has none. */
static size_t cut_suffix(const char *name, size_t len)
{
	size_t digits = digits_before(name, len);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		bool numbered = text_ends_with(suffixes[i], ".");

		if (digits && numbered && ends_with(name, len - digits, suffixes[i]))
			return len - digits - strlen(suffixes[i]);
		if (!numbered && ends_with(name, len, suffixes[i]))
			return len - strlen(suffixes[i]);
		/* ".cold.3" */
		if (!numbered && digits && len > digits && name[len - digits - 1] == '.' &&
		    ends_with(name, len - digits - 1, suffixes[i]))
			return len - digits - 1 - strlen(suffixes[i]);
	}
	return len;
}

/* The same for " [clone .cold]" and " (.llvm.123)", as demanglers write them. */
static size_t cut_clone(const char *name, size_t len)
{
	static const struct {
		const char *begin;
		char end;
	} forms[] = { { " [clone .", ']' }, { " (.", ')' } };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		size_t size = strlen(forms[i].begin);

		if (!len || name[len - 1] != forms[i].end)
			continue;
		for (size_t at = len - 1; at-- > 0 && name[at] != forms[i].end;) {
			if (at && !strncmp(name + at, forms[i].begin, size))
				return at;
		}
	}
	return len;
}

static size_t length_without_suffixes(const char *name)
{
	size_t len = strlen(name), before;

	do {
		before = len;
		len = cut_clone(name, cut_suffix(name, len));
	} while (len < before);
	return len;
}

/* Append without type arguments: "::<…>" of a function, "<…>" of a type. */
static void drop_arguments(struct strbuf *sb, const char *name)
{
	while (*name) {
		if (text_starts_with(name, "::" ARGUMENTS))
			name += strlen("::" ARGUMENTS);
		else if (text_starts_with(name, ARGUMENTS))
			name += strlen(ARGUMENTS);
		else
			strbuf_addc(sb, *name++);
	}
}

/*
 * The end of the brackets that begin a name, if they are of a type without a trait: "<m::S>::f". NULL: they are not.
 */
static const char *end_of_type(const char *name)
{
	int depth = 0;

	for (const char *at = name; *name == '<' && *at; at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>' && at[-1] != '-' && !--depth)
			return at;
		else if (depth == 1 && text_starts_with(at, " as "))
			return NULL;
	}
	return NULL;
}

/* Append with braces in one form: "{{closure}}", "{closure#0}" and "{closure}" are one. */
static void unify_braces(struct strbuf *sb, const char *name)
{
	while (*name) {
		if (*name == '{' && name[1] == '{')
			name++;
		if (*name == '}' && name[1] == '}')
			name++;
		if (*name == '#' && name[1 + strspn(name + 1, "0123456789")] == '}')
			name += 1 + strspn(name + 1, "0123456789");
		else
			strbuf_addc(sb, *name++);
	}
}

/* Code without a symbol, "librustc_driver-8ae9d3a1bc1e0d2f.so!0x1234": its file is named as a module is. */
static bool join_unnamed(struct strbuf *sb, const char *name)
{
	const char *offset = strstr(name, "!0x");
	char *module;

	if (!offset || offset[3 + strspn(offset + 3, "0123456789abcdef")])
		return false;
	module = xstrndup(name, (size_t)(offset - name));
	joined_module(sb, module);
	strbuf_adds(sb, offset);
	free(module);
	return true;
}

void joined_function(struct strbuf *sb, const char *name, bool arguments)
{
	struct strbuf brief = STRBUF_INIT, plain = STRBUF_INIT;
	char *whole = xstrndup(name, length_without_suffixes(name));
	const char *end;

	if (join_unnamed(sb, name)) {
		free(whole);
		return;
	}
	if (arguments) {
		short_name_drop_hashes(&plain, whole);
	} else {
		short_name(&brief, whole);
		drop_arguments(&plain, brief.buf);
	}
	end = end_of_type(plain.buf);
	if (end) {
		char *type = xstrndup(plain.buf + 1, (size_t)(end - plain.buf - 1));

		unify_braces(sb, type);
		unify_braces(sb, end + 1);
		free(type);
	} else {
		unify_braces(sb, plain.buf);
	}
	free(whole);
	strbuf_release(&brief);
	strbuf_release(&plain);
}

/* The length of a hash of cargo at the start of a text: 8 to 20 hexadecimal digits up to a dot or the end. */
static size_t hash_length(const char *text)
{
	size_t len = strspn(text, "0123456789abcdef");

	return len >= 8 && len <= 20 && (!text[len] || text[len] == '.') ? len : 0;
}

void joined_module(struct strbuf *sb, const char *name)
{
	while (*name) {
		size_t hash = *name == '-' ? hash_length(name + 1) : 0;

		if (hash)
			name += 1 + hash;
		else
			strbuf_addc(sb, *name++);
	}
}
