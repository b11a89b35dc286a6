/*
 * The noise of what is compared, where one run a side cannot say it: from a history of earlier runs, else of own peaks and
 * sizes of compilers whose threads do not race from what was measured of such.
 */
#ifndef CLI_COMPARE_NOISE_H
#define CLI_COMPARE_NOISE_H

#include "cli/compare_take.h"
#include "compare/verdicts.h"
#include "history/history.h"
#include "util/err.h"

struct compare_noise {
	struct database *db; /* NULL: there is none, or it has no runs that could be compared */
	char *place, *config, *host;
	int64_t runs;  /* of these, that did not fail */
	size_t known;  /* keys with a change whose noise it knows */
	size_t steady; /* those whose noise is that of all such compilers */
};

/*
 * The noise of compilers whose threads do not race, from run to run, as docs/compare.md has it measured: of sizes more than
 * the highest standard deviation; of own peaks so much that the farthest of all values is within the fence.
 */
#define COMPARE_STEADY_SIZE     0.001
#define COMPARE_STEADY_OWN_PEAK 0.011

/*
 * Open the history for two runs: that of `db`, the option --db, else of STAGETRACE_HISTORY, else runs/history.sqlite if it
 * is there. It needs enough runs of the configuration and the host of both; a note says if it has not, or if it cannot be
 * used. Only with `db` a history that cannot be opened is an error. Release the noise in any case.
 */
int compare_noise_open(struct compare_noise *noise, const char *db, const char *const runs[SIDES],
		       struct err *err);
void compare_noise_release(struct compare_noise *noise);

/*
 * Give changes of a comparison their verdicts, as far as their noise is known: by the history of the build, and without
 * filters by part, role, both, part and crate, part and phase, crate and function. -1: the data base cannot be read.
 */
int compare_noise_judge(struct compare_noise *noise, const struct compare_spec *spec,
			const struct compare_effect *effect, struct verdicts *verdicts,
			struct err *err);

/* Say where verdicts come from, if there are any. */
void compare_noise_say(const struct compare_noise *noise);

#endif
