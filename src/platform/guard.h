/*
 * A small process that outlives stagetrace and cleans up where it was killed: ends the build, lets the
 * recorder close its file, puts system settings back. While all goes well it does nothing.
 */
#ifndef PLATFORM_GUARD_H
#define PLATFORM_GUARD_H

#include <stdint.h>

#include "util/err.h"

struct guard;

/* Start it for the build with this cookie. */
int guard_start(const char *cookie, struct guard **guard, struct err *err);

/* The recorder: interrupted after the build has ended, so that it can finish its file, killed a minute later. */
void guard_set_recorder(struct guard *guard, int64_t pid);

/* A setting (platform/setting.h) to which to write `value` back. */
void guard_add_undo(struct guard *guard, const char *setting, const char *value);

/*
 * Leave only the undoing to it: what it was given is written as soon as the kernel takes it, within a day.
 * `guard` is freed; NULL is fine.
 */
void guard_leave_undo(struct guard *guard);

/* Nothing is left to clean: end it. NULL is fine. */
void guard_dismiss(struct guard *guard);

#endif
