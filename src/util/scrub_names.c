#include "util/scrub_names.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/text.h"

#define NAMES_MAX  256 /* more owners of home directories are replaced in paths alone */
#define OWNERS_MAX 100000

/* Characters of a host's name in COMPUTERNAME, and of names of threads. */
#define SHORT_MAX  15
#define CUT_MIN    5 /* of them, characters of a name that begins there */
#define WITHIN_MIN 8 /* characters that are the name within a longer word, too */

#define IDENTIFIER_MAX 512 /* bytes of one in a mangled name, before and after a name in it */

#define USER "user"
#define HOST "host"

static const char *const everyday[] = {
	"account", "admin",   "administrator", "alpha",   "beta",      "build",       "builder",
	"cargo",   "clang",   "compiler",      "core",    "debian",    "default",     "dell",
	"desktop", "develop", "developer",     "docker",  "fedora",    "github",      "gitlab",
	"guest",   "home",    "host",          "jenkins", "laptop",    "library",     "linux",
	"local",   "machine", "main",          "master",  "memory",    "node",        "perf",
	"public",  "python",  "runner",        "rust",    "rustc",     "server",      "shared",
	"source",  "stage",   "stagetrace",    "system",  "target",    "test",        "tests",
	"tools",   "trace",   "travis",        "ubuntu",  "user",      "users",       "vagrant",
	"virtual", "windows", "work",          "worker",  "workspace", "workstation", "unknown",
};

static bool is_everyday(const char *name)
{
	size_t len = strlen(name);

	if (len < 4 || strspn(name, "0123456789abcdefABCDEF-.") == len)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(everyday); i++) {
		if (text_equal_fold(name, everyday[i]))
			return true;
	}
	return false;
}

size_t scrub_match(const char *s, size_t len, size_t i, const char *word)
{
	size_t nr = strlen(word);

	if (nr > len - i)
		return 0;
	for (size_t k = 0; k < nr; k++) {
		if (ascii_lower(s[i + k]) != word[k])
			return 0;
	}
	return nr;
}

bool scrub_follows(const char *s, size_t i, const char *word)
{
	size_t nr = strlen(word);

	return i >= nr && scrub_match(s, i, i - nr, word);
}

static char *lower(const char *s, size_t len)
{
	char *copy = xstrndup(s, len);

	for (char *c = copy; *c; c++)
		*c = ascii_lower(*c);
	return copy;
}

static enum scrub_strength strength_of(const char *name)
{
	if (is_everyday(name))
		return IN_CONTEXT;
	if (strlen(name) >= WITHIN_MIN)
		return ANYWHERE;
	for (; *name; name++) {
		if (!ascii_is_letter_or_digit(*name) || ascii_is_digit(*name))
			return ANYWHERE;
	}
	return AS_WORD;
}

static bool has_name(const struct scrub_names *names, const char *text, bool is_host)
{
	for (size_t i = 0; i < names->nr; i++) {
		if (names->v[i].is_host == is_host && !strcmp(names->v[i].text, text))
			return true;
	}
	return false;
}

/* Digits of base 36 follow the x's. */
static char *make_mask(const struct scrub_names *names, size_t len)
{
	struct strbuf mask = STRBUF_INIT;
	size_t number = 1;

	for (size_t i = 0; i < names->nr; i++)
		number += names->v[i].len == len;
	strbuf_pad(&mask, 'x', len);
	for (size_t at = len; number > 1 && at > 0; number /= 36)
		mask.buf[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36];
	return strbuf_detach(&mask);
}

static void add_name(struct scrub_names *names, const char *text, bool is_host, uint32_t owner)
{
	struct scrub_name name = { lower(text, strlen(text)), strlen(text), is_host,
				   strength_of(text),         NULL,         owner };
	size_t at = 0;

	if (!name.len || (is_host && !strcmp(name.text, HOST)) || names->nr >= NAMES_MAX ||
	    has_name(names, name.text, is_host)) {
		free(name.text);
		return;
	}
	name.mask = make_mask(names, name.len);
	ARRAY_GROW(names->v, names->nr + 1, names->alloc);
	while (at < names->nr && names->v[at].len >= name.len)
		at++;
	memmove(names->v + at + 1, names->v + at, (names->nr - at) * sizeof(*names->v));
	names->v[at] = name;
	names->nr++;
	for (int c = 0; c < 256; c++)
		names->first[c] |= ascii_lower((char)c) == name.text[0];
}

