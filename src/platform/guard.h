/*
 * A small process that outlives stagetrace and cleans up if stagetrace is killed: it ends the build, lets the
 * profiler close its file, and restores system settings. Otherwise it does nothing.
 */
#ifndef PLATFORM_GUARD_H
#define PLATFORM_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

struct guard;

/* Start the guard for the build with this cookie (platform/build_tree.h); NULL: there is none, only settings to restore. */
int guard_start(const char *cookie, struct guard **guard, struct err *err);

/*
 * Set the profiler: after the end of the build the guard interrupts it, so that it closes its file, and kills it a
 * minute later.
 */
void guard_set_profiler(struct guard *guard, int64_t pid);

/* Add a setting (platform/setting.h) that the guard restores to `value`. */
void guard_add_undo(struct guard *guard, const char *setting, const char *value);

/* Whether it is there: it may have been killed. */
bool guard_lives(const struct guard *guard);

/*
 * Let the guard continue without us, with only the settings to restore: it writes each as soon as the kernel accepts
 * it, and gives up after a day. `guard` is freed; NULL is fine.
 */
void guard_leave_undo(struct guard *guard);

/* Nothing is left to clean up: end and free the guard. NULL is fine. */
void guard_dismiss(struct guard *guard);

#endif
