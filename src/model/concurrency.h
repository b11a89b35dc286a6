/*
 * How many processes of a build worked at a time, from their starts and ends. Pure.
 *
 * A process works if it compiles, links or builds (rustc, rustdoc, link, cc, ar, cmake, build-script) and does not wait
 * for another one that it started, as rustc waits for its linker. What only starts others (cargo, bootstrap, shims,
 * shells) does not work. How many threads of a process run is not known here.
 */
#ifndef MODEL_CONCURRENCY_H
#define MODEL_CONCURRENCY_H

#include <stddef.h>
#include <stdint.h>

#include "model/process.h"

/* Within a range of time; times are nanoseconds. */
struct concurrency {
	int64_t cpu_ns;   /* sum over all processes; -1: unknown for all of them */
	int64_t none_ns;  /* no process worked */
	int64_t alone_ns; /* exactly one did */
	int64_t full_ns;  /* at least as many as there are processors */
	int64_t most;     /* working processes at a time */

	/* The longest time that one process worked alone without an interruption; NULL: none did. */
	const struct process *longest;
	int64_t longest_start_ns, longest_end_ns;
};

/* `list` is sorted by start. */
void concurrency_measure(const struct process_list *list, int64_t start_ns, int64_t end_ns,
			 int64_t cpus, struct concurrency *result);

/* CPU time in percent of what so many processors have in a time; both are above 0. */
double concurrency_percent(int64_t cpu_ns, int64_t wall_ns, int64_t cpus);

/* A time in which no process worked, or one alone. */
struct stretch {
	int64_t start_ns, end_ns;
	const struct process *process; /* NULL: none worked */
};

/* The longest of them, the longest first, at most `nr`; returns how many. */
size_t concurrency_longest(const struct process_list *list, int64_t start_ns, int64_t end_ns,
			   struct stretch *v, size_t nr);

/*
 * The same in `nr` steps of `step_ns` from `start_ns` on, a result for each, without CPU time and what was longest. The
 * last step is up to `end_ns`, and may be shorter.
 */
void concurrency_series(const struct process_list *list, int64_t start_ns, int64_t end_ns,
			int64_t step_ns, size_t nr, int64_t cpus, struct concurrency *results);

#endif
