/*
 * A helper thread that runs jobs one after the other, in the order in which they were added.
 *
 * If jobs must run in this order, wait for them with helper_wait(). If they are independent, helper_withdraw() is
 * faster: the caller runs a job that has not begun instead of waiting for it.
 */
#ifndef PLATFORM_HELPER_H
#define PLATFORM_HELPER_H

#include <stdbool.h>

struct helper;

typedef void job_fn(void *data);

/* Start a helper. NULL: `threads` is 1, or no thread can be started. All functions below accept NULL. */
struct helper *helper_new(int threads);

/* Waits for all jobs. */
void helper_free(struct helper *helper);

/* Add a job, identified by its data in the functions below. Does nothing without a helper. */
void helper_add(struct helper *helper, job_fn *job, void *data);

/* Wait until a job is done. */
void helper_wait(struct helper *helper, const void *data);

/*
 * Withdraw a job that has not begun, and return false: the caller has to do it. If it has begun, run other jobs until
 * it is done, and return true. False without a helper.
 */
bool helper_withdraw(struct helper *helper, const void *data);

#endif
