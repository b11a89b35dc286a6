/*
 * Recording profiles of wpr (.wprp, XML) as far as we must know them: which profiles a file has, and the size of its
 * buffers, which the configuration says. Elements stand as wpr's schema orders them; comments are passed over.
 */
#ifndef RECORDER_WPRP_H
#define RECORDER_WPRP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/strbuf.h"

/* Larger ones are none of ours. */
#define WPRP_MAX (INT64_C(1) << 20)

/* Is there a profile NAME of this detail ("light", "verbose") that records to a file? */
bool wprp_has_profile(const char *text, const char *name, const char *detail);

/*
 * The text with as many buffers in each SystemCollector as make `bytes` (their own size is kept, and a share of
 * the memory in percent is left as it is). Returns how many collectors were changed.
 */
int wprp_set_buffers(const char *text, int64_t bytes, struct strbuf *out);

#endif
