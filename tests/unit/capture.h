/*
 * Captures the output of a function that writes to a stream.
 */
#ifndef TESTS_UNIT_CAPTURE_H
#define TESTS_UNIT_CAPTURE_H

#include <stdio.h>

#include "stream.h"
#include "util/strbuf.h"

static inline FILE *capture_start(void)
{
	FILE *file = stream_new();

	assert_non_null(file);
	return file;
}

/* Everything written so far; closes the stream. The caller frees it. */
static inline char *capture_end(FILE *file)
{
	struct strbuf sb = STRBUF_INIT;
	int c;

	rewind(file);
	while ((c = fgetc(file)) != EOF)
		strbuf_addc(&sb, (char)c);
	fclose(file);
	return strbuf_detach(&sb);
}

#endif
