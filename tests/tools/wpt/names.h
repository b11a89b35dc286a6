/*
 * The names that the tools accept, each followed by a blank: in recording profiles (the enumerations of their schema, a
 * toolkit of about 10.0.22621) and as arguments of xperf (`xperf -providers k`, `xperf -help stackwalk`).
 */
#ifndef WPT_NAMES_H
#define WPT_NAMES_H

#include <stdbool.h>

extern const char names_keywords[];
extern const char names_stacks[];
extern const char names_xperf_flags[];
extern const char names_xperf_groups[];
extern const char names_xperf_stacks[];

/* Whether `name` is one of them; `fold` ignores case. */
bool names_have(const char *names, const char *name, bool fold);

#endif
