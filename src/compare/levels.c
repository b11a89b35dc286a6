#include "compare/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/median.h"
#include "util/alloc.h"

/* A count that hardly varies: less is no change that anybody looks for. */
#define NOISE_LEAST 0.0001

/* What a median of absolute values is in standard deviations, of a normal distribution. */
#define MAD_SCALE 1.4826

/* Values that are so many standard deviations from the median of their neighbourhood do not count. */
#define OUTLIER 4.0
#define AROUND  5

int64_t series_whole(double value)
{
	return value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN : (int64_t)value;
}

int64_t series_median_of(const int64_t *values, size_t nr)
{
	double *sorted = xcalloc(nr, sizeof(*sorted)), median;

	for (size_t i = 0; i < nr; i++)
		sorted[i] = (double)values[i];
	median = median_of(sorted, nr);
	free(sorted);
	return series_whole(median);
}

/* The median of the changes over `lag` values. */
static double median_change(const double *x, size_t nr, size_t lag)
{
	double *changes = xcalloc(nr, sizeof(*changes)), median;

	for (size_t i = lag; i < nr; i++)
		changes[i - lag] = fabs(x[i] - x[i - lag]);
	median = median_of(changes, nr - lag);
	free(changes);
	return median;
}

static double noise_of(const double *x, size_t nr)
{
	double noise = MAD_SCALE * median_change(x, nr, 1) / sqrt(2);

	return noise > NOISE_LEAST ? noise : NOISE_LEAST;
}

/* The changes that are left out, as changes of the level and outliers, and from when on the next one counts. */
#define LARGEST_LEAST 4
#define LARGEST_SHARE 0.08
#define HEAVIER       3.0

/*
 * A value that now and then is another one, as with a thread more, has a median change of nearly nothing, and yet is not
 * steady. So the noise is that of its larger changes if these are much larger than that; few of them say nothing.
 */
static double noise_with_large(const double *x, size_t nr, double noise)
{
	size_t changes_nr = nr - 1, largest = (size_t)ceil(LARGEST_SHARE * (double)changes_nr);
	double *changes, large;

	if (largest < LARGEST_LEAST)
		largest = LARGEST_LEAST;
	if (largest >= changes_nr)
		return noise;
	changes = xcalloc(changes_nr, sizeof(*changes));
	for (size_t i = 0; i < changes_nr; i++)
		changes[i] = fabs(x[i + 1] - x[i]);
	sort_doubles(changes, changes_nr);
	large = changes[changes_nr - largest - 1] / sqrt(2);
	free(changes);
	return large > HEAVIER * noise ? large : noise;
}

/* The logarithms of those above 0. The caller frees them. */
static double *logarithms(const int64_t *values, size_t nr, size_t *known)
{
	double *x = xcalloc(nr ? nr : 1, sizeof(*x));

	*known = 0;
	for (size_t i = 0; i < nr; i++) {
		if (values[i] > 0)
			x[(*known)++] = log((double)values[i]);
	}
	return x;
}

double series_noise(const int64_t *values, size_t nr)
{
	double *x = logarithms(values, nr, &nr), noise = -1;

	if (nr >= 3)
		noise = noise_with_large(x, nr, noise_of(x, nr));
	free(x);
	return noise;
}

static double median_between(const double *x, size_t from, size_t to)
{
	double part[AROUND];

	memcpy(part, x + from, (to - from) * sizeof(*part));
	return median_of(part, to - from);
}

/* One in so many excursions does not count. */
#define EXCURSIONS 100

double series_excursion(const int64_t *values, size_t nr)
{
	double *x = logarithms(values, nr, &nr), *far, farthest = 0;
	size_t far_nr = 0;

	far = xcalloc(nr + 1, sizeof(*far));
	for (size_t i = LEVEL_LEAST; i + LEVEL_LEAST < nr; i++) {
		size_t to = nr - i - 1 < AROUND ? nr : i + 1 + AROUND;
		double before = fabs(x[i] - median_between(x, i < AROUND ? 0 : i - AROUND, i));
		double after = fabs(x[i] - median_between(x, i + 1, to));

		far[far_nr++] = before < after ? before : after;
	}
	sort_doubles(far, far_nr);
	if (far_nr)
		farthest = far[far_nr - 1 - far_nr / EXCURSIONS];
	free(far);
	free(x);
	return farthest;
}

