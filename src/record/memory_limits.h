/*
 * How near the machine's limits of memory came while stage 2 ran, for the manifest: after a failed build it says whether
 * memory was why.
 */
#ifndef RECORD_MEMORY_LIMITS_H
#define RECORD_MEMORY_LIMITS_H

#include "rundir/manifest.h"

/* Before the build starts; then a few times a second; and once more after its end. */
void memory_limits_begin(struct manifest *manifest);
void memory_limits_sample(struct manifest *manifest);

#endif
