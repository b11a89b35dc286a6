#include "report/compare_page.h"

#include <stdlib.h>
#include <string.h>

#include "report/flamegraph.h"
#include "report/page.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strset.h"
#include "util/text.h"

/* Rows of crates that are seen at once; of all, those that changed least are left out. */
#define CRATES_SEEN 25
#define CRATES_MOST 500

/* Crates whose phases are shown, and phases of each. */
#define PHASED_MOST 20
#define PHASES_MOST 12

const enum measure compare_page_measures[PAGE_MEASURES] = {
	[PAGE_MEMORY] = MEASURE_OWN_PEAK,
	[PAGE_CPU] = MEASURE_CPU,
};

static void get_label(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct compare_page_fact *)row)->label);
}

static void get_base(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct compare_page_fact *)row)->text[SIDE_BASE]);
}

static void get_new(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct compare_page_fact *)row)->text[SIDE_NEW]);
}

static void get_differs(const void *data, struct cell *cell)
{
	cell_set_text(cell, ((const struct compare_page_fact *)data)->differs ? "differs" : "same");
}

static const struct column fact_columns[] = {
	{ "fact", "", "what the runs were recorded with", COLUMN_TEXT, 0, false, get_label, NULL },
	{ "base", "BASE", "of the base", COLUMN_TEXT, 0, false, get_base, NULL },
	{ "new", "NEW", "of the new side", COLUMN_TEXT, 0, false, get_new, NULL },
	{ "differs", "", "whether they differ", COLUMN_TEXT, 0, false, get_differs, NULL },
};

static const struct table fact_table = {
	.columns = fact_columns,
	.columns_nr = ARRAY_SIZE(fact_columns),
};

/* All that is known, or only where the sides differ. */
static void write_facts(const struct compare_page *page, bool differing, const char *caption,
			FILE *out)
{
	const void **pointers = xcalloc(page->facts_nr + 1, sizeof(*pointers));
	struct page_rows rows = { &fact_table,
				  differing ? "fact,base,new" : "fact,base,new,differs", pointers,
				  0 };

	for (size_t i = 0; i < page->facts_nr; i++) {
		const struct compare_page_fact *fact = &page->facts[i];

		if (differing ? fact->differs : fact->text[SIDE_BASE] || fact->text[SIDE_NEW])
			pointers[rows.nr++] = fact;
	}
	if (rows.nr)
		page_write_table(&rows, rows.nr, caption, out);
	free(pointers);
}

/* A measure of the whole build. */
struct build_line {
	const char *label;
	enum measure measure;
	const struct compare_row *build;
};

static const struct compare_change *change_of(const void *data)
{
	const struct build_line *line = data;

	return &line->build->changes[line->measure];
}

static void get_line(const void *data, struct cell *cell)
{
	cell_set_text(cell, ((const struct build_line *)data)->label);
}

