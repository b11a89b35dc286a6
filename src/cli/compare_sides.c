#include "cli/compare_sides.h"

#include <stdlib.h>

#include "cli/message.h"
#include "compare/unit.h"
#include "compare/verdicts.h"
#include "util/alloc.h"
#include "util/text.h"

int compare_sides_get(struct compare_sides *sides, const char *command, const struct strvec *before,
		      const struct strvec *after, const char *db, struct err *err)
{
	if (!after->nr && before->nr != 2)
		return err_set(err, ERR_USAGE,
			       "%s takes two runs, BASE NEW, or several a side, BASE... -- NEW...",
			       command);
	for (size_t i = 0; i < before->nr; i++)
		strvec_push(&sides->runs[!after->nr && i ? SIDE_NEW : SIDE_BASE], before->v[i]);
	strvec_push_all(&sides->runs[SIDE_NEW], after);
	if (db && !compare_sides_is_pair(sides))
		return err_set(err, ERR_USAGE,
			       "--db is for one run a side: several runs say themselves how much "
			       "values vary");
	return 0;
}

void compare_sides_release(struct compare_sides *sides)
{
	for (int side = 0; side < SIDES; side++) {
		strvec_release(&sides->runs[side]);
		for (size_t i = 0; i < sides->read[side]; i++)
			compare_reading_release(&sides->readings[side][i]);
		free(sides->readings[side]);
	}
}

bool compare_sides_is_pair(const struct compare_sides *sides)
{
	return sides->runs[SIDE_BASE].nr == 1 && sides->runs[SIDE_NEW].nr == 1;
}

bool compare_sides_has_verdicts(const struct compare_sides *sides)
{
	return sides->runs[SIDE_BASE].nr >= VERDICT_RUNS &&
	       sides->runs[SIDE_NEW].nr >= VERDICT_RUNS;
}

int compare_sides_read(struct compare_sides *sides, struct compare_request request,
		       struct comparison *units, struct err *err)
{
	if (compare_sides_is_pair(sides))
		request.units = units;
	for (int side = 0; side < SIDES; side++) {
		size_t nr = sides->runs[side].nr;

		sides->readings[side] = xcalloc(nr, sizeof(**sides->readings));
		while (sides->read[side] < nr) {
			size_t i = sides->read[side]++;

			if (compare_run_read(sides->runs[side].v[i], (enum compare_side)side,
					     &request, &sides->readings[side][i], err))
				return -1;
		}
	}
	return 0;
}

struct compare_runs compare_sides_runs(const struct compare_sides *sides)
{
	return (struct compare_runs){
		{ &sides->runs[SIDE_BASE], &sides->runs[SIDE_NEW] },
		{ sides->readings[SIDE_BASE], sides->readings[SIDE_NEW] },
	};
}

/* Of a run of each side, read with its curves. */
static bool split_peak(const struct compare_reading *base, const struct compare_reading *new,
		       struct peak_split *split)
{
	const struct curve_build before = compare_reading_curves(base);
	const struct curve_build after = compare_reading_curves(new);

	if (!before.curves->nr || !after.curves->nr)
		return false;
	if (curves_split(&before, &after, split))
		return true;
	message_print("note: ", "growth and overlap of the peak are not known: a trace has too "
				"many memory events");
	return false;
}

/* Of an even number of runs the lower one of the middle two. NULL: not all have a peak. */
static const char *find_median_run(const struct compare_sides *sides,
				   const struct comparison *build, enum compare_side side)
{
	size_t nr = comparison_runs(build, side);
	const char *found = NULL;
	size_t place = 0;

	for (size_t i = 0; i < build->runs_nr; i++) {
		int64_t own = comparison_value(build, i, 0, MEASURE_OWN_PEAK);
		size_t below = 0;

		if (build->runs[i].side != side)
			continue;
		if (own == MEASURE_UNKNOWN)
			return NULL;
		for (size_t k = 0; k < build->runs_nr; k++) {
			int64_t other = comparison_value(build, k, 0, MEASURE_OWN_PEAK);

			below += build->runs[k].side == side &&
				 (other < own || (other == own && k < i));
		}
		if (below == (nr - 1) / 2)
			found = sides->runs[side].v[place];
		place++;
	}
	return found;
}

/* Between the runs in the middle of their sides. All runs have one schedule each: these two are read again. */
static bool split_medians(const struct compare_sides *sides, const struct comparison *build,
			  struct compare_split *split)
{
	struct compare_reading readings[SIDES] = { { .failed = false } };
	struct comparison units;
	const struct compare_request request = { .units = &units };
	struct err err = ERR_INIT;
	bool known = true;

	comparison_init(&units, UNIT_TEXTS);
	for (int side = 0; known && side < SIDES; side++) {
		const char *run = find_median_run(sides, build, (enum compare_side)side);

		split->runs[side] = run;
		known = run && !compare_run_read(run, (enum compare_side)side, &request,
						 &readings[side], &err);
	}
	known = known && split_peak(&readings[SIDE_BASE], &readings[SIDE_NEW], &split->bytes);
	for (int side = 0; side < SIDES; side++)
		compare_reading_release(&readings[side]);
	comparison_release(&units);
	err_clear(&err);
	return known;
}

bool compare_sides_split(const struct compare_sides *sides, const struct comparison *build,
			 struct compare_split *split)
{
	*split = (struct compare_split){ .runs = { NULL } };
	return compare_sides_is_pair(sides) ? split_peak(sides->readings[SIDE_BASE],
							 sides->readings[SIDE_NEW], &split->bytes)
					    : split_medians(sides, build, split);
}

char *compare_side_name(const struct compare_sides *sides, enum compare_side side)
{
	const struct strvec *runs = &sides->runs[side];

	return runs->nr == 1
		       ? xstrdup(text_file_name(runs->v[0]))
		       : xasprintf("%s and %zu more", text_file_name(runs->v[0]), runs->nr - 1);
}
