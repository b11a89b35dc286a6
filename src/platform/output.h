/*
 * The files that a user names for results (-o). All commands have one rule:
 *
 * - A file is written under a temporary name, PATH.partial, and gets its name when it is complete. After a failure
 *   nothing is left, also where a limit of cost ends the program (platform/cost.h).
 * - A regular file of this user is replaced only with OUTPUT_REPLACE (--force). Anything else is an error,
 *   ERR_UNSUPPORTED: links, devices, FIFOs, sockets, and files of other users; a directory is ERR_USAGE. The same goes for
 *   PATH.partial, but that an interrupted command left it is no reason to fail.
 * - A format that needs no seeking (OUTPUT_STREAM) is written into a FIFO or a character device, such as /dev/null and
 *   /dev/stdout, also through a link, unless another user put it there (stream.h). It is neither replaced nor removed.
 */
#ifndef PLATFORM_OUTPUT_H
#define PLATFORM_OUTPUT_H

#include <stdio.h>

#include "util/err.h"
#include "util/strvec.h"

struct output;

enum output_kind {
	OUTPUT_STREAM = 0, /* written from the start to the end */
	OUTPUT_PRIVATE =
		1, /* a trace or a bundle: only for its owner (0600); may be written at any offset */
	OUTPUT_REPLACE = 2, /* with one of the above: a file that exists is replaced */
};

/* `kind` is of enum output_kind. */
int output_open(const char *path, unsigned int kind, struct output **output, struct err *err);

/*
 * Check before the work that output_open() will accept the path, and that it is none of the files `inputs`, nor in one of
 * them that is a directory (NULL: none). Nothing is created.
 */
int output_check(const char *path, unsigned int kind, const struct strvec *inputs, struct err *err);

/* The permissions of the whole file, 0640 for example, instead of those of its kind. */
void output_set_mode(struct output *output, int mode);

/* To write to; closed by the functions below. */
FILE *output_stream(struct output *output);

/* The path for messages about writing: the temporary name, or that of a FIFO or a device. */
const char *output_path(const struct output *output);

/*
 * Give the file its name and its owner (platform/owner.h); durable. -1: it could not be written or renamed. To be followed
 * by output_free().
 */
int output_finish(struct output *output, struct err *err);

/* Remove the file, unless it was finished. */
void output_free(struct output *output);

#endif