static void set_value(const struct build_line *line, int64_t value, struct cell *cell)
{
	if (value == MEASURE_UNKNOWN)
		return;
	table_add_number(&cell->scratch,
			 measure_is_bytes(line->measure) ? COLUMN_BYTES : COLUMN_DURATION, value);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_line_base(const void *line, struct cell *cell)
{
	set_value(line, change_of(line)->base, cell);
}

static void get_line_new(const void *line, struct cell *cell)
{
	set_value(line, change_of(line)->new, cell);
}

static void get_line_change(const void *data, struct cell *cell)
{
	const struct build_line *line = data;

	if (change_of(line)->delta == MEASURE_UNKNOWN)
		return;
	compare_add_change(&cell->scratch, line->measure, change_of(line)->delta);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_line_percent(const void *line, struct cell *cell)
{
	if (!change_of(line)->relative)
		return;
	compare_add_percent(&cell->scratch, change_of(line)->percent);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_line_verdict(const void *data, struct cell *cell)
{
	const struct build_line *line = data;

	if (line->build->verdicts)
		compare_add_verdict(&cell->scratch, &line->build->verdicts[line->measure]);
	cell_set_text(cell, cell->scratch.len ? cell->scratch.buf : NULL);
}

static const struct column line_columns[] = {
	{ "measure", "", "of the whole build", COLUMN_TEXT, 0, false, get_line, NULL },
	{ "base", "BASE", "of several runs the median", COLUMN_INT, 0, false, get_line_base, NULL },
	{ "new", "NEW", "the same of the new side", COLUMN_INT, 0, false, get_line_new, NULL },
	{ "change", "CHANGE", "new minus base", COLUMN_INT, 0, false, get_line_change, NULL },
	{ "percent", "%", "the same in percent of the base", COLUMN_INT, 0, false, get_line_percent,
	  NULL },
	{ "verdict", "VERDICT", "whether the change is real", COLUMN_TEXT, SHOW_IF_KNOWN, false,
	  get_line_verdict, NULL },
};

static const struct table line_table = {
	.columns = line_columns,
	.columns_nr = ARRAY_SIZE(line_columns),
};

static void write_build(const struct compare_report *report, FILE *out)
{
	const struct compare_row build = compare_build_row(report);
	const struct build_line lines[] = {
		{ "Peak of memory", MEASURE_OWN_PEAK, &build },
		{ "Memory committed", MEASURE_SIZE, &build },
		{ "CPU time", MEASURE_CPU, &build },
		{ "Wall time", MEASURE_WALL, &build },
	};
	const void *pointers[ARRAY_SIZE(lines)];
	const struct page_rows rows = { &line_table, "measure,base,new,change,percent,verdict",
					pointers, ARRAY_SIZE(lines) };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		pointers[i] = &lines[i];
	page_write_table(&rows, rows.nr, "The whole build", out);
}

static void write_part(const char *name, int64_t change, const char *what, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	compare_add_change(&sb, MEASURE_OWN_PEAK, change);
	fprintf(out, "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td><td>%s</td></tr>\n", name,
		sb.buf, what);
	strbuf_release(&sb);
}

static void write_split_runs(const struct compare_split *split, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "<p class=\"hint\">From <code>");
	page_add_text(&sb, split->runs[SIDE_BASE]);
	strbuf_adds(&sb, "</code> to <code>");
	page_add_text(&sb, split->runs[SIDE_NEW]);
	strbuf_adds(&sb, "</code>, whose peaks are in the middle of their sides.</p>\n");
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
}

static void write_split(const struct compare_page *page, FILE *out)
{
	const struct compare_split *split = page->report->split;

	if (!split) {
		fputs("<p class=\"hint\">How much of the change of the peak is growth of "
		      "processes, and how much is that others ran together, is not known: "
		      "a trace has no memory events, or too many.</p>\n",
		      out);
		return;
	}
	fputs("<div class=\"wide\"><table><caption>Why the peak changed</caption><tbody>\n", out);
	write_part("growth", split->bytes.growth,
		   "what processes hold: their new memory, run at the times of the base", out);
	write_part("overlap", split->bytes.overlap,
		   "who runs together: their memory of the base, run at the new times", out);
	write_part("rest", split->bytes.rest,
		   "what only both together explain: growth of processes that are at the peak only "
		   "at the new times",
		   out);
	fputs("</tbody></table></div>\n", out);
	if (split->runs[SIDE_BASE])
		write_split_runs(split, out);
}

static void write_list(const struct strvec *texts, const char *class, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	if (!texts->nr)
		return;
	strbuf_addf(&sb, "<ul class=\"%s\">\n", class);
	for (size_t i = 0; i < texts->nr; i++) {
		strbuf_adds(&sb, "<li>");
		page_add_text(&sb, texts->v[i]);
		strbuf_adds(&sb, "</li>\n");
	}
	strbuf_adds(&sb, "</ul>\n");
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
}

static bool has_verdicts(const struct compare_rows *rows)
{
	return rows->nr && rows->v[0].verdicts;
}

static void write_verdicts(const struct compare_page *page, FILE *out)
{
	if (page->report->build_verdicts->v || has_verdicts(page->crates[PAGE_MEMORY]))
		fputs("<p class=\"hint\">Verdicts: <b>grew</b> and <b>shrank</b> are real changes, "
		      "<b>same</b> is a change too small to matter, and <b>cannot tell</b> is one "
		      "that may be noise, with the runs a side, if known, that would decide.</p>\n",
		      out);
	else
		fprintf(out,
			"<p class=\"hint\">There are no verdicts: whether a change is real or "
			"noise is "
			"known of %s.</p>\n",
			page->pair ? "three runs a side or more, or with a history of earlier runs"
				   : "three runs a side or more");
}

static void write_overview(const struct compare_page *page, FILE *out)
{
	fputs("<section id=\"overview\" aria-label=\"Overview\">\n<h2>Overview</h2>\n", out);
	write_list(page->warnings, "problems", out);
	write_facts(page, true, "Where the recordings differ", out);
	write_build(page->report, out);
	write_split(page, out);
	write_verdicts(page, out);
	write_list(page->notes, "hint", out);
	fputs("</section>\n", out);
}

/* "1% and 1.00 MB": what a change has to reach. */
static void add_effect(struct strbuf *sb, const struct compare_effect *effect, enum measure measure)
{
	text_add_percent(sb, effect->percent);
	strbuf_adds(sb, "% and ");
	if (measure_is_bytes(measure))
		text_add_bytes(sb, effect->bytes);
	else
		text_add_duration(sb, effect->ns);
}

/* The rows that changed, or those that did not, in their order; to be freed. */
static const void **select_rows(const struct compare_page *page, const struct compare_rows *rows,
				enum measure measure, bool changed, size_t *nr)
{
	const void **selected = xcalloc(rows->nr + 1, sizeof(*selected));

	*nr = 0;
	for (size_t i = 0; i < rows->nr; i++) {
		if (compare_row_changed(rows->pointers[i], measure, page->effect) == changed)
			selected[(*nr)++] = rows->pointers[i];
	}
	return selected;
}

/* Rows that can be opened. */
static void write_closed(const struct page_rows *rows, const char *summary, FILE *out)
{
	if (!rows->nr)
		return;
	fprintf(out, "<details><summary>%zu that %s</summary>\n", rows->nr, summary);
	page_write_table(rows, CRATES_MOST, rows->nr > CRATES_MOST ? "The first 500" : "", out);
	fputs("</details>\n", out);
}

/* Whether any row has a value of the measure on both sides. */
static bool is_known(const struct compare_rows *rows, enum measure measure)
{
	for (size_t i = 0; i < rows->nr; i++) {
		if (rows->v[i].changes[measure].delta != MEASURE_UNKNOWN)
			return true;
	}
	return false;
}

static void write_crates(const struct compare_page *page, enum compare_page_measure which,
			 FILE *out)
{
	enum measure measure = compare_page_measures[which];
	const struct compare_rows *rows = page->crates[which];
	struct strbuf least = STRBUF_INIT, less = STRBUF_INIT;
	struct page_rows changed, more, others;
	struct compare_table table;

	compare_table_init(&table, page->report->keys, measure);
	compare_table_fit(&table, rows);
	changed = more = others = (struct page_rows){ &table.table, table.text, NULL, 0 };
	changed.pointers = select_rows(page, rows, measure, true, &changed.nr);
	others.pointers = select_rows(page, rows, measure, false, &others.nr);
	add_effect(&least, page->effect, measure);
	strbuf_addf(&less, "changed by less than %s, or by nothing", least.buf);
	if (!is_known(rows, measure))
		fputs("<p>It is not known of both sides.</p>\n", out);
	else if (changed.nr)
		page_write_table(&changed, CRATES_SEEN, "Crates that changed most", out);
	else
		fprintf(out, "<p>No crate changed by %s or more.</p>\n", least.buf);
	if (changed.nr > CRATES_SEEN) {
		more.pointers = changed.pointers + CRATES_SEEN;
		more.nr = changed.nr - CRATES_SEEN;
	}
	write_closed(&more, "changed too", out);
	write_closed(&others, is_known(rows, measure) ? less.buf : "are not compared", out);
	free(changed.pointers);
	free(others.pointers);
	strbuf_release(&least);
	strbuf_release(&less);
	compare_table_release(&table);
}

static void write_memory(const struct compare_page *page, FILE *out)
{
	fputs("<section id=\"memory\" aria-label=\"Memory\">\n<h2>Memory</h2>\n"
	      "<p class=\"hint\">By own peak: the most that the processes of a crate held at a "
	      "time, whatever else ran. Own peaks are of different moments: they do not add "
	      "up.</p>\n",
	      out);
	write_crates(page, PAGE_MEMORY, out);
	fputs("</section>\n", out);
}

static void write_cpu(const struct compare_page *page, FILE *out)
{
	fputs("<section id=\"cpu\" aria-label=\"CPU time\">\n<h2>CPU time</h2>\n", out);
	write_crates(page, PAGE_CPU, out);
	fputs("</section>\n", out);
}

static const char *crate_of(const struct compare_row *row)
{
	for (size_t i = 0; i < row->keys->nr; i++) {
		if (row->keys->by[i] == BY_CRATE)
			return row->comparison->keys[row->key].texts[row->keys->place[i]];
	}
	return NULL;
}

static const char *part_of(const struct compare_row *row)
{
	for (size_t i = 0; i < row->keys->nr; i++) {
		if (row->keys->by[i] == BY_PART)
			return row->comparison->keys[row->key].texts[row->keys->place[i]];
	}
	return NULL;
}

/* The crates that changed in any measure; those that changed most in each come first. */
static void find_changed(const struct compare_page *page, struct strset *crates)
{
	size_t nr[PAGE_MEASURES];
	const void **rows[PAGE_MEASURES];

	for (int k = 0; k < PAGE_MEASURES; k++)
		rows[k] =
			select_rows(page, page->crates[k], compare_page_measures[k], true, &nr[k]);
	for (size_t i = 0; i < nr[PAGE_MEMORY] || i < nr[PAGE_CPU]; i++) {
		for (int k = 0; k < PAGE_MEASURES; k++) {
			const char *crate = i < nr[k] ? crate_of(rows[k][i]) : NULL;

			if (crate)
				strset_add(crates, crate);
		}
	}
	for (int k = 0; k < PAGE_MEASURES; k++)
		free(rows[k]);
}

/* How a crate changed, a line for each of its parts. */
static void write_crate_lines(const struct compare_page *page, const char *crate, FILE *out)
{
	const struct compare_rows *rows = page->crates[PAGE_MEMORY];
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < rows->nr; i++) {
		const struct compare_row *row = rows->pointers[i];
		const char *part = part_of(row);

		if (!crate_of(row) || strcmp(crate_of(row), crate) != 0)
			continue;
		strbuf_adds(&sb, "<p>");
		page_add_text(&sb, part ? part : "-");
		strbuf_adds(&sb, ": own peak ");
		compare_add_values(&sb, MEASURE_OWN_PEAK, &row->changes[MEASURE_OWN_PEAK]);
		strbuf_adds(&sb, "; CPU time ");
		compare_add_values(&sb, MEASURE_CPU, &row->changes[MEASURE_CPU]);
		strbuf_adds(&sb, "</p>\n");
	}
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
}

/* The phases of a crate that changed in a measure. Returns whether there are any. */
static bool write_phases_by(const struct compare_page *page, const char *crate,
			    enum compare_page_measure which, FILE *out)
{
	static const char *const captions[PAGE_MEASURES] = { "Own peak by phase",
							     "CPU time by phase" };
	enum measure measure = compare_page_measures[which];
	struct compare_table table;
	struct page_rows rows;
	size_t all, nr = 0;

	compare_table_init(&table, page->phase_keys, measure);
	compare_table_fit(&table, page->phases[which]);
	/* The crate is the heading. */
	rows = (struct page_rows){ &table.table, strchr(table.text, ',') + 1, NULL, 0 };
	rows.pointers = select_rows(page, page->phases[which], measure, true, &all);
	for (size_t i = 0; i < all; i++) {
		const char *of = crate_of(rows.pointers[i]);

		if (of && !strcmp(of, crate))
			rows.pointers[nr++] = rows.pointers[i];
	}
	rows.nr = nr;
	if (nr)
		page_write_table(&rows, PHASES_MOST, captions[which], out);
	free(rows.pointers);
	compare_table_release(&table);
	return nr > 0;
}

static void write_phases_of(const struct compare_page *page, const char *crate, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;
	bool any = false;

	strbuf_adds(&sb, "<h3>");
	page_add_text(&sb, crate);
	strbuf_adds(&sb, "</h3>\n");
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
	write_crate_lines(page, crate, out);
	fputs("<div class=\"tables\">\n", out);
	for (int k = 0; k < PAGE_MEASURES; k++)
		any = write_phases_by(page, crate, (enum compare_page_measure)k, out) || any;
	fputs("</div>\n", out);
	if (!any)
		fprintf(out, "<p>%s</p>\n",
			is_known(page->phases[PAGE_MEMORY], MEASURE_OWN_PEAK) ||
					is_known(page->phases[PAGE_CPU], MEASURE_CPU)
				? "None of its phases changed by as much."
				: "Its phases are not known.");
}

static void write_phases(const struct compare_page *page, FILE *out)
{
	struct strset crates = STRSET_INIT;

	find_changed(page, &crates);
	fputs("<section id=\"phases\" aria-label=\"Phases\">\n<h2>Phases of the crates that "
	      "changed</h2>\n",
	      out);
	if (crates.strings.nr)
		fputs("<p class=\"hint\">CPU time of phases is that of samples. The own peak of a "
		      "phase is at its own moment. Phases are those of all parts that the crate is "
		      "in.</p>\n",
		      out);
	else
		fputs("<p>No crate changed.</p>\n", out);
	for (size_t i = 0; i < crates.strings.nr && i < PHASED_MOST; i++)
		write_phases_of(page, crates.strings.v[i], out);
	if (crates.strings.nr > PHASED_MOST)
		fprintf(out,
			"<p>and %zu crates more: <code>stagetrace compare --crate NAME --by "
			"phase</code> shows each.</p>\n",
			crates.strings.nr - PHASED_MOST);
	fputs("</section>\n", out);
	strset_release(&crates);
}

static bool has_values(const struct compare_rows *rows, enum measure measure)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct compare_row *row = rows->pointers[i];

		if (row->changes[measure].base > 0 || row->changes[measure].new > 0)
			return true;
	}
	return false;
}

