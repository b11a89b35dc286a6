/*
 * Additions to jansson: byte strings that need not be UTF-8, and typed reads with errors that name the key.
 *
 * A byte string that is not valid UTF-8 is written twice: under its key, with U+FFFD for each bad byte, and in
 * full as hexadecimal under "<key>_hex". Reading prefers the latter. For an array of strings, the array
 * "<key>_hex" has null for each element that is valid UTF-8.
 */
#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strvec.h"

/* Set a member of an object. An `s` of NULL is written as null. */
void json_put_bytes(json_t *object, const char *key, const char *s);
void json_put_strings(json_t *object, const char *key, const struct strvec *strings);
void json_put_int(json_t *object, const char *key, int64_t value);
void json_put_bool(json_t *object, const char *key, bool value);

/*
 * Read an optional member: absent and null leave the result untouched; another type is ERR_CORRUPT with a
 * message that names the key. `*s` is replaced (freed first) and owned by the caller.
 */
int json_get_bytes(const json_t *object, const char *key, char **s, struct err *err);
int json_get_strings(const json_t *object, const char *key, struct strvec *strings,
		     struct err *err);
int json_get_int(const json_t *object, const char *key, int64_t *value, struct err *err);
int json_get_bool(const json_t *object, const char *key, bool *value, struct err *err);

/* The value as text on one line, without a newline; control characters are escapes. The caller frees it. */
char *json_line(const json_t *value);

#endif
