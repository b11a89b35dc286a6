/*
 * The parts of the guard (guard.h) that differ by system: starting it, sending orders to it and ending the profiler
 * (posix/guard.c, windows/guard.c). guard.c defines the orders, for all systems.
 */
#ifndef PLATFORM_GUARD_PROCESS_H
#define PLATFORM_GUARD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strvec.h"

struct guard;

/* The orders that a guard has received. */
struct guard_state {
	char *cookie;   /* NULL: none yet */
	char *profiler; /* its process_id(); NULL: there is none */
	struct strvec undos;
};

#define GUARD_STATE_INIT \
	{ \
		NULL, NULL, STRVEC_INIT \
	}

/* In the guard: obey one order, a line without its newline. False: it was the last one. */
bool guard_state_obey(struct guard_state *state, const char *line);

/* In the guard: clean up, as stagetrace has ended without the order "bye" or "later". */
void guard_state_clean_up(struct guard_state *state);

/* Start a guard without orders. */
int guard_process_start(struct guard **guard, struct err *err);

/* Send an order, a line with its newline. If the guard was killed this does nothing, and the recording continues. */
void guard_process_send(struct guard *guard, const char *line);

/* Free `guard`; with `wait`, wait for the end of the process first. */
void guard_process_leave(struct guard *guard, bool wait);

/* Let the profiler close its file and end; with `force` kill it. */
void guard_profiler_end(int64_t pid, bool force);

#endif