/*
 * Neighbouring runs of one machine are alike: the price of a cut goes up with it. A share from 0 to 0.6, which few values
 * cannot give.
 */
static double correlation(const double *x, size_t nr)
{
	double near, far, share;

	if (nr < 8)
		return 0;
	near = median_change(x, nr, 1);
	far = median_change(x, nr, 3);
	share = far > 0 ? 1 - near / far * (near / far) : 0;
	share = share < 0 ? 0 : share > 0.6 ? 0.6 : share;
	return nr < 60 ? share * (double)nr / 60 : share;
}

/* Replace outliers by the median of their neighbourhood. */
static double *clip(const double *x, size_t nr, double noise)
{
	double *clipped = xcalloc(nr, sizeof(*clipped)), around[AROUND];

	for (size_t i = 0; i < nr; i++) {
		size_t width = nr < AROUND ? nr : AROUND;
		size_t from = i < width / 2 ? 0 : i - width / 2;
		double median;

		if (from + width > nr)
			from = nr - width;
		memcpy(around, &x[from], width * sizeof(*around));
		median = median_of(around, width);
		clipped[i] = fabs(x[i] - median) > OUTLIER * noise ? median : x[i];
	}
	return clipped;
}

/* Sums from the start, for sums of squares of any part: in units of the noise, around the first median. */
struct sums {
	double *of, *of_squares;
};

static struct sums make_sums(const double *x, size_t nr, double noise)
{
	struct sums sums = { xcalloc(nr + 1, sizeof(double)), xcalloc(nr + 1, sizeof(double)) };
	double middle = x[nr / 2];

	for (size_t i = 0; i < nr; i++) {
		double z = (x[i] - middle) / noise;

		sums.of[i + 1] = sums.of[i] + z;
		sums.of_squares[i + 1] = sums.of_squares[i] + z * z;
	}
	return sums;
}

/* Around the mean of the values from `from` up to `to`. */
static double squares(const struct sums *sums, size_t from, size_t to)
{
	double sum = sums->of[to] - sums->of[from];
	double all =
		sums->of_squares[to] - sums->of_squares[from] - sum * sum / (double)(to - from);

	return all > 0 ? all : 0;
}

/* By the end of a part the start of its last level, and what the part costs. */
struct best {
	size_t *start;
	double *cost;
};

static void partition(const struct sums *sums, size_t nr, double price, struct best *best)
{
	best->start = xcalloc(nr + 1, sizeof(*best->start));
	best->cost = xcalloc(nr + 1, sizeof(*best->cost));
	best->cost[0] = -price;
	for (size_t end = 1; end <= nr; end++) {
		best->cost[end] = INFINITY;
		for (size_t start = 0; start + LEVEL_LEAST <= end; start++) {
			double cost = best->cost[start] + squares(sums, start, end) + price;

			if (cost < best->cost[end]) {
				best->cost[end] = cost;
				best->start[end] = start;
			}
		}
	}
}

static void take_levels(const struct best *best, const struct sums *sums, size_t nr, double factor,
			const int64_t *values, struct levels *levels)
{
	for (size_t end = nr; end; end = best->start[end])
		levels->nr++;
	levels->v = xcalloc(levels->nr, sizeof(*levels->v));
	for (size_t end = nr, i = levels->nr; end; end = best->start[end]) {
		struct level *level = &levels->v[--i];

		level->start = best->start[end];
		level->nr = end - level->start;
		level->value = series_median_of(&values[level->start], level->nr);
	}
	for (size_t i = 1; i < levels->nr; i++) {
		size_t from = levels->v[i - 1].start, at = levels->v[i].start;
		size_t to = at + levels->v[i].nr;

		levels->v[i].strength = (squares(sums, from, to) - squares(sums, from, at) -
					 squares(sums, at, to)) /
					factor;
	}
}

struct line {
	double slope;   /* from value to value */
	double squares; /* around it, in units of the noise */
};

static struct line fit_line(const double *x, size_t nr, double noise)
{
	double middle = (double)(nr - 1) / 2, mean = 0, xy = 0, xx = 0, yy = 0;

