/*
 * The variables that a program is started with.
 */
#ifndef PLATFORM_WINDOWS_ENVIRONMENT_H
#define PLATFORM_WINDOWS_ENVIRONMENT_H

#include <wchar.h>

#include "util/strvec.h"

/*
 * Ours with `changes` (NAME=value; NULL: none) put over it, in the form that CreateProcessW() takes: each with a NUL,
 * one more at the end, sorted. The caller frees it.
 */
wchar_t *environment_with(const struct strvec *changes);

#endif
