#include "cli/report_pair.h"

#include <stdlib.h>

#include "cli/compare_run.h"
#include "cli/compare_warn.h"
#include "compare/unit.h"
#include "report/compare_page.h"
#include "rundir/source.h"
#include "util/alloc.h"
#include "util/text.h"

/* Facts of runs, and lost events and foreign load. */
#define FACTS 8

struct report_pair {
	struct strvec paths[SIDES];
	struct compare_spec crates, stacks, build;
	struct comparison units;
	struct compare_reading readings[SIDES];
	size_t read;
	bool split_known;
	struct peak_split split;
	struct verdicts no_verdicts;
	struct compare_keys crate_keys, stack_keys;
	struct compare_rows crate_rows, stack_rows;
	struct compare_page_fact facts[FACTS];
	char *texts[SIDES][2]; /* of the last two facts */
	struct compare_report report;
};

bool report_is_pair(const struct strvec *paths)
{
	return paths->nr == 2 && run_source_takes(paths->v[0]) && run_source_takes(paths->v[1]);
}

static void init_specs(struct report_pair *pair)
{
	static const struct process_filter all = PROCESS_FILTER_INIT;
	static const enum group_by crates[] = { BY_PART, BY_CRATE }, stacks = BY_STACK;

	compare_spec_init(&pair->crates, crates, 2, &all);
	compare_spec_init(&pair->stacks, &stacks, 1, &all);
	compare_spec_init(&pair->build, NULL, 0, &all);
	comparison_init(&pair->units, UNIT_TEXTS);
	pair->crate_keys = (struct compare_keys){ .by = { BY_PART, BY_CRATE }, .nr = 2 };
	pair->crate_keys.place[1] = compare_text_place(&pair->crates, BY_CRATE);
	pair->stack_keys = (struct compare_keys){ .by = { BY_STACK },
						  .nr = 1,
						  .stacks = &pair->stacks.stacks };
}

static int read_runs(struct report_pair *pair, const struct strvec *paths, struct err *err)
{
	struct compare_spec *specs[] = { &pair->crates, &pair->stacks, &pair->build };
	const struct compare_request request = { .specs = specs,
						 .specs_nr = 3,
						 .units = &pair->units };

	for (int side = 0; side < SIDES; side++) {
		strvec_push(&pair->paths[side], paths->v[side]);
		pair->read++;
		if (compare_run_read(paths->v[side], (enum compare_side)side, &request,
				     &pair->readings[side], err))
			return -1;
	}
	return 0;
}

static void split_peak(struct report_pair *pair)
{
	struct curve_build builds[SIDES];

	for (int side = 0; side < SIDES; side++)
		builds[side] = compare_reading_curves(&pair->readings[side]);
	pair->split_known = builds[SIDE_BASE].curves->nr && builds[SIDE_NEW].curves->nr &&
			    curves_split(&builds[SIDE_BASE], &builds[SIDE_NEW], &pair->split);
}

static char *foreign_text(const struct compare_reading *reading)
{
	struct strbuf sb = STRBUF_INIT;

	if (reading->foreign_percent < 0)
		return NULL;
	text_add_percent(&sb, reading->foreign_percent);
	strbuf_addc(&sb, '%');
	return strbuf_detach(&sb);
}

static void set_facts(struct report_pair *pair)
{
	static const struct {
		enum compare_fact fact;
		const char *label;
	} facts[] = { { FACT_HOST, "Host" },
		      { FACT_KERNEL, "Kernel" },
		      { FACT_CPU, "Processor" },
		      { FACT_CPUS, "Processors" },
		      { FACT_PROFILER, "Profiler" } };
	const struct compare_reading *base = &pair->readings[SIDE_BASE];
	const struct compare_reading *new = &pair->readings[SIDE_NEW];
	size_t nr = 0;

	pair->facts[nr++] =
		(struct compare_page_fact){ "Start (UTC)", base->start_utc, new->start_utc };
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		pair->facts[nr++] =
			(struct compare_page_fact){ facts[i].label, base->facts[facts[i].fact],
						    new->facts[facts[i].fact] };
	for (int side = 0; side < SIDES; side++) {
		pair->texts[side][0] = xasprintf("%lld", (long long)pair->readings[side].lost);
		pair->texts[side][1] = foreign_text(&pair->readings[side]);
	}
	pair->facts[nr++] = (struct compare_page_fact){ "Lost events", pair->texts[SIDE_BASE][0],
							pair->texts[SIDE_NEW][0] };
	pair->facts[nr++] =
		(struct compare_page_fact){ "Other programs' share of the machine",
					    pair->texts[SIDE_BASE][1], pair->texts[SIDE_NEW][1] };
}

static void set_report(struct report_pair *pair)
{
	const struct compare_runs runs = { { &pair->paths[SIDE_BASE], &pair->paths[SIDE_NEW] },
					   { &pair->readings[SIDE_BASE],
					     &pair->readings[SIDE_NEW] } };

	compare_warn_of_runs(&runs);
	compare_join(&pair->stacks, MEASURE_OWN_PEAK);
	split_peak(pair);
	compare_rows_init(&pair->crate_rows, &pair->crates.comparison, &pair->no_verdicts,
			  &pair->crate_keys, MEASURE_OWN_PEAK);
	compare_rows_init(&pair->stack_rows, &pair->stacks.comparison, &pair->no_verdicts,
			  &pair->stack_keys, MEASURE_OWN_PEAK);
	set_facts(pair);
	pair->report = (struct compare_report){
		.base = text_file_name(pair->paths[SIDE_BASE].v[0]),
		.new = text_file_name(pair->paths[SIDE_NEW].v[0]),
		.keys = &pair->crate_keys,
		.measure = MEASURE_OWN_PEAK,
		.rows = &pair->crate_rows,
		.build = &pair->build.comparison,
		.build_verdicts = &pair->no_verdicts,
		.split = pair->split_known ? &pair->split : NULL,
	};
}

int report_pair_open(const struct strvec *paths, struct report_pair **pair, struct err *err)
{
	*pair = xcalloc(1, sizeof(**pair));
	init_specs(*pair);
	if (read_runs(*pair, paths, err))
		return -1;
	set_report(*pair);
	return 0;
}

void report_pair_write(const struct report_pair *pair, FILE *out)
{
	const struct compare_page page = { &pair->report, pair->facts, FACTS, &pair->stack_rows };

	compare_page_write(&page, out);
}

void report_pair_free(struct report_pair *pair)
{
	if (!pair)
		return;
	for (int side = 0; side < SIDES; side++) {
		strvec_release(&pair->paths[side]);
		free(pair->texts[side][0]);
		free(pair->texts[side][1]);
	}
	for (size_t i = 0; i < pair->read; i++)
		compare_reading_release(&pair->readings[i]);
	compare_rows_release(&pair->crate_rows);
	compare_rows_release(&pair->stack_rows);
	compare_spec_release(&pair->crates);
	compare_spec_release(&pair->stacks);
	compare_spec_release(&pair->build);
	comparison_release(&pair->units);
	free(pair);
}
