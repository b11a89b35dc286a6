/*
 * Collects the problems of a configuration file, to report all of them at once.
 */
#ifndef CONFIG_PROBLEMS_H
#define CONFIG_PROBLEMS_H

#include <stddef.h>

#include "util/err.h"
#include "util/printf_like.h"

struct problem {
	int line;   /* problems of the whole file and of --set have numbers above all lines */
	size_t seq; /* order within a line */
	char *text; /* begins with the location */
};

struct problems {
	const char *path; /* borrowed */
	struct problem *v;
	size_t nr, alloc;
};

#define PROBLEMS_INIT(path) \
	{ \
		(path), NULL, 0, 0 \
	}

void problems_release(struct problems *problems);

/* "path:line: message". */
void problems_add_line(struct problems *problems, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* "path: message", for the file as a whole. */
void problems_add_file(struct problems *problems, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "--set override: message". */
void problems_add_override(struct problems *problems, const char *override, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* 0: no problems. -1: `err` has all problems, sorted by line, in one ERR_CONFIG message. */
int problems_result(struct problems *problems, struct err *err);

#endif
