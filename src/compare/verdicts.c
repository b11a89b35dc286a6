#include "compare/verdicts.h"

#include <math.h>
#include <stdlib.h>

#include "compare/median.h"
#include "compare/permutation.h"
#include "util/alloc.h"

const char *const verdict_names[] = { NULL, "grew", "shrank", "same", "cannot tell" };

/* So many keys have a median that says what their run has in common. */
#define DRIFT_KEYS 10

/* A number of runs that nobody makes is not said. */
#define RUNS_MAX 1000

/* A value of the family. */
struct member {
	uint32_t key;
	enum measure measure;
};

struct family {
	const struct comparison *comparison;
	const struct verdict_family *asked;
	const struct compare_effect *effect;
	struct verdicts *verdicts;
	size_t sides[SIDES], runs;
	size_t *order; /* of the comparison's runs: those of the base first */
	struct member *members;
	size_t nr;
	double *values; /* by member, then by run in `order`; logarithms */
	/*
	 * By member, what is expected: around the mean of all runs, for the test, and within the sides, for the number of
	 * runs. That of few members, whose median is one that changed, would count the change as noise.
	 */
	double *noise, *within;
};

static struct verdict_of *verdict_of(const struct family *family, const struct member *member)
{
	return &family->verdicts->v[(size_t)member->key * MEASURES + member->measure];
}

static int64_t least_effect(const struct compare_effect *effect, enum measure measure)
{
	return measure_is_bytes(measure) ? effect->bytes : effect->ns;
}

static int64_t value_of(const struct family *family, const struct member *member, size_t run)
{
	return comparison_value(family->comparison, family->order[run], member->key,
				member->measure);
}

/* The extremes of a range of runs. */
static void find_range(const struct family *family, const struct member *member, size_t from,
		       size_t nr, int64_t *least, int64_t *most)
{
	*least = INT64_MAX;
	*most = INT64_MIN;
	for (size_t run = from; run < from + nr; run++) {
		int64_t value = value_of(family, member, run);

		*least = value < *least ? value : *least;
		*most = value > *most ? value : *most;
	}
}

/* Verdicts that need no test: too small to matter, counts that never varied, or what nobody can tell. True: it has one. */
static bool decide_at_once(struct family *family, const struct member *member)
{
	struct verdict_of *of = verdict_of(family, member);
	int64_t least[SIDES], most[SIDES];
	struct compare_change change;

	find_range(family, member, 0, family->sides[SIDE_BASE], &least[SIDE_BASE],
		   &most[SIDE_BASE]);
	find_range(family, member, family->sides[SIDE_BASE], family->sides[SIDE_NEW],
		   &least[SIDE_NEW], &most[SIDE_NEW]);
	/* Unknown values are the least of all. */
	if (least[SIDE_BASE] < 0 || least[SIDE_NEW] < 0)
		return true;
	if (most[SIDE_BASE] < least_effect(family->effect, member->measure) &&
	    most[SIDE_NEW] < least_effect(family->effect, member->measure)) {
		of->verdict = VERDICT_SAME;
		return true;
	}
	if (least[SIDE_BASE] == most[SIDE_BASE] && least[SIDE_NEW] == most[SIDE_NEW]) {
		change = comparison_change(family->comparison, member->key, member->measure);
		if (!compare_effect_reached(family->effect, member->measure, &change))
			of->verdict = VERDICT_SAME;
		else
			of->verdict = change.delta > 0 ? VERDICT_GREW : VERDICT_SHRANK;
		return true;
	}
	if (family->asked->no_times && !measure_is_bytes(member->measure)) {
		of->verdict = VERDICT_UNCERTAIN;
		return true;
	}
	/* There are no logarithms. */
	return !least[SIDE_BASE] || !least[SIDE_NEW];
}

static bool is_everywhere(const struct comparison *comparison, uint32_t key)
{
	for (size_t run = 0; run < comparison->runs_nr; run++) {
		if (!comparison_has(comparison, run, key))
			return false;
	}
	return true;
}

