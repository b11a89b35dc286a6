/*
 * Recording profiles: the built-in ones, and those of a .wprp file, checked as far as a start depends on it:
 * well-formed, elements of a file in the schema's order, required attributes, ids that are there once, names of
 * keywords and stacks, at most one system collector to a profile.
 */
#ifndef WPT_WPRP_H
#define WPT_WPRP_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"
#include "util/strvec.h"

/* What a session is given of memory. */
struct buffers {
	bool used;
	int kb, count; /* of buffers; `count` is a share of the memory where `percent` */
	bool percent;
};

struct profile {
	char *id; /* Name.DetailLevel.LoggingMode */
	char *name, *description;
	bool file, light;
	struct buffers system, event;
	struct strvec keywords, stacks;
	struct strvec providers; /* "name: 0xkeywords: 0xlevel" */
	char *only_process;      /* ProcessExeFilter of a provider, or NULL */
};

struct profiles {
	struct profile *v;
	size_t nr, alloc;
};

void profiles_add_built_in(struct profiles *profiles);
/* -1 with what is wrong, and where, in `problem`. */
int profiles_parse(struct profiles *profiles, const char *text, size_t len, struct strbuf *problem);
void profiles_release(struct profiles *profiles);

/*
 * By "Name", "Name.light" or "Name.verbose", case ignored, for the logging mode; the verbose one where the name does
 * not say. NULL where there is none.
 */
const struct profile *profiles_pick(const struct profiles *profiles, const char *name, bool file);

/* The profiles as a file. */
void profiles_write(const struct profile *const *profiles, size_t count, struct strbuf *out);

#endif
