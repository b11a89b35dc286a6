/*
 * Structs as JSON objects by tables of fields, so that what is written and what is read cannot drift apart.
 *
 * A number that is not known is -1 in a struct and null in a file. Absent members and nulls leave a field as
 * it was; members without a field are ignored.
 */
#ifndef RUNDIR_FIELDS_H
#define RUNDIR_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* What a number in a file may be, either way: 31 years, or 888 PB. Differences and sums cannot overflow. */
#define FIELD_NUMBER_MAX INT64_C(1000000000000000000)

struct field_kind {
	void (*put)(json_t *object, const char *key, const void *at);
	/* NULL: told from other fields, not read back. */
	int (*get)(const json_t *object, const char *key, void *at, struct err *err);
};

/* A table ends with a row whose key is NULL. */
struct field {
	const char *key;
	const struct field_kind *kind;
	size_t offset;
	/* Not NULL: an object of its own, of fields of the same struct. */
	const struct field *fields;
};

extern const struct field_kind field_text;    /* char *: any bytes, NULL is null */
extern const struct field_kind field_strings; /* struct strvec */
extern const struct field_kind field_env; /* struct strvec of NAME=value, an object in the file */
extern const struct field_kind field_number; /* int64_t, always known, may be negative */
extern const struct field_kind field_count;  /* int64_t, at least 0; -1 is null */
extern const struct field_kind field_time;   /* int64_t, may be negative; -1 is null */
extern const struct field_kind field_bool;   /* bool */

/* Add the members that `fields` say to `object`; `base` is the struct. Or to a new one, the caller's. */
void fields_put(json_t *object, const struct field *fields, const void *base);
json_t *fields_to_json(const struct field *fields, const void *base);

/* Fill the struct from `object`; ERR_CORRUPT names the member. */
int fields_get(const json_t *object, const struct field *fields, void *base, struct err *err);

/* A new object at the end of `array`, or under `key` of `object`; borrowed. */
json_t *fields_append_object(json_t *array);
json_t *fields_add_object(json_t *object, const char *key);
json_t *fields_add_array(json_t *object, const char *key);

/* An optional array of objects of at most `limit` elements; `*count` is 0 where it is not there. */
int fields_get_array(const json_t *object, const char *key, size_t limit, size_t *count,
		     struct err *err);
const json_t *fields_element(const json_t *object, const char *key, size_t index);

/* One JSON object from text; the message is "line: why". NULL is ERR_CORRUPT. */
json_t *fields_parse(const char *text, size_t len, struct err *err);

/* For people: two blanks a level, what fits into 140 columns on one line. The caller frees it. */
char *fields_pretty(const json_t *value);

#endif
