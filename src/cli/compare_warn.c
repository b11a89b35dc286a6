#include "cli/compare_warn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "compare/permutation.h"
#include "compare/shape.h"
#include "compare/verdicts.h"
#include "util/alloc.h"
#include "util/text.h"

/* Other programs that took more of the machine, in percent, slow a build. */
#define FOREIGN_PERCENT 5.0

/* What drifts or jumps by less, in percent, is not worth a warning. */
#define SHAPE_PERCENT 1.0

typedef bool test_fn(const struct compare_reading *reading);

static bool has_lost(const struct compare_reading *reading)
{
	return reading->lost > 0;
}

static bool has_failed(const struct compare_reading *reading)
{
	return reading->failed;
}

static bool compiled_nothing(const struct compare_reading *reading)
{
	return reading->idle;
}

static bool had_company(const struct compare_reading *reading)
{
	return reading->foreign_percent > FOREIGN_PERCENT;
}

/* What such a heap holds is in no memory value of the run: that nothing changed would be no answer. */
static bool hides_a_heap(const struct compare_reading *reading)
{
	const char *heap = reading->facts[FACT_HEAP];

	return heap && !strcmp(heap, COMPARE_HEAP_HIDDEN);
}

/* Say of all runs for which something is true, in one line. */
static void say_of(const char *kind, const struct compare_runs *runs, test_fn *is_true,
		   const char *what)
{
	struct strbuf names = STRBUF_INIT;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < runs->paths[side]->nr; i++) {
			if (is_true(&runs->readings[side][i]))
				strbuf_addf(&names, "%s'%s'", names.len ? ", " : "",
					    runs->paths[side]->v[i]);
		}
	}
	if (names.len)
		message_printf(kind, "%s: %s", what, names.buf);
	strbuf_release(&names);
}

/* Name the first run whose fact differs from that of the first run. */
static void warn_of_fact(const struct compare_runs *runs, enum compare_fact fact, const char *what)
{
	const char *first = NULL, *path = NULL;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < runs->paths[side]->nr; i++) {
			const char *value = runs->readings[side][i].facts[fact];

			if (!value)
				continue;
			if (!first) {
				first = value;
				path = runs->paths[side]->v[i];
			} else if (strcmp(first, value) != 0) {
				if (fact == FACT_CONFIG)
					message_printf(
						"warning: ",
						"the runs have other configurations: "
						"[bootstrap], [stage1], [stage2] or [record] "
						"of '%s' and of '%s'",
						path, runs->paths[side]->v[i]);
				else
					message_printf("warning: ",
						       "the runs have other %s: %s ('%s') and %s "
						       "('%s')",
						       what, first, path, value,
						       runs->paths[side]->v[i]);
				return;
			}
		}
	}
}

/* Whether the run is one that came before it, in this order of sides. */
static bool is_a_copy(const struct compare_runs *runs, int side, size_t index)
{
	const char *cookie = runs->readings[side][index].cookie;

	for (int other = 0; cookie && other <= side; other++) {
		size_t nr = other == side ? index : runs->paths[other]->nr;

		for (size_t i = 0; i < nr; i++) {
			const char *earlier = runs->readings[other][i].cookie;

			if (earlier && !strcmp(earlier, cookie))
				return true;
		}
	}
	return false;
}

/* Copies do not vary: verdicts would look certain. A pattern as "runs/base-*" takes runs and their bundles. */
static void warn_of_copies(const struct compare_runs *runs)
{
	struct strbuf names = STRBUF_INIT;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < runs->paths[side]->nr; i++) {
			if (is_a_copy(runs, side, i))
				strbuf_addf(&names, "%s'%s'", names.len ? ", " : "",
					    runs->paths[side]->v[i]);
		}
	}
	if (names.len)
		message_printf("warning: ",
			       "these are recordings that were given before them, as a run and its "
			       "bundle are one: %s",
			       names.buf);
	strbuf_release(&names);
}

void compare_warn_of_runs(const struct compare_runs *runs)
{
	static const char *const facts[] = {
		[FACT_HOST] = "hosts",
		[FACT_KERNEL] = "kernels",
		[FACT_CPU] = "processors",
		[FACT_CPUS] = "numbers of processors",
		[FACT_PROFILER] = "profilers",
		[FACT_HEAP] = "allocators, whose heaps are",
		[FACT_CONFIG] = "",
	};

	warn_of_copies(runs);
	say_of("warning: ", runs, has_failed, "these recordings failed, or are not whole");
	say_of("warning: ", runs, has_lost, "these runs lost events, what they show is too little");
	say_of("warning: ", runs, compiled_nothing,
	       "these builds compiled no crate, as everything was up to date");
	say_of("warning: ", runs, had_company,
	       "other programs took more than 5% of the machine while these were recorded");
	for (int fact = 0; fact < COMPARE_FACTS; fact++)
		warn_of_fact(runs, (enum compare_fact)fact, facts[fact]);
	say_of("note: ", runs, hides_a_heap,
	       "heaps were mapped in a way that does not count as committed, as jemalloc does, "
	       "which rustup's compilers have: own-peak, at-peak and size are without them "
	       "(docs/compare.md), in these runs");
}

