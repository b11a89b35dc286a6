#include "compare/shape.h"

#include <math.h>
#include <stdlib.h>

#include "compare/median.h"
#include "util/alloc.h"

/* Of the normal distribution, two-sided 1 %. */
#define Z_LIMIT 2.576

#define SIDES_NR 2

/* Runs of one side without which nothing is said about it. */
#define SIDE_LEAST 4

static int sign(double value)
{
	return (value > 0) - (value < 0);
}

/* Of all values without ties: n(n-1)(2n+5)/18 of each side. */
static double variance(const struct shape_value *values, size_t nr)
{
	double sum = 0;

	for (int side = 0; side < SIDES_NR; side++) {
		double n = 0;

		for (size_t i = 0; i < nr; i++)
			n += values[i].side == side;
		if (n >= SIDE_LEAST)
			sum += n * (n - 1) * (2 * n + 5) / 18;
	}
	return sum;
}

static size_t count_side(const struct shape_value *values, size_t nr, int side)
{
	size_t count = 0;

	for (size_t i = 0; i < nr; i++)
		count += values[i].side == side;
	return count;
}

bool shape_drifts(const struct shape_value *values, size_t nr, double *percent)
{
	double *slopes = xcalloc(nr * nr + 1, sizeof(*slopes)), var = variance(values, nr), slope,
	       score = 0;
	int64_t first = INT64_MAX, last = INT64_MIN;
	size_t slopes_nr = 0;

	for (size_t i = 0; i < nr; i++) {
		first = values[i].start < first ? values[i].start : first;
		last = values[i].start > last ? values[i].start : last;
		if (count_side(values, nr, values[i].side) < SIDE_LEAST)
			continue;
		for (size_t j = 0; j < i; j++) {
			double time = (double)values[i].start - (double)values[j].start;
			double change = log(values[i].value) - log(values[j].value);

			if (values[i].side != values[j].side || time == 0)
				continue;
			score += sign(change) * sign(time);
			slopes[slopes_nr++] = change / time;
		}
	}
	slope = slopes_nr ? median_of(slopes, slopes_nr) : 0;
	free(slopes);
	*percent = 100 * (exp(slope * ((double)last - (double)first)) - 1);
	return var > 0 && (fabs(score) - 1) / sqrt(var) > Z_LIMIT;
}

static int by_value(const void *a, const void *b)
{
	const struct shape_value *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* A gap between the sides is a change of the one to the other: some side has runs on both sides of the gap. */
static bool divides_a_side(const struct shape_value *sorted, size_t nr, size_t at)
{
	for (int side = 0; side < SIDES_NR; side++)
		if (count_side(sorted, at, side) && count_side(sorted + at, nr - at, side))
			return true;
	return false;
}

bool shape_has_levels(const struct shape_value *values, size_t nr, struct shape_levels *levels)
{
	size_t least = nr / 5 > 2 ? nr / 5 : 2;
	struct shape_value *sorted = xcalloc(nr + 1, sizeof(*sorted));
	double *v = xcalloc(nr + 1, sizeof(*v));
	bool found = false;

	for (size_t i = 0; i < nr; i++)
		sorted[i] = values[i];
	qsort(sorted, nr, sizeof(*sorted), by_value);
	for (size_t i = 0; i < nr; i++)
		v[i] = log(sorted[i].value);
	for (size_t at = least; nr >= 2 * SIDE_LEAST && at + least <= nr && !found; at++) {
		double gap = v[at] - v[at - 1], below = v[at - 1] - v[0], above = v[nr - 1] - v[at];

		found = gap > 2 * below && gap > 2 * above && divides_a_side(sorted, nr, at);
		if (found)
			*levels = (struct shape_levels){
				100 * (exp(median_of(v + at, nr - at) - median_of(v, at)) - 1), at,
				nr - at
			};
	}
	free(sorted);
	free(v);
	return found;
}
