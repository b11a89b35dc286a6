/*
 * Recording profiles: the built-in ones, and those of a .wprp file. A file is checked as far as a start depends on it:
 * well-formed, elements in the order of the schema, required attributes, unique ids, known names of keywords and stacks,
 * at most one system collector per profile.
 */
#ifndef WPT_WPRP_H
#define WPT_WPRP_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"
#include "util/strvec.h"

/* Buffers of a session. */
struct buffers {
	bool used;
	int kb, count; /* size and number; with `percent`, `count` is a share of memory */
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
/* Add the profiles of a file. -1: `problem` has the mistake and its position. */
int profiles_parse(struct profiles *profiles, const char *text, size_t len, struct strbuf *problem);
void profiles_release(struct profiles *profiles);

/*
 * Find a profile for the logging mode by "Name", "Name.light" or "Name.verbose", case ignored; "Name" is the verbose one.
 * NULL: none.
 */
const struct profile *profiles_pick(const struct profiles *profiles, const char *name, bool file);

/* Write the profiles as a file. */
void profiles_write(const struct profile *const *profiles, size_t count, struct strbuf *out);

#endif
