/*
 * Fetches files by HTTP and HTTPS. Linux: by libcurl, which is loaded when it is first needed. Windows: by its own WinHTTP.
 * No command uses it unless the user asks for it.
 *
 * Redirections are followed, at most five, not from HTTPS to HTTP and to no other protocol. Nothing is sent but the request
 * and, if the URL has them, its user and password. Answers are not decompressed.
 */
#ifndef PLATFORM_HTTP_H
#define PLATFORM_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct http;

/* Gets an answer. Each function returns 0, or -1 with `err` to stop. */
struct http_sink {
	void *data;
	/* It begins at a byte of the file; the whole file has `total` bytes, -1: unknown. */
	int (*begin)(void *data, uint64_t offset, int64_t total, struct err *err);
	int (*write)(void *data, const void *bytes, size_t nr, struct err *err);
	/* Called at least every second, but on Windows only while bytes arrive. */
	int (*tick)(void *data, struct err *err);
};

/* In `answer_ns` a server must answer, and then send this much in each such time. */
#define HTTP_LEAST_BYTES 10240

/* ERR_UNSUPPORTED: there is no libcurl. */
int http_open(struct http **http, struct err *err);
void http_close(struct http *http);

/*
 * GET the file at a URL (http: or https:), from the byte `from` on if the server can do that, else from its start.
 * ERR_NOT_FOUND: the server does not have it; ERR_CORRUPT: the answer ended early, or is not of what was asked for;
 * ERR_UNSUPPORTED: it answers with an unexpected status; ERR_FAILED: no answer, or too slow; or the sink's own errors.
 */
int http_get(struct http *http, const char *url, uint64_t from, int64_t answer_ns,
	     const struct http_sink *sink, struct err *err);

#endif