static void write_graph(const struct compare_page *page, const char *id, const char *title,
			enum measure measure, FILE *out)
{
	const struct flame_options options = {
		.title = title,
		.unit = measure_is_bytes(measure) ? COLUMN_BYTES : COLUMN_DURATION,
		.fragment = true,
		.root_first = true,
	};

	fprintf(out, "<div class=\"wide\" id=\"%s\">\n", id);
	if (has_values(page->stacks, measure))
		compare_flame_graph(page->stacks, measure, &options, out);
	else
		fprintf(out, "<p>%s: neither side has stacks.</p>\n", title);
	fputs("</div>\n", out);
}

static void write_stacks(const struct compare_page *page, FILE *out)
{
	fputs("<section id=\"stacks\" aria-label=\"Stacks\">\n<h2>Stacks</h2>\n", out);
	write_graph(page, "memory-stacks", "Memory at own peaks of crates", MEASURE_OWN_PEAK, out);
	write_graph(page, "cpu-stacks", "CPU time", MEASURE_CPU, out);
	fputs("</section>\n", out);
}

static void write_top(const char *title, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb,
		    "<body>\n<a class=\"skip\" href=\"#main\">To the content</a>\n<header>\n<h1>");
	page_add_text(&sb, title);
	strbuf_adds(&sb, "</h1>\n<nav aria-label=\"Views\"><a href=\"#overview\">Overview</a> "
			 "<a href=\"#memory\">Memory</a> <a href=\"#cpu\">CPU time</a> "
			 "<a href=\"#phases\">Phases</a> <a href=\"#runs\">Recordings</a> "
			 "<a href=\"#stacks\">Stacks</a></nav>\n"
			 "</header>\n<main id=\"main\">\n");
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
}

void compare_page_write(const struct compare_page *page, FILE *out)
{
	struct strbuf title = STRBUF_INIT, script = STRBUF_INIT, style = STRBUF_INIT;

	strbuf_addf(&title, "%s → %s", page->report->base, page->report->new);
	flamegraph_add_script(&script);
	flamegraph_add_style(&style);
	page_write_head(title.buf, script.buf, style.buf, out);
	write_top(title.buf, out);
	write_overview(page, out);
	write_memory(page, out);
	write_cpu(page, out);
	write_phases(page, out);
	fputs("<section id=\"runs\" aria-label=\"Recordings\">\n<h2>Recordings</h2>\n", out);
	write_facts(page, false, "What both sides were recorded with", out);
	fputs("</section>\n", out);
	write_stacks(page, out);
	fputs("</main>\n</body>\n</html>\n", out);
	strbuf_release(&title);
	strbuf_release(&script);
	strbuf_release(&style);
}