static void find_members(struct family *family)
{
	const struct comparison *comparison = family->comparison;

	family->members = xcalloc(comparison->keys_nr * MEASURES, sizeof(*family->members));
	for (uint32_t key = 0; key < comparison->keys_nr; key++) {
		if (!is_everywhere(comparison, key) ||
		    (family->asked->wanted && !family->asked->wanted[key]))
			continue;
		for (int measure = 0; measure < MEASURES; measure++) {
			struct member member = { key, (enum measure)measure };

			/* What was held at the build's peak is a matter of its schedule. */
			if (measure != MEASURE_AT_PEAK && !decide_at_once(family, &member))
				family->members[family->nr++] = member;
		}
	}
}

static void take_logarithms(struct family *family)
{
	family->values = xcalloc(family->nr * family->runs, sizeof(*family->values));
	for (size_t i = 0; i < family->nr; i++) {
		for (size_t run = 0; run < family->runs; run++)
			family->values[i * family->runs + run] =
				log((double)value_of(family, &family->members[i], run));
	}
}

/* The mean of a member over all runs. */
static double mean_of(const struct family *family, size_t i)
{
	double sum = 0;

	for (size_t run = 0; run < family->runs; run++)
		sum += family->values[i * family->runs + run];
	return sum / (double)family->runs;
}

/* What the keys of each run have in common: the median of how far they are from their means. */
static void find_common(struct family *family, enum measure measure, double *common)
{
	double *apart = xcalloc(family->nr, sizeof(*apart));

	for (size_t run = 0; run < family->runs; run++) {
		size_t nr = 0;

		for (size_t i = 0; i < family->nr; i++) {
			if (family->members[i].measure == measure)
				apart[nr++] =
					family->values[i * family->runs + run] - mean_of(family, i);
		}
		if (nr < DRIFT_KEYS)
			break;
		common[family->order[run]] = median_of(apart, nr);
	}
	free(apart);
}

static void subtract_common(struct family *family, const double *common)
{
	for (size_t i = 0; i < family->nr; i++) {
		const double *of_runs = common + family->members[i].measure * family->runs;

		for (size_t run = 0; run < family->runs; run++)
			family->values[i * family->runs + run] -= of_runs[family->order[run]];
	}
}

static void subtract_drift(struct family *family)
{
	struct verdicts *verdicts = family->verdicts;
	const struct verdicts *larger = family->asked->larger;

	if (larger && larger->common) {
		subtract_common(family, larger->common);
		return;
	}
	if (!family->asked->drift)
		return;
	free(verdicts->common);
	verdicts->common = xcalloc(MEASURES * family->runs, sizeof(*verdicts->common));
	find_common(family, MEASURE_CPU, verdicts->common + MEASURE_CPU * family->runs);
	find_common(family, MEASURE_WALL, verdicts->common + MEASURE_WALL * family->runs);
	subtract_common(family, verdicts->common);
}

/* The sum of squares of a range of a member's runs around their mean. */
static double squares_around(const struct family *family, size_t i, size_t from, size_t nr)
{
	const double *values = &family->values[i * family->runs + from];
	double mean = 0, squares = 0;

	for (size_t run = 0; run < nr; run++)
		mean += values[run] / (double)nr;
	for (size_t run = 0; run < nr; run++)
		squares += (values[run] - mean) * (values[run] - mean);
	return squares;
}

/* Squares within the sides: what differs from one side to the other is in none of them. */
static double squares_within(const struct family *family, size_t i)
{
	return squares_around(family, i, 0, family->sides[SIDE_BASE]) +
	       squares_around(family, i, family->sides[SIDE_BASE], family->sides[SIDE_NEW]);
}

/* The standard deviation of a member around the mean of all runs: it is the same for each split. */
static double deviation(const struct family *family, size_t i)
{
	return sqrt(squares_around(family, i, 0, family->runs) / (double)(family->runs - 1));
}

