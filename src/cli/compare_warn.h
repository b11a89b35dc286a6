/*
 * Warns of runs that should not be compared, or from which verdicts are weak.
 */
#ifndef CLI_COMPARE_WARN_H
#define CLI_COMPARE_WARN_H

#include "cli/compare_run.h"
#include "util/strvec.h"

/* The runs of both sides as they were read. */
struct compare_runs {
	const struct strvec *paths[SIDES];
	const struct compare_reading *readings[SIDES];
};

/* Say what the runs lost, what else ran, and in what they differ. */
void compare_warn_of_runs(const struct compare_runs *runs);

/*
 * Whether the sides of several runs were recorded one after the other, next to other programs: a change of their times may
 * be one of the machine.
 */
bool compare_times_are_unfair(const struct compare_runs *runs);

/* Say what the numbers and the order of the runs mean for verdicts; nothing of one run a side. `level`: of the rows. */
void compare_warn_of_verdicts(const struct compare_runs *runs, double level);

/* Say which measures of the whole build, in a comparison without keys, drift with time or have two levels. */
void compare_warn_of_shapes(const struct compare_runs *runs, const struct comparison *build);

#endif
