/*
 * A second thread for jobs that are offered to it: done beside what the first one does, or not at all.
 */
#ifndef PLATFORM_HELPER_H
#define PLATFORM_HELPER_H

#include <stdbool.h>

struct helper;

typedef void job_fn(void *data);

/* NULL: with one thread, or where there can be no other; all below may be given that. */
struct helper *helper_new(int threads);

/* No job may be offered any more that was not taken back. */
void helper_free(struct helper *helper);

/* To be done once those that were offered before are. */
void helper_offer(struct helper *helper, job_fn *job, void *data);

/*
 * Each that was offered is taken back once. Waits for one that has begun, and does others meanwhile; false: it has not, and is
 * not done.
 */
bool helper_take_back(struct helper *helper, const void *data);

#endif
