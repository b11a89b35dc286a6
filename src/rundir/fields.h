/*
 * Writes structs as JSON objects and reads them, with one table of fields for both directions.
 *
 * An unknown number is -1 in a struct and null in a file. Absent members and nulls leave a field unchanged; members
 * without a field are ignored.
 */
#ifndef RUNDIR_FIELDS_H
#define RUNDIR_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Limit of the absolute value of a number: 31 years in ns, or 888 PB. Sums and differences of two cannot overflow. */
#define FIELD_NUMBER_MAX INT64_C(1000000000000000000)

struct field_kind {
	void (*put)(json_t *object, const char *key, const void *at);
	/* NULL: derived from other fields, not read. */
	int (*get)(const json_t *object, const char *key, void *at, struct err *err);
};

/* A table ends with a row whose key is NULL. */
struct field {
	const char *key;
	const struct field_kind *kind;
	size_t offset;
	/* Not NULL: the member is an object with these fields of the same struct; `kind` is NULL. */
	const struct field *fields;
};

extern const struct field_kind field_text;    /* char *: any bytes, NULL is null */
extern const struct field_kind field_strings; /* struct strvec */
extern const struct field_kind field_env; /* struct strvec of NAME=value, an object in the file */
extern const struct field_kind field_number; /* int64_t, never unknown, may be negative */
extern const struct field_kind field_count;  /* int64_t, at least 0; -1 is null */
extern const struct field_kind field_time;   /* int64_t, may be negative; -1 is null */
extern const struct field_kind field_bool;   /* bool */

/* Add the fields of the struct at `base` to `object`, or to a new object that the caller releases. */
void fields_put(json_t *object, const struct field *fields, const void *base);
json_t *fields_to_json(const struct field *fields, const void *base);

/* Fill the struct from `object`; ERR_CORRUPT names the member. */
int fields_get(const json_t *object, const struct field *fields, void *base, struct err *err);

/* Add a new object or array to the end of `array`, or as member `key` of `object`; the result is borrowed. */
json_t *fields_append_object(json_t *array);
json_t *fields_add_object(json_t *object, const char *key);
json_t *fields_add_array(json_t *object, const char *key);

/* Check an optional array of at most `limit` objects; `*count` is its length, 0 if it is absent. */
int fields_get_array(const json_t *object, const char *key, size_t limit, size_t *count,
		     struct err *err);
const json_t *fields_element(const json_t *object, const char *key, size_t index);

/* Parse text that is one JSON object. NULL: ERR_CORRUPT with the message "line: why". */
json_t *fields_parse(const char *text, size_t len, struct err *err);

/*
 * Indented JSON text: two blanks per level; a value that fits into 140 columns is on one line. The caller frees it.
 */
char *fields_pretty(const json_t *value);

#endif
