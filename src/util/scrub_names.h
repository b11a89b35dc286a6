/*
 * The names of hosts and users that util/scrub.h replaces: where they are in a text, and by what they are replaced.
 */
#ifndef UTIL_SCRUB_NAMES_H
#define UTIL_SCRUB_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"
#include "util/strset.h"

/* Where a name is replaced. */
enum scrub_strength { IN_CONTEXT, AS_WORD, ANYWHERE };

struct scrub_name {
	char *text; /* in lower case */
	size_t len;
	bool is_host;
	enum scrub_strength strength;
	char *mask; /* as long as it: x's and, for all but the first name of a length, a number */
	uint32_t owner; /* of a user */
};

struct scrub_names {
	struct scrub_name *v; /* the longest first: one may contain another */
	size_t nr, alloc;
	bool first[256];      /* can a name begin with this byte? */
	struct strset owners; /* in lower case */
	uint32_t *numbers;    /* of the replacements of the first owners */
	size_t numbers_nr, numbers_alloc;
	struct strset reserved; /* words like "user2" that are no replacement, in lower case */
	char *host;             /* the replacement of its name; NULL: not yet needed */
	struct strbuf instead;  /* of the last owner */
};

#define SCRUB_NAMES_INIT \
	{ \
		.owners = STRSET_INIT, .reserved = STRSET_INIT, .instead = STRBUF_INIT \
	}

void scrub_names_release(struct scrub_names *names);
void scrub_names_add_host(struct scrub_names *names, const char *host);
void scrub_names_add_user(struct scrub_names *names, const char *user);

/* Add an owner if it is new, and set its number. False: it is root, which is not replaced. */
bool scrub_names_owner(struct scrub_names *names, const char *owner, size_t len, uint32_t *number);

/* The replacement of an owner, valid until the next call of a function; that of the host. */
const char *scrub_names_user(struct scrub_names *names, uint32_t owner);
const char *scrub_names_host(struct scrub_names *names);

/* Reserve a word: it is never used as a replacement. */
void scrub_names_reserve(struct scrub_names *names, const char *word, size_t len);

/*
 * The name that is replaced at `i`, and its length there; NULL: none. `*alone`: it is a whole word, whose replacement may
 * have another length; false within a longer word or a mangled name.
 */
const struct scrub_name *scrub_names_find(const struct scrub_names *names, const char *s,
					  size_t len, size_t i, size_t *nr, bool *alone);

/* The length of a word in lower case if it is at `i`, in any case; 0: it is not. */
size_t scrub_match(const char *s, size_t len, size_t i, const char *word);

/* Whether such a word is before `i`. */
bool scrub_follows(const char *s, size_t i, const char *word);

#endif
