/*
 * What is wrong with a configuration, gathered over the whole file so that one pass shows all of it.
 */
#ifndef CONFIG_PROBLEMS_H
#define CONFIG_PROBLEMS_H

#include <stddef.h>

#include "util/err.h"
#include "util/printf_like.h"

struct problem {
	int line;   /* those of the file as a whole and of --set sort behind all lines */
	size_t seq; /* as reported, for problems of the same line */
	char *text; /* with its place in front */
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

/* "path: message", for what the file lacks as a whole. */
void problems_add_file(struct problems *problems, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "--set override: message". */
void problems_add_override(struct problems *problems, const char *override, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* 0 where there are none; else -1 with all of them, by line, in one ERR_USAGE message. */
int problems_result(struct problems *problems, struct err *err);

#endif
