/*
 * How long a server may be silent before it is given up.
 */
#ifndef HISTORY_SILENCE_H
#define HISTORY_SILENCE_H

#include <stdint.h>

#include "util/err.h"

/* Ten minutes, or what STAGETRACE_HISTORY_TIMEOUT says; ERR_USAGE: that is no time. */
int silence_get(int64_t *ns, struct err *err);

#endif
