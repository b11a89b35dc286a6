/*
 * Patterns of functions, with * and ?, as --function and --focus take them.
 */
#ifndef ANALYSIS_FUNCTION_PATTERN_H
#define ANALYSIS_FUNCTION_PATTERN_H

#include <stdbool.h>

/*
 * Whether a pattern is about a function: it matches the whole name, or its end after "::", with or without type arguments:
 * "push" is about "<alloc::vec::Vec<u8>>::push" and about "vec::push::<u8>".
 */
bool function_pattern_matches(const char *pattern, const char *function);

#endif
