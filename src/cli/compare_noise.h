/*
 * The noise of what is compared, from a history of earlier runs: of one run a side nothing else says how much a value
 * varies.
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
	int64_t runs; /* of these, that did not fail */
	size_t known; /* keys with a change whose noise it knows */
};

/*
 * Open the history for two runs: that of `db`, the option --db, else of STAGETRACE_HISTORY, else runs/history.sqlite if it
 * is there. It needs enough runs of the configuration and the host of both; a note says if it has not, or if it cannot be
 * used. Only with `db` a history that cannot be opened is an error. Release the noise in any case.
 */
int compare_noise_open(struct compare_noise *noise, const char *db, const char *const runs[SIDES],
		       struct err *err);
void compare_noise_release(struct compare_noise *noise);

/*
 * Give changes of a comparison their verdicts, as far as the history knows their noise: of the build, and without filters
 * by part, role, both, part and crate, part and phase, crate and function. -1: the data base cannot be read.
 */
int compare_noise_judge(struct compare_noise *noise, const struct compare_spec *spec,
			const struct compare_effect *effect, struct verdicts *verdicts,
			struct err *err);

/* Say where verdicts come from, if there are any. */
void compare_noise_say(const struct compare_noise *noise);

#endif
