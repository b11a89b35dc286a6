#include "util/scrub.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/scrub_homes.h"
#include "util/scrub_names.h"
#include "util/scrub_values.h"
#include "util/strset.h"
#include "util/unescape.h"

#define REMOVED "removed"
#define SECRETS "passwords, tokens and other secrets"

struct scrub {
	struct scrub_names names;
	struct strvec homes;  /* not below a directory for homes; in lower case, with / */
	struct strset hidden; /* paths */
	struct strset ids;    /* hidden ones */
	struct scrub_removed *removed;
	size_t removed_nr, removed_alloc;
};

struct scrub *scrub_new(void)
{
	struct scrub *scrub = xcalloc(1, sizeof(*scrub));

	scrub->names = (struct scrub_names)SCRUB_NAMES_INIT;
	scrub->homes = (struct strvec)STRVEC_INIT;
	scrub->hidden = scrub->ids = (struct strset)STRSET_INIT;
	return scrub;
}

void scrub_free(struct scrub *scrub)
{
	if (!scrub)
		return;
	scrub_names_release(&scrub->names);
	for (size_t i = 0; i < scrub->removed_nr; i++)
		free((char *)(uintptr_t)scrub->removed[i].what);
	free(scrub->removed);
	strset_release(&scrub->hidden);
	strset_release(&scrub->ids);
	strvec_release(&scrub->homes);
	free(scrub);
}

void scrub_add_host(struct scrub *scrub, const char *host)
{
	if (host)
		scrub_names_add_host(&scrub->names, host);
}

void scrub_add_user(struct scrub *scrub, const char *user)
{
	if (user && *user)
		scrub_names_add_user(&scrub->names, user);
}

const char *scrub_user(struct scrub *scrub, const char *user)
{
	uint32_t owner;

	return scrub_names_owner(&scrub->names, user, strlen(user), &owner)
		       ? scrub_names_user(&scrub->names, owner)
		       : "root";
}

const char *scrub_host(struct scrub *scrub)
{
	return scrub_names_host(&scrub->names);
}

static void learn(struct scrub *scrub, const char *text, size_t len)
{
	struct scrub_home home;

	for (size_t i = 0; i < len; i++) {
		if (!scrub_homes_separator(text, i) ||
		    !scrub_homes_find(&scrub->names, text, len, i, &home) || !home.anchored)
			continue;
		if (home.end - home.name < SCRUB_OWNER_MAX) {
			char *owner = xstrndup(text + home.name, home.end - home.name);

			scrub_add_user(scrub, owner);
			free(owner);
		}
		i = home.end - 1;
	}
}

void scrub_learn(struct scrub *scrub, const char *text, size_t len)
{
	struct strbuf decoded = STRBUF_INIT;

	if (unescape_text(text, len, &decoded))
		learn(scrub, decoded.buf, decoded.len);
	learn(scrub, text, len);
	strbuf_release(&decoded);
}

void scrub_reserve(struct scrub *scrub, const char *text)
{
	size_t len = text ? strlen(text) : 0, end;
	struct scrub_home home;

	for (size_t i = 0; i < len; i = end) {
		end = i + 1;
		if (scrub_homes_separator(text, i) &&
		    scrub_homes_find(&scrub->names, text, len, i, &home))
			end = home.end;
		if (!ascii_is_letter_or_digit(text[i]))
			continue;
		while (end < len && ascii_is_letter_or_digit(text[end]))
			end++;
		scrub_names_reserve(&scrub->names, text + i, end - i);
	}
}

void scrub_add_home(struct scrub *scrub, const char *home)
{
	struct scrub_home known;
	const char *owner;
	char *path;
	size_t len;

	if (!home)
		return;
	path = xstrdup(home);
	for (len = 0; path[len]; len++) {
		path[len] = ascii_lower(path[len]);
		if (path[len] == '\\')
			path[len] = '/';
	}
	while (len && path[len - 1] == '/')
		path[--len] = '\0';
	owner = strrchr(path, '/');
	if (owner && owner[1] && strcmp(owner + 1, "root") != 0) {
		const char *begin = strchr(path, '/');

		scrub_add_user(scrub, owner + 1);
		if (!scrub_homes_find(&scrub->names, path, len, (size_t)(begin - path), &known) ||
		    known.end < len)
			strvec_push(&scrub->homes, begin);
	}
	scrub_learn(scrub, path, len);
	free(path);
}

