#include "util/scrub.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/strset.h"
#include "util/text.h"

#define NAMES_MAX  256 /* more owners of home folders are replaced in paths alone */
#define OWNERS_MAX 100000

#define NETBIOS_MAX 15 /* characters of a host's name in COMPUTERNAME */

#define REMOVED "removed"
#define SECRETS "passwords, tokens and other secrets"

enum strength { IN_CONTEXT, AS_WORD, ANYWHERE };

struct name {
	char *text; /* in lower case */
	size_t len;
	bool is_host;
	enum strength strength;
	char *instead;
};

struct scrub {
	struct name *names; /* the longest first: one may contain another */
	size_t nr, alloc;
	bool first[256];       /* can a name begin with this byte? */
	struct strset owners;  /* in lower case; the number is that of the replacement */
	struct strvec homes;   /* not below a folder for homes; in lower case, with / */
	struct strset hidden;  /* paths */
	struct strset ids;     /* hidden ones */
	struct strbuf instead; /* of the last owner */
	struct scrub_removed *removed;
	size_t removed_nr, removed_alloc;
};

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

bool scrub_is_everyday(const char *name)
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

/* Those that tags follow from: tag/tag.h. */
static const char *const kept_variables[] = { "RUSTC_STAGE", "CARGO_PKG_NAME", "CARGO_TARGET_DIR" };

bool scrub_keeps_variable(const char *text)
{
	size_t len = strcspn(text, "=");

	for (size_t i = 0; i < ARRAY_SIZE(kept_variables); i++) {
		if (strlen(kept_variables[i]) == len && !memcmp(kept_variables[i], text, len))
			return true;
	}
	return false;
}

