/*
 * JSON of formats of other tools, which is written from start to end: the caller writes the punctuation. Bytes are gathered
 * and written many at a time.
 */
#ifndef REPORT_JSON_OUT_H
#define REPORT_JSON_OUT_H

#include <stdint.h>
#include <stdio.h>

#include "util/strbuf.h"

struct json_out {
	FILE *out; /* a failed write is left in ferror(out). NULL: all stays in `sb` */
	struct strbuf sb;
};

#define JSON_OUT_INIT(file) \
	{ \
		(file), STRBUF_INIT \
	}

/* Write what is left, and free it. */
void json_out_end(struct json_out *json);

/* Text of JSON as it is. */
void json_out_raw(struct json_out *json, const char *text);

/* A string in quotes; of bytes that are not UTF-8 each is U+FFFD. NULL: null. */
void json_out_string(struct json_out *json, const char *text);

void json_out_int(struct json_out *json, int64_t value);

/* `value` / 10^digits, exactly, without zeros at its end: 1500 with 3 digits is 1.5. */
void json_out_fixed(struct json_out *json, int64_t value, int digits);

/* A value of an array: the comma before it, unless `i` is 0. */
void json_out_comma(struct json_out *json, size_t i);

#endif
