/*
 * The two sides of a comparison: which runs each has, and what was read of them.
 */
#ifndef CLI_COMPARE_SIDES_H
#define CLI_COMPARE_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare_run.h"
#include "cli/compare_warn.h"
#include "cli/opt.h"
#include "report/compare_view.h"
#include "util/strvec.h"

struct compare_sides {
	struct strvec runs[SIDES];               /* paths */
	struct compare_reading *readings[SIDES]; /* of each run */
	size_t read[SIDES];                      /* so many runs were begun */
};

#define COMPARE_SIDES_INIT \
	{ \
		.runs = { STRVEC_INIT, STRVEC_INIT } \
	}

/* --db; `what` is the comparison that it is for, a literal. */
#define COMPARE_DB_OPTION(place, what) \
	{ \
		0, "db", OPT_STRING, "PLACE", \
			what ": the history that knows how much values vary; by default that of " \
			     "STAGETRACE_HISTORY, or runs/history.sqlite if it is there", \
			place, NULL \
	}

/*
 * The runs of a command: those before "--" and those after it, without which there are two, BASE NEW. `db` is what --db
 * gave, NULL: nothing. ERR_USAGE.
 */
int compare_sides_get(struct compare_sides *sides, const char *command, const struct strvec *before,
		      const struct strvec *after, const char *db, struct err *err);
void compare_sides_release(struct compare_sides *sides);

/* Whether there is one run a side, and whether there are enough for verdicts by their own noise. */
bool compare_sides_is_pair(const struct compare_sides *sides);
bool compare_sides_has_verdicts(const struct compare_sides *sides);

/*
 * Read all runs into the comparisons of the request. `units` are requested too if there is one run a side: several have
 * several schedules.
 */
int compare_sides_read(struct compare_sides *sides, struct compare_request request,
		       struct comparison *units, struct err *err);

/* Borrowed. */
struct compare_runs compare_sides_runs(const struct compare_sides *sides);

/*
 * Split the change of the build's peak; `build` has the peaks of all runs. Of several runs a side it is that between one of
 * each, whose peak is the median of its side, or next to it: these two are read again. False: there is no memory, or, as a
 * note says, too much of it.
 */
bool compare_sides_split(const struct compare_sides *sides, const struct comparison *build,
			 struct compare_split *split);

/* What a side is, for people: "a", "a and 4 more". The caller frees it. */
char *compare_side_name(const struct compare_sides *sides, enum compare_side side);

#endif
