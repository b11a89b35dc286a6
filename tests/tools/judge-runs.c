/*
 * Judges many comparisons of the same runs, as `stagetrace compare` judges one of them: for
 * tests/bench/compare-acceptance.py.
 *
 * Stdin has the values of all runs, and which of them are compared; KEY -1 is the whole build:
 *
 *     value RUN KEY MEASURE NUMBER
 *     compare|without-times BASE_RUN,... NEW_RUN,...
 *
 * "without-times" is a comparison whose times compare does not judge, by the order of the recordings.
 * A line of the output for each comparison: its verdicts that are not "same", as KEY:MEASURE:VERDICT, where the verdict is
 * that of the table, "cannot" for "cannot tell".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/verdicts.h"
#include "util/alloc.h"
#include "util/array.h"

#define BUILD (-1)

struct value {
	size_t run;
	long key;
	enum measure measure;
	int64_t number;
};

struct values {
	struct value *v;
	size_t nr, alloc;
};

static void fail(const char *line)
{
	fprintf(stderr, "judge-runs: cannot read: %s", line);
	exit(2);
}

static void add_value(struct values *values, const char *line)
{
	struct value value;
	char measure[32];

	if (sscanf(line, "value %zu %ld %31s %" SCNd64, &value.run, &value.key, measure,
		   &value.number) != 4 ||
	    !measure_parse(measure, MEASURES, false, &value.measure))
		fail(line);
	ARRAY_ADD(values->v, values->nr, values->alloc, value);
}

/* Add a run with its values of the build, or of the rows. */
static void add_run(struct comparison *comparison, enum compare_side side,
		    const struct values *values, size_t run)
{
	size_t number = comparison_add_run(comparison, side);

	for (size_t i = 0; i < values->nr; i++) {
		const struct value *value = &values->v[i];
		struct measures measures = measures_unknown;
		char name[24];
		const char *text = name;

		if (value->run != run || (value->key == BUILD) != !comparison->texts_nr)
			continue;
		snprintf(name, sizeof(name), "%ld", value->key);
		measures.v[value->measure] = value->number;
		comparison_add(comparison, number,
			       comparison_key(comparison, comparison->texts_nr ? &text : NULL),
			       &measures);
	}
}

/* The runs of "1,2,3". */
static void add_runs(struct comparison *comparison, enum compare_side side,
		     const struct values *values, const char *text)
{
	char *end;

	for (; *text >= '0' && *text <= '9'; text = *end == ',' ? end + 1 : end)
		add_run(comparison, side, values, strtoul(text, &end, 10));
}

static void print_verdicts(const struct comparison *comparison, const struct verdicts *verdicts)
{
	static const char *const names[] = { NULL, "grew", "shrank", NULL, "cannot" };

	for (uint32_t key = 0; verdicts->v && key < comparison->keys_nr; key++) {
		const char *text = comparison->texts_nr ? comparison->keys[key].texts[0] : "-1";

		for (int measure = 0; measure < MEASURES; measure++) {
			const char *name =
				names[verdicts->v[(size_t)key * MEASURES + measure].verdict];

			if (name)
				printf("%s:%s:%s ", text, measure_names[measure], name);
		}
	}
}

static void judge(const struct values *values, const char *base, const char *new, bool rows,
		  bool no_times)
{
	static const struct compare_effect effect = COMPARE_EFFECT;
	const struct verdict_family family = { .effect = &effect,
					       .level = rows ? VERDICT_LEVEL_ROWS
							     : VERDICT_LEVEL_BUILD,
					       .drift = rows,
					       .no_times = no_times };
	struct verdicts verdicts = VERDICTS_INIT;
	struct comparison comparison;

	comparison_init(&comparison, rows);
	add_runs(&comparison, SIDE_BASE, values, base);
	add_runs(&comparison, SIDE_NEW, values, new);
	verdicts_make(&verdicts, &comparison, &family);
	print_verdicts(&comparison, &verdicts);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

int main(void)
{
	struct values values = { NULL, 0, 0 };
	char line[4096], word[16], base[2048], new[2048];

	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "value ", 6)) {
			add_value(&values, line);
		} else if (sscanf(line, "%15s %2047s %2047s", word, base, new) == 3) {
			bool no_times = !strcmp(word, "without-times");

			if (!no_times && strcmp(word, "compare") != 0)
				fail(line);
			judge(&values, base, new, false, no_times);
			judge(&values, base, new, true, no_times);
			printf("\n");
		} else {
			fail(line);
		}
	}
	free(values.v);
	return 0;
}