/* A text while it is scrubbed. It is searched as it is, and as what its escapes mean. */
struct edit {
	struct scrub *scrub;
	const char *text;
	size_t text_len;
	struct strbuf decoded; /* empty: the text has no escapes */
	size_t at, decoded_at; /* the same place in both */
	const char *s;         /* the one of both that is searched */
	size_t len;
	size_t done; /* so many bytes of the text are in `to`, as they are or replaced */
	struct strbuf to;
};

/* Move both places by a character. */
static void advance(const struct edit *edit, size_t *at, size_t *decoded_at)
{
	struct strbuf character = STRBUF_INIT;

	if (!unescape_is_special(edit->text[*at])) {
		++*at;
		++*decoded_at;
		return;
	}
	*at += unescape_next(edit->text, edit->text_len, *at, &character);
	*decoded_at += character.len;
	strbuf_release(&character);
}

/* Where a place of what is searched is in the text. */
static size_t place_in_text(const struct edit *edit, size_t i)
{
	size_t at = edit->at, decoded_at = edit->decoded_at;

	if (edit->s == edit->text)
		return i;
	while (decoded_at < i)
		advance(edit, &at, &decoded_at);
	return at;
}

/* Replace what is from `start` to `end`. */
static void put(struct edit *edit, size_t start, size_t end, const char *instead, const char *what)
{
	start = place_in_text(edit, start);
	strbuf_add(&edit->to, edit->text + edit->done, start - edit->done);
	strbuf_adds(&edit->to, instead);
	edit->done = place_in_text(edit, end);
	scrub_note(edit->scrub, what, 1);
}

static void put_owner(struct edit *edit, const struct scrub_home *home)
{
	const char *user = "root";
	uint32_t owner;

	if (scrub_names_owner(&edit->scrub->names, edit->s + home->name, home->end - home->name,
			      &owner))
		user = scrub_names_user(&edit->scrub->names, owner);
	put(edit, home->name, home->end, user, "owners of home directories");
}

/* The end of what is replaced at `i`; 0: nothing is. */
static size_t replace_home(struct edit *edit, size_t i)
{
	struct scrub_home home, added;
	bool found, more;

	if (!scrub_homes_separator(edit->s, i))
		return 0;
	found = scrub_homes_find(&edit->scrub->names, edit->s, edit->len, i, &home);
	more = scrub_homes_find_known(&edit->scrub->homes, edit->s, edit->len, i, &added) &&
	       !(found && home.end >= added.end);
	if (found && (!more || home.end < added.name))
		put_owner(edit, &home);
	if (more)
		put_owner(edit, &added);
	return more ? added.end : found ? home.end : 0;
}

static size_t skip_backslashes(const char *s, size_t len, size_t i)
{
	while (i < len && s[i] == '\\')
		i++;
	return i;
}

/*
 * Who is named in a URL, perhaps with a password: //alice:password@host, https://token@host. JSON may have \/ for /, and
 * more \ where it was escaped again.
 */
static size_t replace_login(struct edit *edit, size_t i)
{
	const char *s = edit->s;
	size_t at, login = 0, before = i;
	bool url;

	if (s[i] != '/')
		return 0;
	at = skip_backslashes(s, edit->len, i + 1) + 1;
	if (at >= edit->len || s[at - 1] != '/')
		return 0;
	while (before && s[before - 1] == '\\')
		before--;
	url = before && s[before - 1] == ':';
	for (size_t end = at; end < edit->len && !strchr("/ \t\r\n\"'`<>\\", s[end]); end++) {
		if (s[end] == '@')
			login = end;
		url |= s[end] == ':' && !login;
	}
	if (!url || login <= at)
		return 0;
	put(edit, at, login, REMOVED, "users and passwords in URLs");
	return login;
}