static double deviation_within(const struct family *family, size_t i)
{
	return sqrt(squares_within(family, i) / (double)(family->runs - 2));
}

/* Without earlier runs the noise of a key is expected to be that of the median key of its measure. */
static void expect_noise(const struct family *family, double *noise,
			 double (*deviation_of)(const struct family *family, size_t i))
{
	double *deviations = xcalloc(family->nr, sizeof(*deviations));

	for (int measure = 0; measure < MEASURES; measure++) {
		size_t nr = 0;
		double expected;

		for (size_t i = 0; i < family->nr; i++) {
			if ((int)family->members[i].measure == measure)
				deviations[nr++] = deviation_of(family, i);
		}
		expected = nr ? median_of(deviations, nr) : 0;
		for (size_t i = 0; i < family->nr; i++) {
			if ((int)family->members[i].measure == measure)
				noise[i] = expected;
		}
	}
	free(deviations);
}

/* The deviation within the sides, with the expected one. */
static double noise_within(const struct family *family, size_t i)
{
	double squares = squares_within(family, i) +
			 PERMUTATION_PRIOR * family->within[i] * family->within[i];

	return sqrt(squares / (double)(family->runs - 2 + PERMUTATION_PRIOR));
}

/*
 * The runs of each side that find a change of the smallest effect in 90 % of all comparisons, at this noise: by a formula
 * that simulations of 2,100 values agree with.
 */
static int64_t runs_needed(const struct compare_effect *effect, double noise)
{
	double least = log1p(effect->percent / 100);
	double ratio = least > 0 ? 6 * noise / least : HUGE_VAL;
	double runs = ceil(2 * ratio * ratio);

	if (!(runs <= RUNS_MAX))
		return 0;
	return runs < 5 ? 5 : (int64_t)runs;
}

/* How far a shift of logarithms moves a value, as a share of the base: that is how changes without a test are measured. */
static double share_of_base(double shift)
{
	return fabs(expm1(shift));
}

/* Whether both ends of the interval of the shift are below the smallest effect: in percent, or in units. */
static bool is_within(const struct family *family, const struct member *member,
		      const struct shift *shift)
{
	int64_t base =
		comparison_median(family->comparison, SIDE_BASE, member->key, member->measure);
	double units = (double)least_effect(family->effect, member->measure);
	double largest = fmax(share_of_base(shift->from), share_of_base(shift->to));

	return largest <= family->effect->percent / 100 || (double)base * largest <= units;
}

static void decide(struct family *family, size_t i, double p)
{
	const struct member *member = &family->members[i];
	struct verdict_of *of = verdict_of(family, member);
	const double *base = &family->values[i * family->runs];
	const double *new = base + family->sides[SIDE_BASE];
	struct shift shift;
	bool known = permutation_shift(base, family->sides[SIDE_BASE], new, family->sides[SIDE_NEW],
				       &shift);
	int64_t median_base =
		comparison_median(family->comparison, SIDE_BASE, member->key, member->measure);
	double share = share_of_base(shift.shift);
	bool large = share >= family->effect->percent / 100 &&
		     (double)median_base * share >=
			     (double)least_effect(family->effect, member->measure);

	of->p = p;
	if (p <= family->asked->level && large && shift.apart)
		of->verdict = shift.shift > 0 ? VERDICT_GREW : VERDICT_SHRANK;
	else if (known && is_within(family, member, &shift))
		of->verdict = VERDICT_SAME;
	else
		of->verdict = VERDICT_UNCERTAIN;
	if (of->verdict == VERDICT_UNCERTAIN)
		of->runs = runs_needed(family->effect, noise_within(family, i));
}

static void test_members(struct family *family)
{
	double *p = xcalloc(family->nr, sizeof(*p));
	const struct permutation permutation = {
		.sides = { family->sides[SIDE_BASE], family->sides[SIDE_NEW] },
		.values_nr = family->nr,
		.values = family->values,
		.noise = family->noise,
	};

	permutation_test(&permutation, p);
	for (size_t i = 0; i < family->nr; i++)
		decide(family, i, p[i]);
	free(p);
}

