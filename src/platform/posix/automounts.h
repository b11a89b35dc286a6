/*
 * Places that are mounted when they are accessed (autofs).
 */
#ifndef PLATFORM_POSIX_AUTOMOUNTS_H
#define PLATFORM_POSIX_AUTOMOUNTS_H

#include <stdbool.h>

#include "util/strvec.h"

/* Pure: add those in the text of /proc/PID/mountinfo. */
void automounts_parse(const char *text, struct strvec *places);

/* Pure: as traced_path_is_plain(). */
bool automounts_allow(const struct strvec *places, const char *path);

#endif