/* In x's capitals stay, as names of types and of functions may differ in them alone. */
static size_t replace_name(struct edit *edit, size_t i, bool same_length)
{
	bool alone = false;
	size_t nr = 0;
	const struct scrub_name *name =
		scrub_names_find(&edit->scrub->names, edit->s, edit->len, i, &nr, &alone);
	const char *what;

	if (!name)
		return 0;
	what = name->is_host ? "names of the host" : "names of users";
	if (alone && !same_length) {
		put(edit, i, i + nr,
		    name->is_host ? scrub_names_host(&edit->scrub->names)
				  : scrub_names_user(&edit->scrub->names, name->owner),
		    what);
	} else {
		char *mask = xstrndup(name->mask, nr);

		for (size_t k = 0; k < nr; k++) {
			if (mask[k] == 'x' && edit->s[i + k] >= 'A' && edit->s[i + k] <= 'Z')
				mask[k] = 'X';
		}
		put(edit, i, i + nr, mask, what);
		free(mask);
	}
	return i + nr;
}

static size_t replace_at(struct edit *edit, const char *s, size_t len, size_t i,
			 enum scrub_form form)
{
	size_t end = 0;

	edit->s = s;
	edit->len = len;
	if (form == SCRUB_SYMBOL)
		return replace_name(edit, i, true);
	end = replace_home(edit, i);
	if (!end)
		end = replace_login(edit, i);
	return end ? end : replace_name(edit, i, false);
}

static void finish(struct edit *edit, struct strbuf *text)
{
	if (edit->done) {
		strbuf_add(&edit->to, edit->text + edit->done, edit->text_len - edit->done);
		strbuf_release(text);
		*text = edit->to;
	}
	strbuf_release(&edit->decoded);
}

static struct edit begin(struct scrub *scrub, const struct strbuf *text)
{
	return (struct edit){ .scrub = scrub,
			      .text = text->buf,
			      .text_len = text->len,
			      .decoded = STRBUF_INIT,
			      .s = text->buf,
			      .len = text->len,
			      .to = STRBUF_INIT };
}

static void replace_values(struct scrub *scrub, struct strbuf *text, bool argument)
{
	struct edit edit = begin(scrub, text);
	struct scrub_values values;
	struct scrub_value value;

	scrub_values_init(&values, text->buf, text->len, argument);
	while (scrub_values_next(&values, &value))
		put(&edit, value.start, value.end, REMOVED,
		    value.secret ? SECRETS : "values of variables");
	finish(&edit, text);
}

void scrub_text(struct scrub *scrub, struct strbuf *text, enum scrub_form form)
{
	struct edit edit;
	bool escapes;

	if (form == SCRUB_COMMAND || form == SCRUB_ARGUMENT)
		replace_values(scrub, text, form == SCRUB_ARGUMENT);
	edit = begin(scrub, text);
	escapes = form != SCRUB_SYMBOL && unescape_text(edit.text, edit.text_len, &edit.decoded);
	for (size_t i = 0, end; i < edit.text_len; i = end) {
		end = 0;
		while (escapes && edit.at < i)
			advance(&edit, &edit.at, &edit.decoded_at);
		if (escapes && edit.at == i)
			end = replace_at(&edit, edit.decoded.buf, edit.decoded.len, edit.decoded_at,
					 form);
		if (!end)
			end = replace_at(&edit, edit.text, edit.text_len, i, form);
		if (end)
			end = edit.done;
		else
			end = i + 1;
	}
	finish(&edit, text);
}

void scrub_arguments(struct scrub *scrub, struct strvec *arguments)
{
	bool secret = false;

	for (size_t i = 0; i < arguments->nr; i++) {
		struct strbuf text = STRBUF_INIT;
		bool option = !secret && scrub_values_is_option(arguments->v[i]);

		if (secret) {
			strbuf_adds(&text, REMOVED);
			scrub_note(scrub, SECRETS, 1);
		} else {
			strbuf_adds(&text, arguments->v[i]);
			scrub_text(scrub, &text, SCRUB_ARGUMENT);
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
