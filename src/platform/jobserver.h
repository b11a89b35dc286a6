/*
 * A jobserver as that of GNU make, for one program that we start: it may use as many threads or processes as there are
 * tokens, and one more. rustc without a jobserver takes 32. (Linux: a FIFO, which rustc understands since 1.73; Windows: a
 * semaphore, as in
 * https://www.gnu.org/software/make/manual/html_node/Job-Slots.html.)
 */
#ifndef PLATFORM_JOBSERVER_H
#define PLATFORM_JOBSERVER_H

#include "util/err.h"
#include "util/strvec.h"

struct jobserver;

/* Make one for `jobs` (1 to 1000) at once. What it needs on disk is in the directory `dir`, which the caller removes. */
int jobserver_new(const char *dir, int jobs, struct jobserver **jobserver, struct err *err);

/* Append the variables that name it to a program's environment. */
void jobserver_add_env(const struct jobserver *jobserver, struct strvec *env);

/* Programs that still run get no more tokens. NULL is allowed. */
void jobserver_free(struct jobserver *jobserver);

#endif
