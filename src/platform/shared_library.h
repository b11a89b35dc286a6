/*
 * Shared libraries that are loaded when a command needs them: no other use of this program needs them.
 */
#ifndef PLATFORM_SHARED_LIBRARY_H
#define PLATFORM_SHARED_LIBRARY_H

#include <stddef.h>

#include "util/err.h"

/* A function that is used of it. */
struct library_function {
	const char *name;
	void *where; /* its address goes here: a pointer to a pointer to a function */
};

struct shared_library {
	const char *name;         /* for messages: "libpq" */
	const char *package;      /* which has it: "Debian: the package libpq5" */
	const char *const *files; /* the first that is there is loaded; ends with NULL */
	const struct library_function *functions; /* ends with a row without a name */
};

/*
 * Load a library, and get the addresses of its functions. It stays loaded: those that it uses cannot all be unloaded. On
 * Windows it is searched for beside this program and in the system's directory alone. ERR_UNSUPPORTED: it is not there, or
 * has not all of the functions.
 */
int shared_library_load(const struct shared_library *library, struct err *err);

#endif
