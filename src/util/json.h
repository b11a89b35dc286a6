/*
 * What stagetrace needs of JSON beyond jansson: byte strings that need not be UTF-8, and typed reads
 * with errors that name the key.
 *
 * A byte string that is not UTF-8 is written under its key with U+FFFD for each bad byte, and a second
 * time, exactly, as hexadecimal under "<key>_hex"; reading prefers the latter. In an array of strings the
 * "<key>_hex" array has null for the elements that need no hexadecimal.
 */
#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strvec.h"

/* NULL `s` is written as null. */
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

/* One object on one line of text, without the newline; the caller frees it. */
char *json_line(const json_t *value);

#endif
