/*
 * A stream whose bytes a second thread compresses (gzip, RFC 1952) and writes to another stream. The same bytes are always
 * compressed to the same bytes.
 */
#ifndef PLATFORM_GZIP_STREAM_H
#define PLATFORM_GZIP_STREAM_H

#include <stdio.h>

#include "util/err.h"

struct gzip_stream;

/* `to` is borrowed, and nobody else may write to it until the stream is closed. */
int gzip_stream_open(FILE *to, struct gzip_stream **stream, struct err *err);

/* To write to. */
FILE *gzip_stream_file(struct gzip_stream *stream);

/* Write what is left, and free the stream. What could not be written is left in ferror(to). */
int gzip_stream_close(struct gzip_stream *stream, struct err *err);

#endif
