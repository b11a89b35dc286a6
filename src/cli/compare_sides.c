#include "cli/compare_sides.h"

#include <stdlib.h>

#include "cli/message.h"
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

bool compare_sides_split(const struct compare_sides *sides, struct peak_split *split)
{
	struct curve_build builds[SIDES];

	if (!compare_sides_is_pair(sides))
		return false;
	for (int side = 0; side < SIDES; side++) {
		builds[side] = compare_reading_curves(sides->readings[side]);
		if (!builds[side].curves->nr)
			return false;
	}
	if (curves_split(&builds[SIDE_BASE], &builds[SIDE_NEW], split))
		return true;
	message_print("note: ", "growth and overlap of the peak are not known: a trace has too "
				"many memory events");
	return false;
}

char *compare_side_name(const struct compare_sides *sides, enum compare_side side)
{
	const struct strvec *runs = &sides->runs[side];

	return runs->nr == 1
		       ? xstrdup(text_file_name(runs->v[0]))
		       : xasprintf("%s and %zu more", text_file_name(runs->v[0]), runs->nr - 1);
}
