/*
 * The file that a command writes its results to: that of -o, by the rules of platform/output.h, or stdout. The first
 * functions are for the time before the work: what they refuse must not cost minutes. NULL and "-" are stdout. A name that
 * ends in ".gz" is that of a file that is compressed.
 */
#ifndef CLI_RESULT_FILE_H
#define CLI_RESULT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/opt.h"
#include "platform/gzip_stream.h"
#include "platform/output.h"
#include "util/err.h"
#include "util/strvec.h"

#define RESULT_FORCE_OPTION(type, member) \
	{ \
		0, "force", OPT_FLAG, NULL, "replace the file if it exists", \
			offsetof(type, member), NULL \
	}

bool result_file_is_stdout(const char *path);

/*
 * The format: `given`, an OPT_GIVEN of the choices, or else the one of which the name of the file has the ending, or else
 * the first one. ERR_USAGE: the name has the ending of another format. ".gz" after an ending does not matter.
 */
int result_file_format(const char *path, const struct opt_choices *formats, int given, int *format,
		       struct err *err);

/* ERR_USAGE: there is no -o, and the last of several inputs has the name of a file of these formats, which no input has. */
int result_file_check_option(const char *path, const struct strvec *inputs,
			     const struct opt_choices *formats, struct err *err);

/* Whether the file can be written, and is none of the inputs. */
int result_file_check(const char *path, bool force, const struct strvec *inputs, struct err *err);

struct result_file {
	FILE *out;
	struct output *output;      /* NULL: stdout */
	struct gzip_stream *packed; /* NULL: not compressed */
};

/* With `packed` it is compressed whatever its name. */
int result_file_open(struct result_file *file, const char *path, bool force, bool packed,
		     struct err *err);

/* Finish the file if `rc`, of what wrote it, is 0; else remove it. Returns -1 if either failed. */
int result_file_close(struct result_file *file, int rc, struct err *err);

#endif
