/*
 * Finds home directories in texts: /home/NAME, /Users/NAME, C:\Users\NAME, with any separators, and others that are known.
 */
#ifndef UTIL_SCRUB_HOMES_H
#define UTIL_SCRUB_HOMES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/scrub_names.h"
#include "util/strvec.h"

#define SCRUB_OWNER_MAX \
	64 /* characters of a name that has blanks, or is replaced outside of paths */

struct scrub_home {
	size_t name, end; /* of the owner */
	bool anchored;    /* at the start of a path */
};

/* Whether `i` is the first of one or more separators. */
bool scrub_homes_separator(const char *s, size_t i);

/* Whether a directory of homes, with the name of an owner in it, is at `i`, a separator. Known names may have blanks. */
bool scrub_homes_find(const struct scrub_names *names, const char *s, size_t len, size_t i,
		      struct scrub_home *home);

/* Whether one of these directories is at `i`, a separator. They are in lower case, with /. */
bool scrub_homes_find_known(const struct strvec *homes, const char *s, size_t len, size_t i,
			    struct scrub_home *home);

#endif