static bool is_letter_or_digit(char c)
{
	return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

static bool is_word(char c)
{
	return is_letter_or_digit(c) || c == '_';
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

/* The first of one or more separators. */
static bool begins_separator(const char *s, size_t i)
{
	return is_separator(s[i]) && (!i || !is_separator(s[i - 1]));
}

static char *lower(const char *s, size_t len)
{
	char *copy = xstrndup(s, len);

	for (char *c = copy; *c; c++)
		*c = ascii_lower(*c);
	return copy;
}

static enum strength strength_of(const char *name)
{
	if (scrub_is_everyday(name))
		return IN_CONTEXT;
	if (strlen(name) >= 8)
		return ANYWHERE;
	for (; *name; name++) {
		if (!is_letter_or_digit(*name) || ascii_is_digit(*name))
			return ANYWHERE;
	}
	return AS_WORD;
}

static bool has_name(const struct scrub *scrub, const char *text, bool is_host)
{
	for (size_t i = 0; i < scrub->nr; i++) {
		if (scrub->names[i].is_host == is_host && !strcmp(scrub->names[i].text, text))
			return true;
	}
	return false;
}

static void add_name(struct scrub *scrub, const char *text, bool is_host, const char *instead)
{
	struct name name = { lower(text, strlen(text)), strlen(text), is_host, strength_of(text),
			     xstrdup(instead) };
	size_t at = 0;

	if (!name.len || scrub->nr >= NAMES_MAX || !strcmp(name.text, instead) ||
	    has_name(scrub, name.text, is_host)) {
		free(name.text);
		free(name.instead);
		return;
	}
	ARRAY_GROW(scrub->names, scrub->nr + 1, scrub->alloc);
	while (at < scrub->nr && scrub->names[at].len >= name.len)
		at++;
	memmove(scrub->names + at + 1, scrub->names + at, (scrub->nr - at) * sizeof(*scrub->names));
	scrub->names[at] = name;
	scrub->nr++;
	for (int c = 0; c < 256; c++)
		scrub->first[c] |= ascii_lower((char)c) == name.text[0];
}

struct scrub *scrub_new(void)
{
	struct scrub *scrub = xcalloc(1, sizeof(*scrub));

	scrub->owners = (struct strset)STRSET_INIT;
	scrub->homes = (struct strvec)STRVEC_INIT;
	scrub->hidden = scrub->ids = (struct strset)STRSET_INIT;
	scrub->instead = (struct strbuf)STRBUF_INIT;
	return scrub;
}

void scrub_free(struct scrub *scrub)
{
	if (!scrub)
		return;
	for (size_t i = 0; i < scrub->nr; i++) {
		free(scrub->names[i].text);
		free(scrub->names[i].instead);
	}
	for (size_t i = 0; i < scrub->removed_nr; i++)
		free((char *)(uintptr_t)scrub->removed[i].what);
	free(scrub->names);
	free(scrub->removed);
	strset_release(&scrub->owners);
	strset_release(&scrub->hidden);
	strset_release(&scrub->ids);
	strvec_release(&scrub->homes);
	strbuf_release(&scrub->instead);
	free(scrub);
}

void scrub_add_host(struct scrub *scrub, const char *host)
{
	char *label;

	if (!host)
		return;
	label = xstrndup(host, strcspn(host, "."));
	if (!text_equal_fold(label, "localhost")) {
		add_name(scrub, host, true, SCRUB_HOST);
		add_name(scrub, label, true, SCRUB_HOST);
		if (strlen(label) > NETBIOS_MAX) {
			label[NETBIOS_MAX] = '\0';
			add_name(scrub, label, true, SCRUB_HOST);
		}
	}
	free(label);
}

/* The replacement of an owner, without adding a name. */
static const char *owner_instead(struct scrub *scrub, const char *owner, size_t len)
{
	char *folded = lower(owner, len);
	uint32_t number = OWNERS_MAX;

	strbuf_clear(&scrub->instead);
	if (!strcmp(folded, "root")) {
		strbuf_adds(&scrub->instead, folded);
	} else {
		if (scrub->owners.strings.nr < OWNERS_MAX)
			number = strset_add(&scrub->owners, folded);
		strbuf_adds(&scrub->instead, "user");
		if (number)
			strbuf_addf(&scrub->instead, "%lu", (unsigned long)number + 1);
	}
	free(folded);
	return scrub->instead.buf;
}

const char *scrub_user(struct scrub *scrub, const char *user)
{
	return owner_instead(scrub, user, strlen(user));
}

void scrub_add_user(struct scrub *scrub, const char *user)
{
	if (user && *user && !text_equal_fold(user, "root"))
		add_name(scrub, user, false, scrub_user(scrub, user));
}

/* A home folder found in a text: where the name of its owner is. */
struct home {
	size_t name, end;
	bool anchored; /* at the start of a path */
};

static size_t skip_separators(const char *s, size_t len, size_t i)
{
	while (i < len && is_separator(s[i]))
		i++;
	return i;
}

static size_t match_fold(const char *s, size_t len, size_t i, const char *word)
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

static bool ends_name(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f || is_separator(c) ||
	       strchr("\"'`:;,()[]{}<>|&=*?", c);
}

/* On Windows names have blanks: the name goes on after one if a separator follows it. */
static size_t end_of_name(const char *s, size_t len, size_t i)
{
	size_t end = i, limit = len - i > 64 ? i + 64 : len;

	while (end < len && !ends_name(s[end]) && s[end] != ' ')
		end++;
	if (end == len || s[end] != ' ' || i == 0 || s[i - 1] != '\\')
		return end;
	for (size_t k = end; k < limit; k++) {
		if (s[k] == '\\')
			return k;
		if (ends_name(s[k]))
			break;
	}
	return end;
}

/* Whether a path begins at `i`, perhaps after an option (-I/home) or a drive. */
static bool begins_path(const char *s, size_t i)
{
	if (!i || !(is_word(s[i - 1]) || strchr(".-", s[i - 1])))
		return true;
	return i >= 2 && s[i - 2] == '-' && is_letter_or_digit(s[i - 1]) &&
	       (i == 2 || !is_word(s[i - 3]));
}

/* Folders of a program's source that is about homes: crates/home/src/lib.rs. */
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
		if (strlen(names[i]) == nr && match_fold(s, nr, 0, names[i]))
			return true;
	}
	return nr == 0;
}

/* Whether a folder of homes, with the name of an owner in it, is at `i`, a separator. */
static bool find_home(const char *s, size_t len, size_t i, struct home *home)
{
	static const char *const folders[] = { "home", "users", "documents and settings" };
	size_t at = skip_separators(s, len, i), nr = 0;

	for (size_t f = 0; f < ARRAY_SIZE(folders) && !nr; f++)
		nr = match_fold(s, len, at, folders[f]);
	at += nr;
	if (!nr || at == len || !is_separator(s[at]))
		return false;
	home->name = skip_separators(s, len, at);
	home->end = end_of_name(s, len, home->name);
	home->anchored = begins_path(s, i);
	return !is_nobody(s + home->name, home->end - home->name) &&
	       (home->anchored || !is_source(s + home->name, home->end - home->name));
}

