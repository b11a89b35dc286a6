/*
 * Names that the tools know, each followed by a blank: of recording profiles (the enumerations of their schema, a
 * toolkit of about 10.0.22621) and of xperf (`xperf -providers k`, `xperf -help stackwalk`).
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