static void order_runs(struct family *family)
{
	const struct comparison *comparison = family->comparison;

	family->order = xcalloc(comparison->runs_nr, sizeof(*family->order));
	for (int side = 0; side < SIDES; side++) {
		for (size_t run = 0; run < comparison->runs_nr; run++) {
			if ((int)comparison->runs[run].side != side)
				continue;
			family->order[family->runs++] = run;
			family->sides[side]++;
		}
	}
}

static void begin(struct verdicts *verdicts, const struct comparison *comparison)
{
	size_t nr = comparison->keys_nr * MEASURES;

	if (verdicts->v)
		return;
	verdicts->v = xcalloc(nr, sizeof(*verdicts->v));
	for (size_t i = 0; i < nr; i++)
		verdicts->v[i].p = -1;
}

void verdicts_make(struct verdicts *verdicts, const struct comparison *comparison,
		   const struct verdict_family *asked)
{
	struct family family = { .comparison = comparison,
				 .asked = asked,
				 .effect = asked->effect,
				 .verdicts = verdicts };

	if (!comparison->keys_nr || comparison_runs(comparison, SIDE_BASE) < VERDICT_RUNS ||
	    comparison_runs(comparison, SIDE_NEW) < VERDICT_RUNS)
		return;
	begin(verdicts, comparison);
	order_runs(&family);
	find_members(&family);
	if (family.nr) {
		take_logarithms(&family);
		subtract_drift(&family);
		family.noise = xcalloc(family.nr, sizeof(*family.noise));
		family.within = xcalloc(family.nr, sizeof(*family.within));
		expect_noise(&family, family.noise, deviation);
		expect_noise(&family, family.within, deviation_within);
		test_members(&family);
	}
	free(family.order);
	free(family.members);
	free(family.values);
	free(family.noise);
	free(family.within);
}

static void decide_by_noise(struct verdict_of *of, const struct compare_effect *effect,
			    const struct compare_change *change, double noise)
{
	double apart = log((double)change->new) - log((double)change->base);

	if (fabs(apart) > VERDICT_FENCE * noise) {
		of->verdict = apart > 0 ? VERDICT_GREW : VERDICT_SHRANK;
	} else {
		of->verdict = VERDICT_UNCERTAIN;
		of->runs = runs_needed(effect, noise);
	}
}

void verdicts_by_noise(struct verdicts *verdicts, const struct comparison *comparison,
		       const struct compare_effect *effect, verdict_noise_fn *noise_of, void *data)
{
	for (uint32_t key = 0; key < comparison->keys_nr; key++) {
		const double *noise = NULL;
		bool asked = false;

		for (int measure = 0; measure < MEASURES; measure++) {
			struct compare_change change =
				comparison_change(comparison, key, (enum measure)measure);

			if (measure == MEASURE_AT_PEAK || !change.relative || change.new <= 0 ||
			    !compare_effect_reached(effect, (enum measure)measure, &change))
				continue;
			if (!asked)
				noise = noise_of(data, key);
			asked = true;
			if (!noise || noise[measure] < 0)
				continue;
			begin(verdicts, comparison);
			decide_by_noise(&verdicts->v[(size_t)key * MEASURES + measure], effect,
					&change, noise[measure]);
		}
	}
}

void verdicts_release(struct verdicts *verdicts)
{
	free(verdicts->v);
	free(verdicts->common);
	*verdicts = (struct verdicts)VERDICTS_INIT;
}

bool verdicts_changed(const struct verdicts *verdicts, uint32_t key)
{
	for (int measure = 0; verdicts->v && measure < MEASURES; measure++) {
		enum verdict verdict = verdicts->v[(size_t)key * MEASURES + measure].verdict;

		if (verdict == VERDICT_GREW || verdict == VERDICT_SHRANK)
			return true;
	}
	return false;
}