/* A name, and what is left of it where names are short. */
static void add_long_name(struct scrub_names *names, const char *text, bool is_host, uint32_t owner)
{
	char *shortened;

	add_name(names, text, is_host, owner);
	if (strlen(text) <= SHORT_MAX)
		return;
	shortened = xstrndup(text, SHORT_MAX);
	add_name(names, shortened, is_host, owner);
	free(shortened);
}

void scrub_names_release(struct scrub_names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		free(names->v[i].text);
		free(names->v[i].mask);
	}
	free(names->v);
	free(names->numbers);
	free(names->host);
	strset_release(&names->owners);
	strset_release(&names->reserved);
	strbuf_release(&names->instead);
}

void scrub_names_add_host(struct scrub_names *names, const char *host)
{
	char *label;

	label = xstrndup(host, strcspn(host, "."));
	if (!text_equal_fold(label, "localhost")) {
		add_name(names, host, true, 0);
		add_long_name(names, label, true, 0);
	}
	free(label);
}

bool scrub_names_owner(struct scrub_names *names, const char *owner, size_t len, uint32_t *number)
{
	char *folded = lower(owner, len);
	bool root = !strcmp(folded, "root");

	*number = OWNERS_MAX;
	if (!root && names->owners.strings.nr < OWNERS_MAX)
		*number = strset_add(&names->owners, folded);
	free(folded);
	return !root;
}

/* "user", "user2", ... */
static void put_numbered(struct strbuf *to, const char *word, uint32_t number)
{
	strbuf_clear(to);
	strbuf_adds(to, word);
	if (number > 1)
		strbuf_addf(to, "%lu", (unsigned long)number);
}

/* The first number from this one on whose replacement is no name in the run. */
static uint32_t next_number(struct scrub_names *names, const char *word, uint32_t number)
{
	do
		put_numbered(&names->instead, word, number++);
	while (strset_find(&names->reserved, names->instead.buf) != STRSET_NONE);
	return number - 1;
}

/* Owners have numbers in the order in which they were added. */
const char *scrub_names_user(struct scrub_names *names, uint32_t owner)
{
	while (names->numbers_nr <= owner) {
		uint32_t last = names->numbers_nr ? names->numbers[names->numbers_nr - 1] : 0;

		ARRAY_ADD(names->numbers, names->numbers_nr, names->numbers_alloc,
			  next_number(names, USER, last + 1));
	}
	put_numbered(&names->instead, USER, names->numbers[owner]);
	return names->instead.buf;
}

const char *scrub_names_host(struct scrub_names *names)
{
	if (!names->host) {
		next_number(names, HOST, 1);
		names->host = xstrdup(names->instead.buf);
	}
	return names->host;
}

void scrub_names_add_user(struct scrub_names *names, const char *user)
{
	uint32_t owner;

	if (scrub_names_owner(names, user, strlen(user), &owner))
		add_long_name(names, user, false, owner);
}

/* A word like "user2". */
static bool is_replacement(const char *s, size_t len)
{
	size_t nr = scrub_match(s, len, 0, USER)   ? strlen(USER)
		    : scrub_match(s, len, 0, HOST) ? strlen(HOST)
						   : 0;

	while (nr && nr < len && ascii_is_digit(s[nr]))
		nr++;
	return nr && nr == len;
}

void scrub_names_reserve(struct scrub_names *names, const char *word, size_t len)
{
	char *folded;

	if (!is_replacement(word, len))
		return;
	folded = lower(word, len);
	strset_add(&names->reserved, folded);
	free(folded);
}

/* Texts before a name that say what it is. */
static const char *const user_places[] = {
	"user=",        "logname=",      "username=",     "user\":\"",      "user\": \"",
	"logname\":\"", "logname\": \"", "username\":\"", "username\": \"", "~"
};
static const char *const host_places[] = { "@",
					   "//",
					   "\\\\",
					   "linux ",
					   "host=",
					   "hostname=",
					   "computername=",
					   "host: ",
					   "hostname: ",
					   "host\": \"",
					   "host\":\"",
					   "hostname\": \"",
					   "hostname\":\"" };

static bool is_in_context(const char *s, size_t len, size_t i, const struct scrub_name *name)
{
	const char *const *places = name->is_host ? host_places : user_places;
	size_t nr = name->is_host ? ARRAY_SIZE(host_places) : ARRAY_SIZE(user_places);

	if (!name->is_host && i + name->len < len && s[i + name->len] == '@')
		return true;
	for (size_t k = 0; k < nr; k++) {
		if (scrub_follows(s, i, places[k]))
			return true;
	}
	return false;
}

