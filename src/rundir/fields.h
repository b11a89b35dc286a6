/*
 * Writes structs as JSON objects and reads them, with one table of fields for both directions.
 *
 * An unknown number is -1 in a struct and null in a file. Absent members and nulls leave a field unchanged; members
 * without a field are ignored.
 */
#ifndef RUNDIR_FIELDS_H
#define RUNDIR_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Limit of the absolute value of a number: 31 years in ns, or 888 PB. Sums and differences of two cannot overflow. */
#define FIELD_NUMBER_MAX INT64_C(1000000000000000000)

/* One value (`put` and `get`), or an array of structs, which is an array of objects in the file (all other members). */
struct field_kind {
	void (*put)(json_t *object, const char *key, const void *at);
	/* NULL: derived from other fields, not read. */
	int (*get)(const json_t *object, const char *key, void *at, struct err *err);

	const struct field *fields; /* of an element; NULL: one value */
	size_t size;                /* of an element */
	size_t nr;    /* offset of the number of elements in the outer struct, a size_t */
	size_t limit; /* a file with more elements is refused */
	bool if_any;  /* an empty array is not written */
	void *(*add)(void *outer); /* add an element with empty fields */
	/* Optional: check an element that was read. */
	int (*check)(const void *element, struct err *err);
};

/* A table ends with a row whose key is NULL. */
struct field {
	const char *key;
	const struct field_kind *kind;
	size_t offset; /* of the value, or of the pointer to the elements */
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

/* The same kinds, but NULL, -1 and false are not written. */
extern const struct field_kind field_text_if_any;
extern const struct field_kind field_count_if_known;
extern const struct field_kind field_bool_if_true;

/* Add the fields of the struct at `base` to `object`, or to a new object that the caller releases. */
void fields_put(json_t *object, const struct field *fields, const void *base);
json_t *fields_to_json(const struct field *fields, const void *base);

/* Fill the struct from `object`; ERR_CORRUPT names the member. */
int fields_get(const json_t *object, const struct field *fields, void *base, struct err *err);

/* Add a new object as member `key` of `object`; the result is borrowed. */
json_t *fields_add_object(json_t *object, const char *key);

/*
 * Parse text that is one JSON object of at most a million values, as those of recordings, which take up to 240 bytes each.
 * NULL: ERR_CORRUPT with why, in `*line`.
 */
json_t *fields_load(const char *text, size_t len, int *line, struct err *err);

/* The same, with the message "line: why". */
json_t *fields_parse(const char *text, size_t len, struct err *err);

/*
 * Indented JSON text: two blanks per level; a value that fits into 140 columns is on one line. The caller frees it.
 */
char *fields_pretty(const json_t *value);

#endif
