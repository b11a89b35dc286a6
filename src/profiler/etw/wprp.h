/*
 * Reads and edits recording profiles of wpr (.wprp, XML), as far as stagetrace needs: finds the profiles in a file, and
 * sets the number of buffers as configured. Elements must be in the order of wpr's schema; comments are skipped.
 */
#ifndef PROFILER_ETW_WPRP_H
#define PROFILER_ETW_WPRP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/strbuf.h"

/* Size limit of a profile in bytes. */
#define WPRP_MAX (INT64_C(1) << 20)

/* Is there a profile NAME of this detail ("light", "verbose") that records to a file? */
bool wprp_has_profile(const char *text, const char *name, const char *detail);

/*
 * Append the text, with the number of buffers of each SystemCollector changed so that their total size is `bytes`. The
 * size of one buffer stays, and so does a number given in percent of memory. Returns the number of changed collectors.
 */
int wprp_set_buffers(const char *text, int64_t bytes, struct strbuf *out);

#endif
