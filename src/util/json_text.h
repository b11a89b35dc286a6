/*
 * Members of a JSON object, appended to its text: the same bytes as util/json.h and json_line() write, many times faster,
 * for tables of a million rows. The text begins with "{"; the caller closes it.
 */
#ifndef UTIL_JSON_TEXT_H
#define UTIL_JSON_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/strbuf.h"
#include "util/strvec.h"

/* See json_put_bytes() and json_put_strings(). */
void json_text_bytes(struct strbuf *sb, const char *key, const char *s);
void json_text_strings(struct strbuf *sb, const char *key, const struct strvec *strings);

/* A value without a key: a string with its quotes. False: it is not UTF-8; U+FFFD stands for each bad byte. */
bool json_text_string(struct strbuf *sb, const char *s);

void json_text_int(struct strbuf *sb, const char *key, int64_t value);
void json_text_real(struct strbuf *sb, const char *key, double value);

#endif
