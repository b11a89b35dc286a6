/*
 * What is written into a manifest about the machine and about what is built, before a recording. `rerun` compares it with
 * what an earlier run has.
 */
#ifndef RECORD_DESCRIBE_H
#define RECORD_DESCRIBE_H

#include "record/plan.h"
#include "rundir/manifest.h"

/*
 * Describe the machine, the profiler and the checkout, as far as that is known before anything is built. With `dir`, what
 * differs from the checkout's commit is kept in that run; NULL: nothing is written. What could not be found out or kept is
 * appended to `notes`.
 */
void describe_given(const struct record_plan *plan, const char *dir, struct manifest *manifest,
		    struct strvec *notes);

/* Describe what stage 1 has made or downloaded. */
void describe_made(const struct record_plan *plan, struct manifest *manifest);

#endif