/* Whether a home folder that was added is at `i`, a separator. */
static bool find_added(const struct scrub *scrub, const char *s, size_t len, size_t i,
		       struct home *home)
{
	for (size_t h = 0; h < scrub->homes.nr; h++) {
		const char *want = scrub->homes.v[h];
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

void scrub_learn(struct scrub *scrub, const char *text, size_t len)
{
	struct home home;

	for (size_t i = 0; i < len; i++) {
		if (!begins_separator(text, i) || !find_home(text, len, i, &home) || !home.anchored)
			continue;
		if (home.end - home.name < 64) {
			char *owner = xstrndup(text + home.name, home.end - home.name);

			scrub_add_user(scrub, owner);
			free(owner);
		}
		i = home.end - 1;
	}
}

void scrub_add_home(struct scrub *scrub, const char *home)
{
	struct home known;
	const char *owner;
	char *path;
	size_t len;

	if (!home)
		return;
	path = lower(home, strlen(home));
	for (len = 0; path[len]; len++) {
		if (path[len] == '\\')
			path[len] = '/';
	}
	while (len && path[len - 1] == '/')
		path[--len] = '\0';
	owner = strrchr(path, '/');
	scrub_learn(scrub, path, len);
	if (owner && owner[1] && strcmp(owner + 1, "root") != 0 && strchr(path, '/') &&
	    !find_home(path, len, (size_t)(strchr(path, '/') - path), &known)) {
		strvec_push(&scrub->homes, strchr(path, '/'));
		scrub_add_user(scrub, owner + 1);
	}
	free(path);
}

static bool follows(const char *s, size_t i, const char *word)
{
	size_t nr = strlen(word);

	return i >= nr && match_fold(s, i, i - nr, word);
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

static bool is_in_context(const char *s, size_t len, size_t i, const struct name *name)
{
	const char *const *places = name->is_host ? host_places : user_places;
	size_t nr = name->is_host ? ARRAY_SIZE(host_places) : ARRAY_SIZE(user_places);

	if (!name->is_host && i + name->len < len && s[i + name->len] == '@')
		return true;
	for (size_t k = 0; k < nr; k++) {
		if (follows(s, i, places[k]))
			return true;
	}
	return false;
}

/* A word does not begin or end within an escape of text, "\nalice". */
static bool is_alone(const char *s, size_t len, size_t i, size_t nr)
{
	bool before = i && is_letter_or_digit(s[i - 1]) &&
		      !(i >= 2 && s[i - 2] == '\\' && strchr("nrt", s[i - 1]));

	return !before && (i + nr == len || !is_letter_or_digit(s[i + nr]));
}

static const struct name *find_name(const struct scrub *scrub, const char *s, size_t len, size_t i,
				    bool *alone)
{
	if (!scrub->first[(unsigned char)s[i]])
		return NULL;
	for (size_t n = 0; n < scrub->nr; n++) {
		const struct name *name = &scrub->names[n];

		if (!match_fold(s, len, i, name->text))
			continue;
		*alone = is_alone(s, len, i, name->len);
		if (name->strength == ANYWHERE || (*alone && name->strength == AS_WORD) ||
		    (*alone && is_in_context(s, len, i, name)))
			return name;
	}
	return NULL;
}

/* The number of bytes of NAME= at `i`; 0: it is no variable. */
static size_t match_variable(const char *s, size_t len, size_t i)
{
	bool lower_case = false, underscore = false;
	size_t end = i;

	if (i && !strchr(" \t\n\r\"'`(;|&", s[i - 1]))
		return 0;
	for (; end < len && is_word(s[end]); end++) {
		lower_case |= s[end] >= 'a' && s[end] <= 'z';
		underscore |= s[end] == '_';
	}
	if (end == len || s[end] != '=' || end - i < 2 || ascii_is_digit(s[i]) ||
	    (end + 1 < len && s[end + 1] == '='))
		return 0;
	if (!lower_case || (underscore && s[i] >= 'A' && s[i] <= 'Z') || follows(s, end, "_proxy"))
		return end + 1 - i;
	return 0;
}

/* Ends of names whose values are secret, whatever their case. */
static const char *const secrets[] = {
	"password",    "passwd",      "passphrase", "token",       "secret",
	"api_key",     "api-key",     "apikey",     "access_key",  "access-key",
	"private_key", "private-key", "credential", "credentials",
};

static bool ends_secret(const char *s, size_t end)
{
	for (size_t i = 0; i < ARRAY_SIZE(secrets); i++) {
		if (follows(s, end, secrets[i]))
			return true;
	}
	return false;
}

/* Names of options and keys: --api-key, registry.token */
static bool is_key(char c)
{
	return is_word(c) || c == '-' || c == '.';
}

/* The number of bytes at `i` before the value of a secret, in "token=value" or "--token value"; 0: none. */
static size_t match_secret(const char *s, size_t len, size_t i)
{
	size_t end = i, value;

	if (i && is_key(s[i - 1]))
		return 0;
	while (end < len && is_key(s[end]))
		end++;
	if (end == i || end == len || !ends_secret(s, end))
		return 0;
	value = end + 1;
	if (s[end] == '=')
		return value < len && s[value] == '=' ? 0 : value - i;
	while (value < len && s[value] == ' ')
		value++;
	return s[i] == '-' && s[end] == ' ' && value < len && s[value] != '-' ? value - i : 0;
}

static bool is_secret_option(const char *argument)
{
	size_t len = strlen(argument);

	for (size_t i = 0; i < len; i++) {
		if (!is_key(argument[i]))
			return false;
	}
	return *argument == '-' && ends_secret(argument, len);
}

static size_t skip_value(const char *s, size_t len, size_t name, size_t i)
{
	char before = name ? s[name - 1] : '\n', quote = 0;

	if (before == '\n' || before == '\r') {
		while (i < len && s[i] != '\n' && s[i] != '\r')
			i++;
		return i;
	}
	if (strchr("\"'", before))
		quote = before;
	else if (i < len && strchr("\"'", s[i]))
		quote = s[i++];
	while (i < len && s[i] != '\n' && (quote ? s[i] != quote : !strchr(" \t\r", s[i])))
		i += s[i] == '\\' && i + 1 < len ? 2 : 1;
	return i < len && quote && quote != before && s[i] == quote ? i + 1 : i;
}

/* A text while it is scrubbed. */
struct edit {
	struct scrub *scrub;
	const char *s;
	size_t len, done; /* `done` bytes are in `to`, as they are or replaced */
	struct strbuf to;
};

/* Append what was passed before `i`, then `instead`. */
static void put(struct edit *edit, size_t i, const char *instead, size_t nr, const char *what)
{
	strbuf_add(&edit->to, edit->s + edit->done, i - edit->done);
	strbuf_add(&edit->to, instead, nr);
	scrub_note(edit->scrub, what, 1);
}

/* The number of bytes at `i` that are replaced; 0: none. */
static size_t replace_home(struct edit *edit, size_t i)
{
	const char *s = edit->s, *instead;
	struct home home;

	if (!begins_separator(s, i) || (!find_home(s, edit->len, i, &home) &&
					!find_added(edit->scrub, s, edit->len, i, &home)))
		return 0;
	instead = owner_instead(edit->scrub, s + home.name, home.end - home.name);
	put(edit, home.name, instead, strlen(instead), "owners of home folders");
	return home.end - i;
}

static size_t replace_value(struct edit *edit, size_t i)
{
	size_t nr = match_variable(edit->s, edit->len, i), end;
	bool secret = !nr;

	if (secret)
		nr = match_secret(edit->s, edit->len, i);
	if (!nr || scrub_keeps_variable(edit->s + i))
		return 0;
	end = skip_value(edit->s, edit->len, i, i + nr);
	if (end == i + nr)
		return 0;
	put(edit, i + nr, REMOVED, strlen(REMOVED), secret ? SECRETS : "values of variables");
	return end - i;
}

/* Who is named in a URL, perhaps with a password: //alice:password@host, https://token@host */
static size_t replace_login(struct edit *edit, size_t i)
{
	const char *s = edit->s;
	size_t at = i + 2, login = 0;
	bool url = i && s[i - 1] == ':';

	if (at >= edit->len || s[i] != '/' || s[i + 1] != '/')
		return 0;
	for (size_t end = at; end < edit->len && !strchr("/ \t\r\n\"'`<>\\", s[end]); end++) {
		if (s[end] == '@')
			login = end;
		url |= s[end] == ':' && !login;
	}
	if (!url || login <= at)
		return 0;
	put(edit, at, REMOVED, strlen(REMOVED), "users and passwords in URLs");
	return login - i;
}

static size_t replace_name(struct edit *edit, size_t i, bool same_length)
{
	bool alone = false;
	const struct name *name = find_name(edit->scrub, edit->s, edit->len, i, &alone);
	const char *what;

	if (!name)
		return 0;
	what = name->is_host ? "names of the host" : "names of users";
	if (alone && !same_length) {
		put(edit, i, name->instead, strlen(name->instead), what);
	} else {
		put(edit, i, "", 0, what);
		strbuf_pad(&edit->to, 'x', edit->to.len + name->len);
	}
	return name->len;
}

void scrub_text(struct scrub *scrub, struct strbuf *text, enum scrub_form form)
{
	struct edit edit = { scrub, text->buf, text->len, 0, STRBUF_INIT };
	size_t i = 0;

	while (i < edit.len) {
		size_t nr = 0;

		if (form != SCRUB_SYMBOL)
			nr = replace_home(&edit, i);
		if (!nr && form != SCRUB_SYMBOL)
			nr = replace_login(&edit, i);
		if (!nr && form == SCRUB_COMMAND)
			nr = replace_value(&edit, i);
		if (!nr)
			nr = replace_name(&edit, i, form == SCRUB_SYMBOL);
		i += nr ? nr : 1;
		if (nr)
			edit.done = i;
	}
	if (!edit.done)
		return;
	strbuf_add(&edit.to, edit.s + edit.done, edit.len - edit.done);
	strbuf_release(text);
	*text = edit.to;
}

void scrub_arguments(struct scrub *scrub, struct strvec *arguments)
{
	bool secret = false;

	for (size_t i = 0; i < arguments->nr; i++) {
		struct strbuf text = STRBUF_INIT;
		bool option = is_secret_option(arguments->v[i]);

		if (secret && *arguments->v[i] != '-') {
			strbuf_adds(&text, REMOVED);
			scrub_note(scrub, SECRETS, 1);
		} else {
			strbuf_adds(&text, arguments->v[i]);
			scrub_text(scrub, &text, SCRUB_COMMAND);
		}
		free(arguments->v[i]);
		arguments->v[i] = strbuf_detach(&text);
		secret = option;
	}
}

bool scrub_is_hidden(const struct scrub *scrub, const char *path)
{
	return strset_find(&scrub->hidden, path) != STRSET_NONE;
}

void scrub_hide_path(struct scrub *scrub, const char *path)
{
	strset_add(&scrub->hidden, path);
}

void scrub_path(struct scrub *scrub, struct strbuf *path)
{
	uint32_t number = strset_find(&scrub->hidden, path->buf);

	if (number == STRSET_NONE) {
		scrub_text(scrub, path, SCRUB_TEXT);
		return;
	}
	strbuf_clear(path);
	strbuf_addf(path, "/other/%lu", (unsigned long)number + 1);
	scrub_note(scrub, "paths of files that the build does not use", 1);
}

#define IDS "build ids of files that the build does not use"

uint32_t scrub_hide_id(struct scrub *scrub, const char *id)
{
	scrub_note(scrub, IDS, 1);
	return strset_add(&scrub->ids, id) + 1;
}

void scrub_id(struct scrub *scrub, struct strbuf *id)
{
	uint32_t number = strset_find(&scrub->ids, id->buf);

	if (number == STRSET_NONE)
		return;
	strbuf_clear(id);
	strbuf_addf(id, "%040" PRIx32, number + 1);
	scrub_note(scrub, IDS, 1);
}

void scrub_note(struct scrub *scrub, const char *what, uint64_t count)
{
	if (!count)
		return;
	for (size_t i = 0; i < scrub->removed_nr; i++) {
		if (!strcmp(scrub->removed[i].what, what)) {
			scrub->removed[i].count += count;
			return;
		}
	}
	ARRAY_ADD(scrub->removed, scrub->removed_nr, scrub->removed_alloc,
		  (struct scrub_removed){ xstrdup(what), count });
}

const struct scrub_removed *scrub_list(const struct scrub *scrub, size_t *nr)
{
	*nr = scrub->removed_nr;
	return scrub->removed;
}
