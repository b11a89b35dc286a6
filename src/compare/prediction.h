/*
 * What peak of memory and what time a recorded build would have at another -j: intervals, from simulations of its jobs
 * (compare/schedule.h) under assumptions that differ (docs/fit.md). Pure.
 */
#ifndef COMPARE_PREDICTION_H
#define COMPARE_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/curves.h"
#include "compare/job_graph.h"

/* CPU time of a job, as far as the recording has it. Zero: nothing is known. */
struct job_cpu {
	int64_t front_ns; /* of its compiler up to its metadata; all that it used where that is not known */
	int64_t back_ns;    /* of its compiler after it */
	int64_t others_ns;  /* of processes below it (linkers), or of all if it is no compile */
	int64_t busiest_ns; /* of `back_ns`, of the thread with most */
	size_t threads; /* of the compiler after its metadata, without that which was busiest before it */
	int64_t wait_ns; /* its processes waited for a processor; -1: unknown */
};

struct prediction_input {
	const struct job_graph *graph;
	const struct job_cpu *cpu; /* by job */
	bool cpu_known;            /* false: no sample of CPU time was recorded */
	const struct curves
		*curves; /* of all processes, which are places of the list that the graph is of */
	int64_t end_ns;  /* of the build, which began at 0 */
	int64_t jobs;    /* with which it was recorded */
	double cpus;     /* the same: processors; 0: unknown */
};

struct prediction {
	int64_t jobs;
	int64_t peak_low, peak_high; /* bytes */
	int64_t time_low_ns, time_high_ns;
	bool tokens_short; /* more jobs at a time may change it */
};

struct predictor;

/* The input is read, and needed no longer but for the graph. NULL: there are no jobs. */
struct predictor *predictor_new(const struct prediction_input *input);
void predictor_free(struct predictor *predictor);

/*
 * What is to be expected of so many jobs at a time on so many processors. The interval is that of the simulations, in
 * which jobs differ as in recordings of one build, and as much wider as that of the recorded -j must be to hold what was
 * recorded.
 */
void predictor_run(const struct predictor *predictor, int64_t jobs, double cpus,
		   struct prediction *prediction);

/* How well the model tells the recording itself. */
struct prediction_check {
	struct prediction simulated; /* with its own -j, not widened */
	int64_t peak, time_ns;       /* recorded */
};

const struct prediction_check *predictor_check(const struct predictor *predictor);

enum fits { FITS_NO, FITS_PERHAPS, FITS_YES };

extern const char *const fits_names[];

/* Whether it stays at or below a size. */
enum fits prediction_fits(const struct prediction *prediction, int64_t size);

#endif
