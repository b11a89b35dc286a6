#include "analysis/query_name.h"

#include <stdbool.h>
#include <string.h>

#include "util/array.h"
#include "util/ascii.h"
#include "util/text.h"

#define IMPL   "rustc_query_impl"
#define ENGINE "QueryEngine"

/* In `IMPL::<module>::<query>`. */
static const char *const modules[] = {
	"query_impl", "query_vtables", "dynamic_query", "get_query", "queries", "query_callbacks",
};

/* Functions with these in their names run no query, though they name one. */
static const char *const bookkeeping[] = {
	"::alloc_self_profile_query_strings",
	"::encode_query_results",
	"::encode_query_values",
	"::query_key_hash_verify",
	"::verify_query_key_hashes",
	"::try_collect_active_jobs",
	"::gather_active_jobs",
};

/* What may follow the name of a query without running it; `closures`: its closures do. */
static const struct {
	const char *name;
	bool closures;
} passive[] = {
	{ "::describe", false },           { "::make_query", false },
	{ "::make_query_vtables", false }, { "::FieldOffset", false },
	{ "::dynamic_query", true },       { "::make_query_vtable", true },
	{ "::query_callback", true },
};

static bool is_name(char c)
{
	return ascii_is_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

static size_t name_length(const char *s)
{
	size_t len = 0;

	while (is_name(s[len]))
		len++;
	return len;
}

/* Skip a disambiguator, "[0123456789abcdef]". */
static const char *skip_hash(const char *s)
{
	size_t len = *s == '[' ? strspn(s + 1, "0123456789abcdef") : 0;

	return len && s[1 + len] == ']' ? s + len + 2 : s;
}

/* Skip "::". NULL: something else follows. */
static const char *skip_colons(const char *s)
{
	s = skip_hash(s);
	return text_starts_with(s, "::") ? s + 2 : NULL;
}

/* "{closure#2}"; of a PDB "closure$2", and "closure_env$2" in type arguments. */
static bool begins_closure(const char *s)
{
	return text_starts_with(s, "::{") || text_starts_with(s, "::closure$") ||
	       text_starts_with(s, "::closure_env$");
}

/* Whether what follows the name of a query, up to the end of the path, runs it. */
static bool is_run(const char *rest)
{
	for (size_t i = 0; i < ARRAY_SIZE(passive); i++) {
		size_t len = strlen(passive[i].name);

		if (strncmp(rest, passive[i].name, len) != 0 || is_name(rest[len]))
			continue;
		if (!passive[i].closures || !begins_closure(rest + len))
			return false;
	}
	return true;
}

/* `s` is after IMPL. */
static const char *query_of_impl(const char *s, size_t *len)
{
	const char *module = skip_colons(s);
	size_t nr = module ? name_length(module) : 0;

	for (size_t i = 0; nr && i < ARRAY_SIZE(modules); i++) {
		const char *query;

		if (strlen(modules[i]) != nr || strncmp(module, modules[i], nr) != 0)
			continue;
		query = skip_colons(module + nr);
		*len = query ? name_length(query) : 0;
		if (!*len || !is_run(query + *len))
			return NULL;
		if (!strcmp(modules[i], "query_callbacks") && !query[*len])
			return NULL;
		return query;
	}
	return NULL;
}

/* `s` is after ENGINE: "<... as QueryEngine>::query". */
static const char *query_of_engine(const char *s, size_t *len)
{
	s = skip_hash(s);
	if (!text_starts_with(s, ">::"))
		return NULL;
	s += 3;
	*len = name_length(s);
	return *len && !s[*len] ? s : NULL;
}

static bool keeps_books(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(bookkeeping); i++) {
		if (strstr(function, bookkeeping[i]))
			return true;
	}
	return false;
}

const char *query_name(const char *function, size_t *len)
{
	const char *found = NULL;

	for (const char *s = strstr(function, IMPL); s && !found; s = strstr(s, IMPL)) {
		s += strlen(IMPL);
		found = query_of_impl(s, len);
	}
	for (const char *s = strstr(function, ENGINE); s && !found; s = strstr(s, ENGINE)) {
		s += strlen(ENGINE);
		found = query_of_engine(s, len);
	}
	return found && !keeps_books(function) ? found : NULL;
}
