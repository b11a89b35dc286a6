/*
 * URLs of servers: how messages name them, and how paths are put into them.
 */
#ifndef UTIL_URL_H
#define UTIL_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

/* Whether it is a URL of HTTP or HTTPS. */
bool url_is_http(const char *text);

/* Append the scheme and host of a URL of `len` bytes, without user and password: "https://debuginfod.example:8002". */
void url_add_host(struct strbuf *sb, const char *url, size_t len);

/* Append a part of a path, with escapes for all but letters, digits and "-._~". */
void url_add_part(struct strbuf *sb, const char *part);

#endif
