#include "report/fit_view.h"

#include "util/array.h"
#include "util/text.h"

static const struct prediction *prediction_of(const void *row)
{
	return &((const struct fit_row *)row)->prediction;
}

static void get_jobs(const void *row, struct cell *cell)
{
	cell_set_number(cell, prediction_of(row)->jobs);
}

static void get_peak_low(const void *row, struct cell *cell)
{
	cell_set_number(cell, prediction_of(row)->peak_low);
}

static void get_peak_high(const void *row, struct cell *cell)
{
	cell_set_number(cell, prediction_of(row)->peak_high);
}

static void get_time_low(const void *row, struct cell *cell)
{
	cell_set_number(cell, prediction_of(row)->time_low_ns);
}

static void get_time_high(const void *row, struct cell *cell)
{
	cell_set_number(cell, prediction_of(row)->time_high_ns);
}

static void get_fits(const void *data, struct cell *cell)
{
	const struct fit_row *row = data;

	if (row->size)
		cell_set_text(cell, fits_names[prediction_fits(&row->prediction, row->size)]);
}

static const struct column columns[] = {
	{ "jobs", "JOBS", "the number of jobs, -j", COLUMN_INT, SHOW_DATA, false, get_jobs, NULL },
	{ "peak_low_bytes", "PEAK FROM", "the lowest peak of the build that is to be expected",
	  COLUMN_BYTES, SHOW_DATA, false, get_peak_low, NULL },
	{ "peak_high_bytes", "PEAK TO", "the highest", COLUMN_BYTES, SHOW_DATA, false,
	  get_peak_high, NULL },
	{ "time_low_ns", "TIME FROM", "the shortest time that is to be expected", COLUMN_DURATION,
	  SHOW_DATA, false, get_time_low, NULL },
	{ "time_high_ns", "TIME TO", "the longest", COLUMN_DURATION, SHOW_DATA, false,
	  get_time_high, NULL },
	{ "fits", "FITS",
	  "with --fit: yes, perhaps (the size is between both peaks), no; else unknown",
	  COLUMN_TEXT, SHOW_DATA | SHOW_IF_KNOWN, false, get_fits, NULL },
};

const struct table fit_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = "jobs,peak_low_bytes,peak_high_bytes,time_low_ns,time_high_ns,fits",
	.identity = "jobs",
};

void fit_facts_answer(struct fit_facts *facts, const struct fit_row *rows, size_t nr)
{
	size_t fit = 0, may_fit = 0;

	while (fit < nr && prediction_fits(&rows[fit].prediction, facts->size) == FITS_YES)
		fit++;
	while (may_fit < nr && prediction_fits(&rows[may_fit].prediction, facts->size) != FITS_NO)
		may_fit++;
	facts->fits_up_to = fit ? rows[fit - 1].prediction.jobs : 0;
	facts->perhaps_up_to = may_fit ? rows[may_fit - 1].prediction.jobs : 0;
	facts->open_end = nr && may_fit == nr;
}

static void add_recorded(const struct fit_facts *facts, struct head *head)
{
	const struct prediction *simulated = &facts->check->simulated;

	head_label(head, "recorded");
	head_words(head, "with -j ");
	head_number(head, "recorded_jobs", COLUMN_INT, facts->jobs);
	if (facts->cpus) {
		head_words(head, " on ");
		head_number(head, "recorded_cpus", COLUMN_INT, facts->cpus);
		head_words(head, facts->cpus == 1 ? " processor" : " processors");
	}
	head_words(head, ": peak ");
	head_number(head, "recorded_peak_bytes", COLUMN_BYTES, facts->check->peak);
	head_words(head, ", time ");
	head_number(head, "recorded_time_ns", COLUMN_DURATION, facts->check->time_ns);
	head_words(head, "\n");
	head_label(head, "");
	head_words(head, "the model has ");
	head_number(head, "model_peak_low_bytes", COLUMN_BYTES, simulated->peak_low);
	head_words(head, " to ");
	head_number(head, "model_peak_high_bytes", COLUMN_BYTES, simulated->peak_high);
	head_words(head, ", ");
	head_number(head, "model_time_low_ns", COLUMN_DURATION, simulated->time_low_ns);
	head_words(head, " to ");
	head_number(head, "model_time_high_ns", COLUMN_DURATION, simulated->time_high_ns);
	head_words(head, " for that\n");
}

static void add_graph(const struct job_graph *graph, struct head *head)
{
	head_label(head, "graph");
	head_number(head, "graph_jobs", COLUMN_INT, (int64_t)graph->nr);
	head_words(head, graph->nr == 1 ? " job of " : " jobs of ");
	head_number(head, "graph_sessions", COLUMN_INT, (int64_t)graph->sessions_nr);
	head_words(head, graph->sessions_nr == 1 ? " call of cargo; " : " calls of cargo; ");
	head_number(head, "graph_waits", COLUMN_INT, (int64_t)graph->waits_nr);
	head_words(head, graph->waits_nr == 1 ? " wait, " : " waits, ");
	head_number(head, "graph_metadata_waits", COLUMN_INT, (int64_t)graph->metadata_nr);
	head_words(head, " for metadata, ");
	head_number(head, "graph_contradicted", COLUMN_INT, (int64_t)graph->contradicted);
	head_words(head, " contradicted\n");
}

static void add_answer(const struct fit_facts *facts, struct head *head)
{
	head_label(head, "fits");
	head_number(head, "fit_bytes", COLUMN_BYTES, facts->size);
	if (facts->fits_up_to) {
		head_words(head, ": up to -j ");
		head_number(head, "fits_up_to_jobs", COLUMN_INT, facts->fits_up_to);
	} else {
		head_words(head, ": no -j for sure");
	}
	if (facts->perhaps_up_to > facts->fits_up_to) {
		head_words(head, ", perhaps up to -j ");
		head_number(head, "perhaps_up_to_jobs", COLUMN_INT, facts->perhaps_up_to);
	}
	head_words(head, facts->open_end ? ", or more\n" : "\n");
}

void fit_facts_add_head(const struct fit_facts *facts, struct head *head)
{
	add_recorded(facts, head);
	add_graph(facts->graph, head);
	head_label(head, "expected");
	if (facts->on_cpus) {
		head_words(head, "on ");
		head_number(head, "cpus", COLUMN_INT, facts->on_cpus);
		head_words(head, facts->on_cpus == 1 ? " processor" : " processors");
	} else {
		head_words(head, "on as many processors as jobs");
	}
	head_words(head, ", of the build alone, under the assumptions of docs/fit.md\n");
	if (facts->size)
		add_answer(facts, head);
}