/* Whether what is at `i` is a word of what is from `start` to `end`. None begins within an escape of text, "\nalice". */
static bool is_alone(const char *s, size_t start, size_t end, size_t i, size_t nr)
{
	bool before = i > start && ascii_is_letter_or_digit(s[i - 1]) &&
		      !(i >= start + 2 && s[i - 2] == '\\' && strchr("nrt", s[i - 1]));

	return !before && (i + nr == end || !ascii_is_letter_or_digit(s[i + nr]));
}

static bool is_mangled(char c)
{
	return ascii_is_letter_or_digit(c) || c == '_' || c == '$' || c == '.' ||
	       (unsigned char)c >= 0x80;
}

/* What is at `i`, in identifiers of a mangled name. */
struct in_mangled {
	const char *s;
	size_t len, i, nr;
	size_t end; /* of the mangled name; 0: not yet needed */
	bool found; /* an identifier has it */
	bool alone; /* as a word */
};

static size_t end_of_mangled(const struct in_mangled *in)
{
	size_t end = in->i + in->nr;

	while (end < in->len && end - in->i < IDENTIFIER_MAX && is_mangled(in->s[end]))
		end++;
	return end;
}

static void try_identifier(struct in_mangled *in, size_t start, size_t len)
{
	size_t end = start + len;

	if (start > in->i || end < in->i + in->nr)
		return;
	if (!in->end)
		in->end = end_of_mangled(in);
	if (end > in->end)
		return;
	in->found = true;
	in->alone |= is_alone(in->s, start, end, in->i, in->nr);
}

/*
 * The number before `start` may be the length of an identifier. Its first digits may belong to what is before it, as in
 * a15alice: a1, 5alice. In mangled names of Rust a _ that is not counted may be after it.
 */
static void try_number(struct in_mangled *in, size_t start)
{
	size_t len = 0, unit = 1;

	for (size_t k = start; k && ascii_is_digit(in->s[k - 1]) && unit <= IDENTIFIER_MAX; k--) {
		len += unit * (size_t)(in->s[k - 1] - '0');
		unit *= 10;
		if (in->s[k - 1] == '0')
			continue;
		try_identifier(in, start, len);
		if (in->s[start] == '_')
			try_identifier(in, start + 1, len);
	}
}

/* Look for identifiers with their length before them, as in _ZN11alice_utils3fooE. */
static struct in_mangled find_mangled(const char *s, size_t len, size_t i, size_t nr)
{
	struct in_mangled in = { s, len, i, nr, 0, false, false };
	size_t first = i > IDENTIFIER_MAX ? i - IDENTIFIER_MAX : 0;

	if (!i || (ascii_is_letter_or_digit(s[i - 1]) && !ascii_is_digit(s[i - 1])))
		return in;
	for (size_t at = i; at > first && !in.alone && is_mangled(s[at - 1]); at--) {
		if (ascii_is_digit(s[at - 1]) && !ascii_is_digit(s[at]))
			try_number(&in, at);
	}
	return in;
}

/*
 * How much of the name is at `i`: all of it, its beginning where a text ends that is as long as names of threads can be, or
 * nothing.
 */
static size_t match_name(const struct scrub_name *name, const char *s, size_t len, size_t i)
{
	size_t left = len - i, nr = 0;

	if (scrub_match(s, len, i, name->text))
		return name->len;
	if (len != SHORT_MAX || left >= name->len || left < CUT_MIN)
		return 0;
	while (nr < left && ascii_lower(s[i + nr]) == name->text[nr])
		nr++;
	return nr == left ? nr : 0;
}

const struct scrub_name *scrub_names_find(const struct scrub_names *names, const char *s,
					  size_t len, size_t i, size_t *nr, bool *alone)
{
	if (!names->first[(unsigned char)s[i]])
		return NULL;
	for (size_t n = 0; n < names->nr; n++) {
		const struct scrub_name *name = &names->v[n];
		struct in_mangled in;

		*nr = match_name(name, s, len, i);
		if (!*nr)
			continue;
		*alone = is_alone(s, 0, len, i, *nr);
		if (name->strength == IN_CONTEXT) {
			if (*alone && is_in_context(s, len, i, name))
				return name;
			continue;
		}
		in = find_mangled(s, len, i, *nr);
		if (*alone || in.alone ||
		    (name->strength == ANYWHERE && (*nr == name->len || *nr >= WITHIN_MIN))) {
			*alone &= !in.found;
			return name;
		}
	}
	return NULL;
}
