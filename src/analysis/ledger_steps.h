/*
 * What keys of a ledger gained and lost in each step of time, and the most that was held in each: a range of whole steps
 * needs no pass of its own over the trace. What a key held at the start of a step is the sum of what it gained, less what
 * it lost, in the steps before.
 *
 * Step 0 is what was before time 0, step i + 1 is i * step_ns <= t < (i + 1) * step_ns; the last one has no end.
 */
#ifndef ANALYSIS_LEDGER_STEPS_H
#define ANALYSIS_LEDGER_STEPS_H

#include <stddef.h>
#include <stdint.h>

struct ledger_step {
	uint32_t key, step;
	int64_t size, count, freed;
	int64_t most; /* the key held at most this after an event of the step */
};

/* The most that the whole build held after an event of a step. */
struct ledger_high {
	int64_t bytes, time_ns; /* the first moment of it; bytes below 0: there was no event */
};

struct ledger_steps {
	int64_t step_ns;
	uint32_t steps;        /* their number, with step 0 */
	struct ledger_step *v; /* of the keys that changed, by step */
	size_t nr, alloc;
	size_t *last; /* by key: its last one in `v`, plus one */
	size_t last_nr, last_alloc;
	struct ledger_high *highs; /* by step */
};

/* `steps` is at least 2, `step_ns` above 0. */
struct ledger_steps *ledger_steps_new(int64_t step_ns, uint32_t steps);
void ledger_steps_free(struct ledger_steps *steps); /* accepts NULL */

/* The step of a moment. */
uint32_t ledger_steps_at(int64_t time_ns, int64_t step_ns, uint32_t steps);

/* Count a change of a key; `bytes` and `count` as ledger_key_add(), `freed` as ledger_key_remove(). */
void ledger_steps_change(struct ledger_steps *steps, uint32_t key, int64_t time_ns, int64_t bytes,
			 int64_t count, int64_t freed);

/* After an event that changed it: what a key holds; what the whole build holds. */
void ledger_steps_raise(struct ledger_steps *steps, uint32_t key, int64_t bytes);
void ledger_steps_raise_whole(struct ledger_steps *steps, int64_t time_ns, int64_t bytes);

#endif
