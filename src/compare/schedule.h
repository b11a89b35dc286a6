/*
 * Simulates how cargo runs the jobs of a build with so many at a time (-j), and how much memory they hold together. Pure.
 *
 * Tokens: -j is their number. Each job that runs has one. cargo starts the job that the most others wait for
 * (cargo, core/compiler/job_queue, dependency_queue.rs); of these the one that was ready last (pending_queue), and of those
 * ready at the same time `order` decides, as cargo's order is that of a hash table. A compile works in two phases: before
 * its metadata is written, with one thread; after that, with one more for each token that it can get, as the coordinator of
 * rustc_codegen_ssa does. When threads that can run are more than processors, all go on slower, in equal shares.
 */
#ifndef COMPARE_SCHEDULE_H
#define COMPARE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/job_graph.h"

/* From a place of the job on it holds so much: 0 is its start, 1 its metadata, 2 its end. */
struct schedule_point {
	double place;
	int64_t bytes;
};

struct schedule_job {
	/* How long its phases take if it has a processor and no further token. */
	double front_ns, back_ns;
	double threads; /* that can work at a time after metadata; 1 or more */
	/*
	 * When it was recorded, so many did; and as many as it has parts that are made at a time (codegen units). See
	 * schedule_result.scaled_peak. 1: it has no parts.
	 */
	double recorded_threads, parts;
	const struct schedule_point *points; /* by place, the last at 2 with 0 bytes; borrowed */
	size_t points_nr;
};

struct schedule_options {
	int64_t jobs; /* -j: 1 or more */
	/* The jobs of the session are among those from `first` to before `end`: others cost no time. `end` 0: of all. */
	uint32_t first, end;
	double cpus;    /* processors; 0: enough */
	uint64_t order; /* of equal jobs: 0: as they are in the graph; else by a hash with it */
	/*
	 * Free tokens go to threads of running compiles first, which keep them; but that of a job that ended goes to the
	 * next job, as cargo has it (drain_the_queue()). Else to new jobs first, which may take them from threads.
	 */
	bool threads_first;
	/*
	 * Jobs take longer or shorter, and hold more or less, by factors whose logarithms have these standard deviations
	 * (normal distributions, by hashes with `order`).
	 */
	double time_spread, bytes_spread;
};

struct schedule_result {
	double time_ns; /* first start to last end */
	int64_t peak;   /* bytes */
	/*
	 * The same if what a compile holds beyond what it held when its metadata was written is for the parts that are in
	 * work, and one that is next: it changes with their number.
	 */
	int64_t scaled_peak;
	size_t most;       /* jobs that ran at a time */
	bool tokens_short; /* a job or a thread waited for a token: more could change the result */
};

/* Run the jobs of one session of the graph, which has as many in `jobs` as in the whole. */
void schedule_run(const struct job_graph *graph, uint32_t session, const struct schedule_job *jobs,
		  const struct schedule_options *options, struct schedule_result *result);

#endif
