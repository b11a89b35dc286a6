/*
 * Errors: a code for the caller and a message for the user.
 *
 * A fallible function takes `struct err *err` last (never NULL), returns 0, or -1 with `err` filled;
 * on success it leaves `err` untouched. The message is lower case, without a full stop, and names
 * its subject in single quotes. Each layer may prepend its context with err_wrap(); only the command layer
 * prints.
 */
#ifndef UTIL_ERR_H
#define UTIL_ERR_H

#include "util/printf_like.h"

enum err_code {
	ERR_NONE,
	ERR_FAILED,
	ERR_USAGE,
	ERR_CONFIG, /* mistakes in a configuration; each line of `msg` begins with "path:line: " */
	ERR_NOT_FOUND,
	ERR_UNSUPPORTED,
	ERR_CORRUPT,
	ERR_NO_SPACE,
};

struct err {
	enum err_code code;
	char *msg; /* owned; NULL while code is ERR_NONE */
};

#define ERR_INIT \
	{ \
		ERR_NONE, NULL \
	}

/* Set code and message, replacing previous ones; returns -1, as all functions here. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* As err_set, with ": " and the text of errno `errnum` appended; ENOSPC and EDQUOT become ERR_NO_SPACE. */
int err_set_errno(struct err *err, int errnum, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Prepend "context: " to the message, keep the code. */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Append text to the message, keep the code. */
int err_append(struct err *err, const char *text);

/* Replace a part of the message, wherever it occurs. */
int err_replace(struct err *err, const char *part, const char *with);

/* Free the message and reset to ERR_INIT. */
void err_clear(struct err *err);

#endif
