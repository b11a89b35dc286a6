#include "compare/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/wrap.h"

void comparison_init(struct comparison *comparison, size_t texts_nr)
{
	*comparison = (struct comparison){ .texts_nr = texts_nr, .names = STRSET_INIT };
}

void comparison_release(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->keys_nr; i++) {
		for (size_t k = 0; k < comparison->texts_nr; k++)
			free(comparison->keys[i].texts[k]);
	}
	for (size_t i = 0; i < comparison->runs_nr; i++) {
		free(comparison->runs[i].values);
		free(comparison->runs[i].present);
	}
	free(comparison->keys);
	free(comparison->runs);
	strset_release(&comparison->names);
}

size_t comparison_add_run(struct comparison *comparison, enum compare_side side)
{
	ARRAY_ADD(comparison->runs, comparison->runs_nr, comparison->runs_alloc,
		  (struct compare_run){ .side = side });
	return comparison->runs_nr - 1;
}

size_t comparison_runs(const struct comparison *comparison, enum compare_side side)
{
	size_t nr = 0;

	for (size_t i = 0; i < comparison->runs_nr; i++)
		nr += comparison->runs[i].side == side;
	return nr;
}

/* Each text with its length before it, so that different texts never look equal. */
static void add_name(struct strbuf *sb, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (texts[i])
			strbuf_addf(sb, "%zu:%s", strlen(texts[i]), texts[i]);
		else
			strbuf_addc(sb, '-');
	}
}

uint32_t comparison_key(struct comparison *comparison, const char *const *texts)
{
	struct compare_key key = { { NULL }, false, false };
	struct strbuf name = STRBUF_INIT;
	uint32_t number;

	add_name(&name, texts, comparison->texts_nr);
	number = strset_add(&comparison->names, name.buf);
	strbuf_release(&name);
	if (number < comparison->keys_nr)
		return number;
	for (size_t i = 0; i < comparison->texts_nr; i++)
		key.texts[i] = texts[i] ? xstrdup(texts[i]) : NULL;
	ARRAY_ADD(comparison->keys, comparison->keys_nr, comparison->keys_alloc, key);
	return number;
}

uint32_t comparison_find(const struct comparison *comparison, const char *const *texts)
{
	struct strbuf name = STRBUF_INIT;
	uint32_t number;

	add_name(&name, texts, comparison->texts_nr);
	number = strset_find(&comparison->names, name.buf);
	strbuf_release(&name);
	return number;
}

static void reach(struct compare_run *run, size_t need)
{
	size_t had = run->nr;

	if (need <= had)
		return;
	run->nr = need > 2 * had ? need : 2 * had;
	run->values = xreallocarray(run->values, run->nr, sizeof(*run->values));
	run->present = xreallocarray(run->present, run->nr, sizeof(*run->present));
	for (size_t i = had; i < run->nr; i++) {
		run->present[i] = false;
		run->values[i] = measures_unknown;
	}
}

static int64_t join(const struct comparison *comparison, enum measure measure, int64_t had,
		    int64_t value)
{
	if (had == MEASURE_UNKNOWN || value == MEASURE_UNKNOWN)
		return had == MEASURE_UNKNOWN ? value : had;
	if (measure == MEASURE_OWN_PEAK && !comparison->peaks_add)
		return value > had ? value : had;
	return wrap_add(had, value);
}

/* What is not compared: of two processes the higher peaks, and the time of the higher own peak. */
static void join_kept(const struct comparison *comparison, int64_t *had, const int64_t *values)
{
	if (values[MEASURE_OWN_PEAK] > had[MEASURE_OWN_PEAK])
		had[MEASURE_OWN_PEAK_TIME] = values[MEASURE_OWN_PEAK_TIME];
	if (values[MEASURE_PEAK_RSS] > had[MEASURE_PEAK_RSS])
		had[MEASURE_PEAK_RSS] = values[MEASURE_PEAK_RSS];
	if (values[MEASURE_TOUCHED] > had[MEASURE_TOUCHED])
		had[MEASURE_TOUCHED] = values[MEASURE_TOUCHED];
	had[MEASURE_WAIT] = join(comparison, MEASURE_WAIT, had[MEASURE_WAIT], values[MEASURE_WAIT]);
	had[MEASURE_COUNT] =
		join(comparison, MEASURE_COUNT, had[MEASURE_COUNT], values[MEASURE_COUNT]);
}

void comparison_add(struct comparison *comparison, size_t number, uint32_t key,
		    const struct measures *values)
{
	struct compare_run *run = &comparison->runs[number];

	reach(run, (size_t)key + 1);
	run->present[key] = true;
	for (int i = 0; i < MEASURES_KEPT; i++)
		run->known[i] = run->known[i] || values->v[i] != MEASURE_UNKNOWN;
	join_kept(comparison, run->values[key].v, values->v);
	for (int i = 0; i < MEASURES; i++)
		run->values[key].v[i] =
			join(comparison, (enum measure)i, run->values[key].v[i], values->v[i]);
}

