#include "report/compare_page.h"

#include <stdlib.h>
#include <string.h>

#include "report/flamegraph.h"
#include "report/page.h"
#include "util/alloc.h"
#include "util/array.h"

/* Rows of crates; those that changed least are left out. */
#define CRATES_MOST 500

static void get_label(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct compare_page_fact *)row)->label);
}

static void get_base(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct compare_page_fact *)row)->base);
}

static void get_new(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct compare_page_fact *)row)->new);
}

/* Where the runs are different. */
static void get_differs(const void *data, struct cell *cell)
{
	const struct compare_page_fact *fact = data;

	if (fact->base && fact->new &&strcmp(fact->base, fact->new) != 0)
		cell_set_text(cell, "differs");
}

static const struct column fact_columns[] = {
	{ "fact", "", "what the runs were recorded with", COLUMN_TEXT, 0, false, get_label, NULL },
	{ "base", "BASE", "of the base", COLUMN_TEXT, 0, false, get_base, NULL },
	{ "new", "NEW", "of the new run", COLUMN_TEXT, 0, false, get_new, NULL },
	{ "differs", "", "where they differ", COLUMN_TEXT, 0, false, get_differs, NULL },
};

static const struct table fact_table = {
	.columns = fact_columns,
	.columns_nr = ARRAY_SIZE(fact_columns),
};

static void write_facts(const struct compare_page *page, FILE *out)
{
	const void **pointers = xcalloc(page->facts_nr + 1, sizeof(*pointers));
	const struct page_rows rows = { &fact_table, "fact,base,new,differs", pointers,
					page->facts_nr };

	for (size_t i = 0; i < page->facts_nr; i++)
		pointers[i] = &page->facts[i];
	page_write_table(&rows, rows.nr, "Both recordings", out);
	free(pointers);
}

static void add_build_line(struct strbuf *sb, const struct compare_row *build, const char *label,
			   enum measure measure)
{
	const struct compare_change *change = &build->changes[measure];
	struct strbuf said = STRBUF_INIT;

	if (change->base == MEASURE_UNKNOWN && change->new == MEASURE_UNKNOWN)
		return;
	compare_add_values(&said, measure, change);
	strbuf_addf(sb, "<dt>%s</dt><dd>", label);
	page_add_text(sb, said.buf);
	strbuf_adds(sb, "</dd>\n");
	strbuf_release(&said);
}

static void write_build(const struct compare_report *report, FILE *out)
{
	struct compare_row build = compare_build_row(report);
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "<dl>\n");
	add_build_line(&sb, &build, "Peak", MEASURE_OWN_PEAK);
	if (report->split) {
		strbuf_adds(&sb, "<dt>of its change</dt><dd>");
		compare_add_split(&sb, report->split);
		strbuf_adds(&sb, "</dd>\n");
	}
	add_build_line(&sb, &build, "Size", MEASURE_SIZE);
	add_build_line(&sb, &build, "CPU time", MEASURE_CPU);
	add_build_line(&sb, &build, "Wall time", MEASURE_WALL);
	strbuf_adds(&sb, "</dl>\n");
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
}

static void write_crates(const struct compare_report *report, FILE *out)
{
	struct compare_table table;
	const struct page_rows rows = { &table.table,
					"part,crate,own_peak_base,own_peak_new,own_peak_delta,own_"
					"peak_percent,cpu_base,cpu_new,"
					"cpu_delta,cpu_percent,size_percent,wall_percent,state",
					report->rows->pointers, report->rows->nr };

	compare_table_init(&table, report->keys, report->measure);
	page_write_table(&rows, CRATES_MOST, "Crates, those whose own peak changed most first",
			 out);
	compare_table_release(&table);
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
	};

	fprintf(out, "<section id=\"%s\" aria-label=\"%s\">\n<h2>%s</h2>\n<div class=\"wide\">\n",
		id, title, title);
	if (has_values(page->stacks, measure))
		compare_flame_graph(page->stacks, measure, &options, out);
	else
		fputs("<p>Neither trace has any.</p>\n", out);
	fputs("</div>\n</section>\n", out);
}

static void write_top(const char *title, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb,
		    "<body>\n<a class=\"skip\" href=\"#main\">To the content</a>\n<header>\n<h1>");
	page_add_text(&sb, title);
	strbuf_adds(&sb, "</h1>\n<nav aria-label=\"Views\"><a href=\"#overview\">Overview</a> "
			 "<a href=\"#crates\">Crates</a> <a href=\"#memory\">Memory</a> "
			 "<a href=\"#cpu\">CPU</a></nav>\n</header>\n<main id=\"main\">\n");
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
}

void compare_page_write(const struct compare_page *page, FILE *out)
{
	struct strbuf title = STRBUF_INIT, script = STRBUF_INIT, style = STRBUF_INIT;

	strbuf_addf(&title, "%s -> %s", page->report->base, page->report->new);
	flamegraph_add_script(&script);
	flamegraph_add_style(&style);
	page_write_head(title.buf, script.buf, style.buf, out);
	write_top(title.buf, out);
	fputs("<section id=\"overview\" aria-label=\"Overview\">\n<h2>Overview</h2>\n", out);
	write_build(page->report, out);
	write_facts(page, out);
	fputs("</section>\n<section id=\"crates\" aria-label=\"Crates\">\n<h2>Crates</h2>\n", out);
	write_crates(page->report, out);
	fputs("</section>\n", out);
	write_graph(page, "memory", "Memory at own peaks of crates", MEASURE_OWN_PEAK, out);
	write_graph(page, "cpu", "CPU time", MEASURE_CPU, out);
	fputs("</main>\n</body>\n</html>\n", out);
	strbuf_release(&title);
	strbuf_release(&script);
	strbuf_release(&style);
}
