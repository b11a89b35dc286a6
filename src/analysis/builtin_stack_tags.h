/*
 * The text of profiles/rustc.stacktags. The source with its bytes is made by the Makefile.
 */
#ifndef ANALYSIS_BUILTIN_STACK_TAGS_H
#define ANALYSIS_BUILTIN_STACK_TAGS_H

#include <stddef.h>

extern const char builtin_stack_tags[];
extern const size_t builtin_stack_tags_length;

#endif
