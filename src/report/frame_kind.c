#include "report/frame_kind.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/allocator.h"
#include "util/array.h"
#include "util/text.h"

/* Decides by the name only: no rule applies to this module. */
static bool is_allocator(const char *name)
{
	const struct module nowhere = { .kind = MODULE_ANON, .name = "" };

	return allocator_has(&nowhere, name);
}

static bool is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t identifier_length(const char *s)
{
	size_t len = 0;

	if (isdigit((unsigned char)*s))
		return 0;
	while (is_identifier(s[len]))
		len++;
	return len;
}

/* Skip everything before the first path in a type, such as "&mut [dyn ". */
static const char *skip_type_signs(const char *s)
{
	static const char *const words[] = { "mut ", "const ", "dyn ", "impl " };

	for (;;) {
		const char *before = s;

		s += strspn(s, "<&*[( ");
		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			if (text_starts_with(s, words[i]))
				s += strlen(words[i]);
		}
		if (s == before)
			return s;
	}
}

const char *frame_kind_crate(const char *name, size_t *len)
{
	const char *s = skip_type_signs(name), *as;

	*len = identifier_length(s);
	/* A disambiguator of the v0 mangling may follow, "core[5bf3fa2fc9e4b9b5]". */
	if (*len && (text_starts_with(s + *len, "::") || s[*len] == '['))
		return s;
	/* A primitive or a tuple: the code is in the crate of the trait. */
	if (*name != '<')
		return NULL;
	as = strstr(s, " as ");
	if (!as)
		return NULL;
	s = skip_type_signs(as + 4);
	*len = identifier_length(s);
	return *len && text_starts_with(s + *len, "::") ? s : NULL;
}

/* A parenthesis outside <> begins parameters, which names of Rust do not have. */
static bool has_parameters(const char *name)
{
	int depth = 0;

	for (const char *s = name; *s; s++) {
		if (*s == '<')
			depth++;
		else if (*s == '>' && depth && (s == name || s[-1] != '-'))
			depth--;
		else if (*s == '(' && !depth)
			return true;
	}
	return false;
}

static bool is_llvm(const char *name)
{
	static const char *const beginnings[] = { "LLVM",     "llvm::",    "lld::",
						  "_ZN4llvm", "_ZNK4llvm", "_ZN3lld" };

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++) {
		if (text_starts_with(name, beginnings[i]))
			return true;
	}
	return has_parameters(name) && strstr(name, "llvm::");
}

bool frame_kind_is_unnamed(const char *name)
{
	const char *sign = strrchr(name, '!');

	return sign && sign != name && text_starts_with(sign, "!0x");
}

/* By its module; FRAME_UNKNOWN_KIND: it has a name. */
static enum frame_kind guess_unnamed(const char *name)
{
	if (!frame_kind_is_unnamed(name))
		return FRAME_UNKNOWN_KIND;
	if (text_starts_with(name, "[kernel") || text_starts_with(name, "[guest.kernel"))
		return FRAME_KERNEL;
	return text_starts_with(name, "libLLVM") ? FRAME_LLVM : FRAME_UNNAMED;
}

enum frame_kind frame_kind_guess(const char *name)
{
	enum frame_kind unnamed = guess_unnamed(name);
	size_t len;

	if (unnamed)
		return unnamed;
	if (text_ends_with(name, "_[k]"))
		return FRAME_KERNEL;
	if (*name == '[' && text_ends_with(name, "]") && !strstr(name, "::"))
		return FRAME_SPECIAL;
	if (is_allocator(name))
		return FRAME_ALLOCATOR;
	if (is_llvm(name))
		return FRAME_LLVM;
	if (!has_parameters(name) && frame_kind_crate(name, &len))
		return FRAME_RUST;
	return FRAME_NATIVE;
}
