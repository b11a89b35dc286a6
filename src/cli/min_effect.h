/*
 * --min-effect of `compare` and `history check`: the smallest change that is worth a word.
 */
#ifndef CLI_MIN_EFFECT_H
#define CLI_MIN_EFFECT_H

#include "compare/comparison.h"
#include "util/err.h"

/* Parse "1%,1MB,0.5s", of which parts may be left out: these, and all without a text (NULL), are COMPARE_EFFECT's. */
int min_effect_get(const char *text, struct compare_effect *effect, struct err *err);

#endif
