/*
 * The guard's two halves: what it is told and does about that is the same everywhere (guard.c); how it is started, how
 * orders reach it and how it ends the recorder, each system does its way.
 */
#ifndef PLATFORM_GUARD_PROCESS_H
#define PLATFORM_GUARD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/guard.h"
#include "util/err.h"
#include "util/strvec.h"

/* What a guard has been told. */
struct guard_duty {
	char *cookie;   /* NULL: nothing yet */
	char *recorder; /* its process_id(); NULL: there is none */
	struct strvec undos;
};

#define GUARD_DUTY_INIT \
	{ \
		NULL, NULL, STRVEC_INIT \
	}

/* In the guard: do as one line says, without its newline. False: it was the last one. */
bool guard_duty_obey(struct guard_duty *duty, const char *line);

/* In the guard: stagetrace is gone without a last word. */
void guard_duty_take_over(struct guard_duty *duty);

/* Start a guard that has been told nothing. */
int guard_process_start(struct guard **guard, struct err *err);

/* A line with its newline. A guard that was killed can be told nothing: the recording goes on. */
void guard_process_tell(struct guard *guard, const char *line);

/* Free it, at once or when it has ended. */
void guard_process_leave(struct guard *guard, bool wait);

/* Let it finish its file, or kill it with `force`. */
void guard_recorder_end(int64_t pid, bool force);

#endif
