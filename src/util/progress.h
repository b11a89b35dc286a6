/*
 * Shows how far a long step is, and lets it be stopped.
 */
#ifndef UTIL_PROGRESS_H
#define UTIL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	void *data;
	/* Called often; `total` is in the unit of `done`. False: stop. */
	bool (*show)(void *data, int64_t done, int64_t total);
};

#endif
