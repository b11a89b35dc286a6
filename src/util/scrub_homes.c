#include "util/scrub_homes.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/text.h"

static bool is_word(char c)
{
	return ascii_is_letter_or_digit(c) || c == '_';
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

bool scrub_homes_separator(const char *s, size_t i)
{
	return is_separator(s[i]) && (!i || !is_separator(s[i - 1]));
}

static size_t skip_separators(const char *s, size_t len, size_t i)
{
	while (i < len && is_separator(s[i]))
		i++;
	return i;
}

static bool ends_name(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f || is_separator(c) ||
	       strchr("\"'`:;,()[]{}<>|&=*?", c);
}

/* The longest name of a user that begins at `i` and ends there as a directory: its end, or `i`. */
static size_t end_of_known(const struct scrub_names *names, const char *s, size_t len, size_t i)
{
	if (i == len || !names->first[(unsigned char)s[i]])
		return i;
	for (size_t n = 0; n < names->nr; n++) {
		size_t end = i + names->v[n].len;

		if (!names->v[n].is_host && scrub_match(s, len, i, names->v[n].text) &&
		    (end == len || s[end] == ' ' || ends_name(s[end])))
			return end;
	}
	return i;
}

/* The quote before a path whose first separator is at `i`; NUL: none. */
static char quote_before(const char *s, size_t i)
{
	size_t limit = i > SCRUB_OWNER_MAX ? i - SCRUB_OWNER_MAX : 0;

	while (i > limit && (unsigned char)s[i - 1] > ' ' && !strchr("\"'", s[i - 1]))
		i--;
	return i > limit && strchr("\"'", s[i - 1]) && s[i - 1] ? s[i - 1] : '\0';
}

/* With blanks the name goes on to a separator, or to the quote that ends the path. */
static size_t end_of_name(const char *s, size_t len, size_t i, bool has_blanks, char quote)
{
	size_t end = i, limit = len - i > SCRUB_OWNER_MAX ? i + SCRUB_OWNER_MAX : len;

	while (end < len && !ends_name(s[end]) && s[end] != ' ')
		end++;
	if (end == len || s[end] != ' ' || !has_blanks)
		return end;
	for (size_t k = end; k < limit; k++) {
		if (is_separator(s[k]) || (quote && s[k] == quote))
			return s[k - 1] == ' ' ? end : k;
		if (ends_name(s[k]) || (s[k] == '-' && s[k - 1] == ' '))
			break;
	}
	return end;
}

/* Whether a path begins at `i`, perhaps after an option (-I/home) or a drive. */
static bool begins_path(const char *s, size_t i)
{
	if (!i || !(is_word(s[i - 1]) || strchr(".-", s[i - 1])))
		return true;
	return i >= 2 && s[i - 2] == '-' && ascii_is_letter_or_digit(s[i - 1]) &&
	       (i == 2 || !is_word(s[i - 3]));
}

/* Whether a drive of Windows is before the separator at `i`: C:/Users, /mnt/c/Users, /c/Users */
static bool follows_drive(const char *s, size_t i)
{
	if (i < 2 || !ascii_is_letter_or_digit(s[i - 1]) || ascii_is_digit(s[i - 1]))
		return i >= 2 && s[i - 1] == ':' && ascii_is_letter_or_digit(s[i - 2]);
	return is_separator(s[i - 2]) &&
	       (begins_path(s, i - 2) || scrub_follows(s, i - 2, "/mnt") ||
		scrub_follows(s, i - 2, "/cygdrive"));
}

/* Directories of a program's source that is about homes: crates/home/src/lib.rs. */
static bool is_source(const char *s, size_t nr)
{
	static const char *const suffixes[] = { ".rs", ".toml", ".c", ".h", ".py" };
	char *name = xstrndup(s, nr);
	bool found = !strcmp(name, "src") || !strcmp(name, "tests");

	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && !found; i++)
		found = text_ends_with(name, suffixes[i]);
	free(name);
	return found;
}

static bool is_nobody(const char *s, size_t nr)
{
	static const char *const names[] = { ".", "..", "public", "default", "shared" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == nr && scrub_match(s, nr, 0, names[i]))
			return true;
	}
	return nr == 0;
}

bool scrub_homes_find(const struct scrub_names *names, const char *s, size_t len, size_t i,
		      struct scrub_home *home)
{
	static const char *const dirs[] = { "home", "users", "documents and settings" };
	size_t at = skip_separators(s, len, i), nr = 0, known;
	bool drive;
	char quote;

	for (size_t f = 0; f < ARRAY_SIZE(dirs) && !nr; f++)
		nr = scrub_match(s, len, at, dirs[f]);
	at += nr;
	if (!nr || at == len || !is_separator(s[at]))
		return false;
	home->name = skip_separators(s, len, at);
	drive = nr > strlen("home") && follows_drive(s, i);
	quote = quote_before(s, i);
	home->end =
		end_of_name(s, len, home->name, drive || quote || s[home->name - 1] == '\\', quote);
	known = end_of_known(names, s, len, home->name);
	if (known > home->end)
		home->end = known;
	home->anchored = drive || begins_path(s, i);
	return !is_nobody(s + home->name, home->end - home->name) &&
	       (home->anchored || !is_source(s + home->name, home->end - home->name));
}

bool scrub_homes_find_known(const struct strvec *homes, const char *s, size_t len, size_t i,
			    struct scrub_home *home)
{
	for (size_t h = 0; h < homes->nr; h++) {
		const char *want = homes->v[h];
		size_t at = i;

		while (*want && at < len) {
			if (*want == '/' && is_separator(s[at])) {
				at = skip_separators(s, len, at);
				home->name = at;
			} else if (*want == ascii_lower(s[at])) {
				at++;
			} else {
				break;
			}
			want++;
		}
		home->end = at;
		home->anchored = true;
		if (!*want && (at == len || s[at] == ' ' || ends_name(s[at])))
			return true;
	}
	return false;
}
