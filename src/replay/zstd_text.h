/*
 * Compresses bytes into a text, part by part: for the files that a run keeps for views.
 */
#ifndef REPLAY_ZSTD_TEXT_H
#define REPLAY_ZSTD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <zstd.h>

#include "util/strbuf.h"

/* Append what `nr` more bytes of a frame give; all of it with ZSTD_e_end. False: zstd cannot compress. */
bool zstd_text_add(ZSTD_CCtx *context, const void *bytes, size_t nr, ZSTD_EndDirective end,
		   struct strbuf *text);

#endif