/* The first and the last start of a side. False: not all are known. */
static bool find_starts(const struct compare_runs *runs, enum compare_side side, const char **first,
			const char **last)
{
	*first = *last = NULL;
	for (size_t i = 0; i < runs->paths[side]->nr; i++) {
		const char *start = runs->readings[side][i].start_utc;

		if (!start)
			return false;
		if (!*first || strcmp(start, *first) < 0)
			*first = start;
		if (!*last || strcmp(start, *last) > 0)
			*last = start;
	}
	return *first;
}

/* Whether all runs of a side began before all of the other one. */
static bool is_parted(const struct compare_runs *runs)
{
	const char *base_first, *base_last, *new_first, *new_last;

	return find_starts(runs, SIDE_BASE, &base_first, &base_last) &&
	       find_starts(runs, SIDE_NEW, &new_first, &new_last) &&
	       (strcmp(base_last, new_first) < 0 || strcmp(new_last, base_first) < 0);
}

bool compare_times_are_unfair(const struct compare_runs *runs)
{
	bool company = false;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < runs->paths[side]->nr; i++)
			company = company || had_company(&runs->readings[side][i]);
	}
	return company && is_parted(runs);
}

/* A machine that drifts looks like a change where one side was recorded before the other. */
static void warn_of_order(const struct compare_runs *runs)
{
	if (compare_times_are_unfair(runs))
		message_print("warning: ",
			      "one side was recorded before the other, next to other programs: "
			      "whether times changed, or the machine, nobody can tell; record base "
			      "and new in turns");
	else if (is_parted(runs))
		message_print("warning: ",
			      "one side was recorded before the other: where the machine became "
			      "slower or faster meanwhile, times may look changed; record base and "
			      "new in turns");
}

void compare_warn_of_verdicts(const struct compare_runs *runs, double level)
{
	size_t base = runs->paths[SIDE_BASE]->nr, new = runs->paths[SIDE_NEW]->nr;
	double least = permutation_least(base, new);

	if (base < VERDICT_RUNS || new < VERDICT_RUNS) {
		message_print("note: ", "no verdicts: they need three runs or more a side; five "
					"find most changes");
		return;
	}
	if (least > level) {
		struct strbuf percent = STRBUF_INIT;

		text_add_percent(&percent, 100 * least);
		message_printf(
			"note: ",
			"with %zu and %zu runs chance alone does as much in %s%% of all "
			"comparisons: only values that never vary have verdicts; five runs a "
			"side find most changes",
			base, new, percent.buf);
		strbuf_release(&percent);
	}
	warn_of_order(runs);
}

/* The values of a measure of the build, with the moments of their runs. Returns their number. */
static size_t shape_values(const struct compare_runs *runs, const struct comparison *build,
			   enum measure measure, struct shape_value *values)
{
	size_t at[SIDES] = { 0, 0 }, nr = 0;

	for (size_t run = 0; run < build->runs_nr; run++) {
		enum compare_side side = build->runs[run].side;
		const char *start = runs->readings[side][at[side]++].start_utc;
		int64_t value = comparison_value(build, run, 0, measure), ns;

		if (value != MEASURE_UNKNOWN && value > 0 && start && text_parse_utc(start, &ns))
			values[nr++] = (struct shape_value){ (int)side, ns, (double)value };
	}
	return nr;
}

static void warn_of_shape(enum measure measure, const struct shape_value *values, size_t nr)
{
	struct shape_levels levels;
	double percent;

	if (shape_drifts(values, nr, &percent) && fabs(percent) >= SHAPE_PERCENT)
		message_printf(
			"warning: ",
			"%s of the whole build drifts: in the order of time it %s by %.1f%% from "
			"the first run to the last, within both sides",
			measure_names[measure], percent > 0 ? "grew" : "shrank", fabs(percent));
	if (shape_has_levels(values, nr, &levels) && levels.percent >= SHAPE_PERCENT)
		message_printf(
			"warning: ",
			"%s of the whole build has two levels, %.1f%% apart: %zu runs at the lower "
			"one, %zu at the upper one; more runs help less than finding the reason",
			measure_names[measure], levels.percent, levels.lower, levels.upper);
}

void compare_warn_of_shapes(const struct compare_runs *runs, const struct comparison *build)
{
	struct shape_value *values = xcalloc(build->runs_nr + 1, sizeof(*values));

	for (int measure = 0; measure < MEASURES && build->keys_nr; measure++)
		if (measure != MEASURE_AT_PEAK) /* of the build it is the own peak */
			warn_of_shape((enum measure)measure, values,
				      shape_values(runs, build, (enum measure)measure, values));
	free(values);
}
