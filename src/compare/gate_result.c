#include "compare/gate_result.h"

#include <math.h>
#include <stdlib.h>

#include "compare/permutation.h"
#include "compare/verdicts.h"
#include "util/alloc.h"

static struct gate_result undecided(const char *why)
{
	return (struct gate_result){ .outcome = GATE_UNDECIDED, .why = why };
}

static enum gate_outcome outcome_of(bool trips)
{
	return trips ? GATE_TRIPPED : GATE_PASSED;
}

/* The values of a side, for a change in percent as logarithms. False: there are none of some. */
static bool get_values(const struct gate *gate, const struct comparison *comparison,
		       enum compare_side side, uint32_t key, double *values, size_t nr)
{
	int64_t *numbers = xcalloc(comparison->runs_nr, sizeof(*numbers));
	bool good = comparison_values(comparison, side, key, gate->measure, numbers) == nr;

	for (size_t i = 0; good && i < nr; i++) {
		good = gate->kind != GATE_PERCENT || numbers[i] > 0;
		if (good)
			values[i] = gate->kind == GATE_PERCENT ? log((double)numbers[i])
							       : (double)numbers[i];
	}
	free(numbers);
	return good;
}

static double in_unit(const struct gate *gate, double shift)
{
	return gate->kind == GATE_PERCENT ? 100 * expm1(shift) : shift;
}

/* Decide by the interval of the shift. */
static struct gate_result decide_by_runs(const struct gate *gate,
					 const struct comparison *comparison, uint32_t key,
					 size_t base_nr, size_t new_nr)
{
	double *base = xcalloc(base_nr, sizeof(*base)), *new = xcalloc(new_nr, sizeof(*new));
	struct gate_result result = undecided("too few of the runs have a value above 0");
	struct shift shift;

	if (get_values(gate, comparison, SIDE_BASE, key, base, base_nr) &&
	    get_values(gate, comparison, SIDE_NEW, key, new, new_nr) &&
	    permutation_shift(base, base_nr, new, new_nr, &shift)) {
		bool from = gate_trips(gate, in_unit(gate, shift.from));

		if (from == gate_trips(gate, in_unit(gate, shift.to)))
			result.outcome = outcome_of(from);
		else
			result.why = "the runs vary too much: more runs a side are needed";
	}
	free(base);
	free(new);
	return result;
}

static struct gate_result decide(const struct gate *gate, const struct comparison *comparison,
				 uint32_t key)
{
	size_t base = comparison_runs(comparison, SIDE_BASE);
	size_t new = comparison_runs(comparison, SIDE_NEW);
	struct compare_change change = comparison_change(comparison, key, gate->measure);
	struct gate_result result = { .outcome = GATE_PASSED };

	if (change.new == MEASURE_UNKNOWN ||
	    (gate_compares(gate) && change.base == MEASURE_UNKNOWN))
		return undecided("the value is not known");
	if (!gate_compares(gate))
		result.outcome = outcome_of(gate_trips(gate, (double)change.new));
	else if (gate->kind == GATE_PERCENT && !change.relative)
		return undecided("the base is 0");
	else if (base >= VERDICT_RUNS && new >= VERDICT_RUNS)
		result = decide_by_runs(gate, comparison, key, base, new);
	else
		result.outcome = outcome_of(gate_trips(
			gate, gate->kind == GATE_PERCENT ? change.percent : (double)change.delta));
	result.change = change;
	return result;
}

struct gate_result gate_evaluate(const struct gate *gate, const struct comparison *comparison)
{
	const char *texts[] = { gate->name };
	uint32_t key = comparison_find(comparison, texts);

	if (gate->unread)
		return undecided(gate->unread);
	if (key == HASH_INDEX_NONE)
		return undecided("nothing has this name in any of the runs");
	if (comparison_present(comparison, SIDE_NEW, key) < comparison_runs(comparison, SIDE_NEW))
		return undecided("nothing has this name in some of the new runs");
	if (gate_compares(gate) &&
	    comparison_present(comparison, SIDE_BASE, key) < comparison_runs(comparison, SIDE_BASE))
		return undecided("nothing has this name in some runs of the base");
	return decide(gate, comparison, key);
}