	for (size_t i = 0; i < nr; i++)
		mean += x[i] / (double)nr;
	for (size_t i = 0; i < nr; i++) {
		double t = (double)i - middle, y = x[i] - mean;

		xy += t * y;
		xx += t * t;
		yy += y * y;
	}
	return (struct line){ xy / xx, (yy - xy * xy / xx) / (noise * noise) };
}

/* One level, for a series that has none. */
static void join_levels(struct levels *levels, const int64_t *values, size_t nr)
{
	levels->nr = 1;
	levels->v[0] = (struct level){ .nr = nr, .value = series_median_of(values, nr) };
}

/* Two kinds: each at least a fifth of at least so many values, and far apart from each other. */
#define MODES_VALUES  12
#define MODES_SHARE   5
#define MODES_SQUARES 0.1 /* of all, around both means; of a normal distribution it is 0.36 */
#define MODES_APART   0.002
#define MODES_TURNS   4 /* from one kind to the other: fewer are changes of the level */

/* Where the sorted values fall into two: the number of the smaller ones; 0: nowhere. */
static size_t split_modes(const double *sorted, size_t nr)
{
	struct sums sums = make_sums(sorted, nr, 1);
	double all = squares(&sums, 0, nr), least = all * MODES_SQUARES;
	size_t found = 0, part = nr / MODES_SHARE;

	for (size_t at = part; at + part <= nr; at++) {
		double within = squares(&sums, 0, at) + squares(&sums, at, nr);

		if (within <= least && sorted[at] - sorted[at - 1] >= MODES_APART) {
			least = within;
			found = at;
		}
	}
	free(sums.of);
	free(sums.of_squares);
	return found;
}

static void find_modes(const double *x, const int64_t *values, struct levels *levels)
{
	const struct level *last = &levels->v[levels->nr - 1];
	size_t nr = last->nr, at, turns = 0;
	double *sorted, border;

	if (nr < MODES_VALUES)
		return;
	x += last->start;
	sorted = xcalloc(nr, sizeof(*sorted));
	memcpy(sorted, x, nr * sizeof(*sorted));
	sort_doubles(sorted, nr);
	at = split_modes(sorted, nr);
	border = at ? (sorted[at - 1] + sorted[at]) / 2 : 0;
	for (size_t i = 1; at && i < nr; i++)
		turns += (x[i] < border) != (x[i - 1] < border);
	if (turns >= MODES_TURNS) {
		int64_t *parts = xcalloc(nr, sizeof(*parts));
		size_t low = 0, high = nr;

		for (size_t i = 0; i < nr; i++)
			parts[x[i] < border ? low++ : --high] = values[last->start + i];
		levels->shape = LEVELS_BIMODAL;
		levels->modes[0] = series_median_of(parts, low);
		levels->modes[1] = series_median_of(&parts[low], nr - low);
		free(parts);
	}
	free(sorted);
}

bool levels_find(const int64_t *values, size_t nr, struct levels *levels)
{
	double *x, *clipped, share, factor;
	struct sums sums;
	struct best best;
	struct line line;

	*levels = (struct levels){ .noise = -1 };
	if (nr < 2 * LEVEL_LEAST)
		return false;
	x = xcalloc(nr, sizeof(*x));
	for (size_t i = 0; i < nr; i++)
		x[i] = log(values[i] > 1 ? (double)values[i] : 1);
	levels->noise = noise_with_large(x, nr, noise_of(x, nr));
	clipped = clip(x, nr, levels->noise);
	share = correlation(clipped, nr);
	factor = (1 + share) / ((1 - share) * (1 - share));
	sums = make_sums(clipped, nr, levels->noise);
	partition(&sums, nr, LEVEL_SUSPECT * factor, &best);
	take_levels(&best, &sums, nr, factor, values, levels);
	line = fit_line(clipped, nr, levels->noise);
	if (levels->nr > 1 && line.squares + LEVEL_SUSPECT * factor < best.cost[nr]) {
		levels->shape = LEVELS_DRIFT;
		levels->drift = exp(line.slope * (double)(nr - 1)) - 1;
		join_levels(levels, values, nr);
	} else {
		find_modes(x, values, levels);
	}
	free(best.start);
	free(best.cost);
	free(sums.of);
	free(sums.of_squares);
	free(clipped);
	free(x);
	return true;
}

void levels_release(struct levels *levels)
{
	free(levels->v);
	*levels = (struct levels){ .v = NULL };
}