void comparison_rename(struct comparison *comparison,
		       void (*rename)(void *data, const char **texts), void *data)
{
	struct comparison renamed;

	comparison_init(&renamed, comparison->texts_nr);
	renamed.peaks_add = comparison->peaks_add;
	for (size_t run = 0; run < comparison->runs_nr; run++)
		comparison_add_run(&renamed, comparison->runs[run].side);
	for (uint32_t key = 0; key < comparison->keys_nr; key++) {
		const char *texts[COMPARE_TEXTS];
		uint32_t new;

		for (size_t i = 0; i < COMPARE_TEXTS; i++)
			texts[i] = comparison->keys[key].texts[i];
		rename(data, texts);
		new = comparison_key(&renamed, texts);
		for (size_t run = 0; run < comparison->runs_nr; run++) {
			if (comparison_has(comparison, run, key))
				comparison_add(&renamed, run, new,
					       &comparison->runs[run].values[key]);
		}
	}
	comparison_release(comparison);
	*comparison = renamed;
}

bool comparison_has(const struct comparison *comparison, size_t number, uint32_t key)
{
	const struct compare_run *run = &comparison->runs[number];

	return key < run->nr && run->present[key];
}

int64_t comparison_value(const struct comparison *comparison, size_t run, uint32_t key,
			 enum measure measure)
{
	return comparison_has(comparison, run, key) ? comparison->runs[run].values[key].v[measure]
						    : MEASURE_UNKNOWN;
}

int64_t comparison_counted(const struct comparison *comparison, size_t run, uint32_t key,
			   enum measure measure)
{
	if (!comparison_has(comparison, run, key) && comparison->runs[run].known[measure])
		return 0;
	return comparison_value(comparison, run, key, measure);
}

size_t comparison_present(const struct comparison *comparison, enum compare_side side, uint32_t key)
{
	size_t nr = 0;

	for (size_t i = 0; i < comparison->runs_nr; i++)
		nr += comparison->runs[i].side == side && comparison_has(comparison, i, key);
	return nr;
}

size_t comparison_values(const struct comparison *comparison, enum compare_side side, uint32_t key,
			 enum measure measure, int64_t *values)
{
	size_t nr = 0;

	for (size_t i = 0; i < comparison->runs_nr; i++) {
		int64_t value = comparison_value(comparison, i, key, measure);

		if (comparison->runs[i].side == side && value != MEASURE_UNKNOWN)
			values[nr++] = value;
	}
	return nr;
}

static int compare_numbers(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int64_t comparison_median(const struct comparison *comparison, enum compare_side side, uint32_t key,
			  enum measure measure)
{
	int64_t *values = xcalloc(comparison->runs_nr, sizeof(*values)), median;
	size_t nr = comparison_values(comparison, side, key, measure, values);
	bool known = nr > 0;

	nr = 0;
	for (size_t i = 0; known && i < comparison->runs_nr; i++) {
		int64_t value = comparison_counted(comparison, i, key, measure);

		if (comparison->runs[i].side == side && value != MEASURE_UNKNOWN)
			values[nr++] = value;
	}
	if (nr)
		qsort(values, nr, sizeof(*values), compare_numbers);
	if (!nr)
		median = MEASURE_UNKNOWN;
	else if (nr % 2)
		median = values[nr / 2];
	else
		median = values[nr / 2 - 1] + wrap_subtract(values[nr / 2], values[nr / 2 - 1]) / 2;
	free(values);
	return median;
}

struct compare_change comparison_change(const struct comparison *comparison, uint32_t key,
					enum measure measure)
{
	struct compare_change change = {
		.base = comparison_median(comparison, SIDE_BASE, key, measure),
		.new = comparison_median(comparison, SIDE_NEW, key, measure),
		.delta = MEASURE_UNKNOWN,
	};
	bool had = change.base != MEASURE_UNKNOWN, has = change.new != MEASURE_UNKNOWN;

	if (had && has)
		change.delta = wrap_subtract(change.new, change.base);
	else if (has && !comparison_present(comparison, SIDE_BASE, key))
		change.delta = change.new;
	else if (had && !comparison_present(comparison, SIDE_NEW, key))
		change.delta = -change.base;
	/* What an estimate leaves may be below 0, which is not less than nothing. */
	change.relative = had && has && change.base > 0 && change.new >= 0;
	if (change.relative)
		change.percent =
			100.0 * ((double)change.new - (double)change.base) / (double)change.base;
	return change;
}

bool compare_effect_reached(const struct compare_effect *effect, enum measure measure,
			    const struct compare_change *change)
{
	int64_t least = measure_is_bytes(measure) ? effect->bytes : effect->ns;

	if (change->delta == MEASURE_UNKNOWN || change->delta == 0)
		return false;
	if (fabs((double)change->delta) < (double)least)
		return false;
	return !change->relative || fabs(change->percent) >= effect->percent;
}
