/*
 * Shows how far a long step is, and lets it be stopped.
 */
#ifndef UTIL_PROGRESS_H
#define UTIL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

struct progress {
	void *data;
	/* Called often. `step` is a literal: "packing the bundle"; `total` is in the unit of `done`. False: stop. */
	bool (*show)(void *data, const char *step, int64_t done, int64_t total);
};

/* Show it, unless `progress` is NULL. -1, with ERR_FAILED: the user has interrupted the step. */
int progress_show(const struct progress *progress, const char *step, int64_t done, int64_t total,
		  struct err *err);

#endif
