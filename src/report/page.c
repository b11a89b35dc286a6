#include "report/page.h"

#include <nettle/sha2.h>
#include <string.h>

#include "report/builtin_page.h"
#include "report/svg.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/base64.h"
#include "util/utf8.h"

#define CRATE_NUMBER(name, known, value) \
	static void get_##name(const void *row, struct cell *cell) \
	{ \
		const struct page_crate *crate = row; \
\
		if (known) \
			cell_set_number(cell, value); \
	}

CRATE_NUMBER(cpu, crate->cpu, crate->cpu_ns)
CRATE_NUMBER(peak, crate->memory, crate->peak)
CRATE_NUMBER(peak_time, crate->memory && crate->peak > 0, crate->peak_ns)
CRATE_NUMBER(at_peak, crate->memory, crate->at_peak)
CRATE_NUMBER(size, crate->memory, crate->size)

static void get_crate(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct page_crate *)row)->name);
}

static const struct column crate_columns[] = {
	{ "crate", "CRATE", "the crate or package that processes work on", COLUMN_TEXT, 0, false,
	  get_crate, NULL },
	{ "cpu_ns", "CPU", "CPU time of its processes", COLUMN_DURATION, 0, false, get_cpu, NULL },
	{ "peak_bytes", "PEAK", "the most that its processes held committed at a time",
	  COLUMN_BYTES, 0, false, get_peak, NULL },
	{ "peak_time_ns", "PEAK AT", "when they held that first", COLUMN_TIME, 0, false,
	  get_peak_time, NULL },
	{ "at_peak_bytes", "AT PEAK", "what they held at the peak of the whole build", COLUMN_BYTES,
	  0, false, get_at_peak, NULL },
	{ "size_bytes", "SIZE", "what they committed, freed or not", COLUMN_BYTES, 0, false,
	  get_size, NULL },
};

const struct table page_crates_table = {
	.columns = crate_columns,
	.columns_nr = ARRAY_SIZE(crate_columns),
};

static void get_start(const void *row, struct cell *cell)
{
	cell_set_number(cell, ((const struct page_idle *)row)->start_ns);
}

static void get_duration(const void *row, struct cell *cell)
{
	cell_set_number(cell, ((const struct page_idle *)row)->duration_ns);
}

static void get_worker(const void *row, struct cell *cell)
{
	const char *image = ((const struct page_idle *)row)->image;

	cell_set_text(cell, image ? image : "none");
}

static void get_idle_crate(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct page_idle *)row)->crate);
}

static void get_processors(const void *row, struct cell *cell)
{
	double processors = ((const struct page_idle *)row)->processors;

	if (processors < 0)
		return;
	strbuf_addf(&cell->scratch, "%.1f", processors);
	cell_set_text(cell, cell->scratch.buf);
}

static const struct column idle_columns[] = {
	{ "start_ns", "AT", "when it began", COLUMN_TIME, 0, false, get_start, NULL },
	{ "duration_ns", "FOR", "how long", COLUMN_DURATION, 0, false, get_duration, NULL },
	{ "image", "AT WORK", "the one process at work, if there was one", COLUMN_TEXT, 0, false,
	  get_worker, NULL },
	{ "crate", "CRATE", "what it worked on", COLUMN_TEXT, 0, false, get_idle_crate, NULL },
	{ "processors", "PROCESSORS", "in use on average: it may have several threads", COLUMN_TEXT,
	  0, false, get_processors, NULL },
};

const struct table page_idle_table = {
	.columns = idle_columns,
	.columns_nr = ARRAY_SIZE(idle_columns),
};

/* Text of content or of an attribute: control characters as escapes, special ones of HTML as references. */
void page_add_text(struct strbuf *sb, const char *text)
{
	struct strbuf printable = STRBUF_INIT;

	utf8_add_printable(&printable, text);
	svg_add_text(sb, printable.buf);
	strbuf_release(&printable);
}

static void flush(struct strbuf *sb, FILE *out)
{
	fwrite(sb->buf, 1, sb->len, out);
	strbuf_clear(sb);
}

/* Whether any row has a value in the column. */
static bool is_known(const struct page_rows *rows, const struct column *column)
{
	struct cell cell = CELL_INIT;
	bool known = false;

	for (size_t i = 0; i < rows->nr && !known; i++) {
		cell_get(&cell, column->get, rows->pointers[i]);
		known = cell.known;
	}
	cell_release(&cell);
	return known;
}

/* The columns of a table by their keys; returns their number. */
#define COLUMNS_MAX 16

static size_t find_columns(const struct page_rows *rows, const struct column **columns)
{
	const char *key = rows->columns;
	size_t nr = 0;

	while (*key && nr < COLUMNS_MAX) {
		size_t len = strcspn(key, ",");
		struct strbuf sb = STRBUF_INIT;
		const struct column *column;

		strbuf_add(&sb, key, len);
		column = table_find(rows->table, sb.buf);
		if (column && (!(column->show & SHOW_IF_KNOWN) || is_known(rows, column)))
			columns[nr++] = column;
		strbuf_release(&sb);
		key += len + (key[len] == ',');
	}
	return nr;
}

static bool is_number(const struct column *column)
{
	return column->type == COLUMN_INT || column->type == COLUMN_BYTES ||
	       column->type == COLUMN_DURATION || column->type == COLUMN_TIME ||
	       column->type == COLUMN_PERCENT;
}

/* As the tables of the scripts have them: tables for a terminal have capitals for want of lines. */
static void add_title(struct strbuf *sb, const char *heading)
{
	struct strbuf title = STRBUF_INIT;

	strbuf_adds(&title, heading);
	for (size_t i = 0; i < title.len;) {
		size_t length = strcspn(title.buf + i, " ");
		bool is_name = length == 3 && !memcmp(title.buf + i, "CPU", 3);

		for (size_t k = i; k < i + length && !is_name; k++)
			title.buf[k] = ascii_lower(title.buf[k]);
		i += length + 1;
	}
	page_add_text(sb, title.buf);
	strbuf_release(&title);
}

static void add_heading(struct strbuf *sb, const struct column *column)
{
	strbuf_addf(sb, "<th scope=\"col\"%s title=\"", is_number(column) ? " class=\"n\"" : "");
	page_add_text(sb, column->help);
	strbuf_adds(sb, "\">");
	add_title(sb, column->heading);
	strbuf_adds(sb, "</th>");
}

static void add_strings(struct strbuf *sb, const struct column *column, struct cell *cell)
{
	struct strbuf joined = STRBUF_INIT;

	column_add_joined(&joined, column, cell_strings(cell));
	page_add_text(sb, joined.buf);
	strbuf_release(&joined);
}

static void add_cell(struct strbuf *sb, const struct column *column, const void *row,
		     struct cell *cell)
{
	cell_get(cell, column->get_text ? column->get_text : column->get, row);
	strbuf_adds(sb, is_number(column) ? "<td class=\"n\">" : "<td>");
	if (cell->known && cell->text)
		page_add_text(sb, cell->text);
	else if (cell->known && column_content(column, cell) == CONTENT_STRINGS)
		add_strings(sb, column, cell);
	else if (cell->known)
		table_add_number(sb, column->type, cell->number);
	else
		strbuf_addc(sb, '-');
	strbuf_adds(sb, "</td>");
}

void page_write_table(const struct page_rows *rows, size_t most, const char *caption, FILE *out)
{
	const struct column *columns[COLUMNS_MAX];
	size_t columns_nr = find_columns(rows, columns);
	struct strbuf sb = STRBUF_INIT;
	struct cell cell = CELL_INIT;

	strbuf_addf(&sb, "<div class=\"wide\"><table><caption>%s</caption><thead><tr>", caption);
	for (size_t i = 0; i < columns_nr; i++)
		add_heading(&sb, columns[i]);
	strbuf_adds(&sb, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < rows->nr && i < most; i++) {
		strbuf_adds(&sb, "<tr>");
		for (size_t k = 0; k < columns_nr; k++)
			add_cell(&sb, columns[k], rows->pointers[i], &cell);
		strbuf_adds(&sb, "</tr>\n");
		if (sb.len > 65536)
			flush(&sb, out);
	}
	strbuf_adds(&sb, "</tbody></table></div>\n");
	flush(&sb, out);
	strbuf_release(&sb);
	cell_release(&cell);
}

/* The name of a script or a style in a policy. */
static void add_source(struct strbuf *sb, const char *text, size_t len)
{
	unsigned char digest[SHA256_DIGEST_SIZE];
	char base64[BASE64_LENGTH(SHA256_DIGEST_SIZE) + 1];
	struct sha256_ctx sha256;

	sha256_init(&sha256);
	sha256_update(&sha256, len, (const uint8_t *)text);
	sha256_digest(&sha256, sizeof(digest), digest);
	base64_encode(base64, digest, sizeof(digest));
	base64[sizeof(base64) - 1] = '\0';
	strbuf_addf(sb, "'sha256-%s'", base64);
}

static void add_more_source(struct strbuf *sb, const char *text)
{
	if (!text)
		return;
	strbuf_addc(sb, ' ');
	add_source(sb, text, strlen(text));
}

void page_write_head(const char *title, const char *script, const char *style, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
			 "'none'; base-uri 'none'; form-action 'none'; script-src ");
	add_source(&sb, builtin_page_script, builtin_page_script_length);
	add_more_source(&sb, script);
	strbuf_adds(&sb, "; style-src ");
	add_source(&sb, builtin_page_style, builtin_page_style_length);
	add_more_source(&sb, style);
	strbuf_adds(&sb, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
			 "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
			 "<meta name=\"generator\" content=\"stagetrace " STAGETRACE_VERSION "\">\n"
			 "<title>");
	page_add_text(&sb, title);
	strbuf_adds(&sb, " - stagetrace report</title>\n<style>");
	strbuf_add(&sb, builtin_page_style, builtin_page_style_length);
	strbuf_adds(&sb, "</style>\n</head>\n");
	flush(&sb, out);
	strbuf_release(&sb);
}

static void write_top(const struct page *page, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb,
		    "<body>\n<a class=\"skip\" href=\"#main\">To the content</a>\n<header>\n<h1>");
	page_add_text(&sb, page->title);
	strbuf_adds(&sb,
		    "</h1>\n<nav aria-label=\"Views\"><a href=\"#overview\">Overview</a> "
		    "<a href=\"#timeline\">Timeline</a> <a href=\"#processes\">Processes</a> "
		    "<a href=\"#cpu\">CPU</a> <a href=\"#memory\">Memory</a> "
		    "<a href=\"#system\">System</a></nav>\n<div id=\"range\" hidden></div>\n"
		    "</header>\n<main id=\"main\">\n"
		    "<noscript><p class=\"note\">Without JavaScript the tables are all that this "
		    "page shows.</p></noscript>\n"
		    "<p class=\"note\" id=\"failure\" role=\"alert\" hidden></p>\n");
	flush(&sb, out);
	strbuf_release(&sb);
}

static void write_problems(const struct page *page, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	if (!page->problems->nr)
		return;
	strbuf_adds(&sb, "<h3>What is missing</h3>\n<ul class=\"problems\">\n");
	for (size_t i = 0; i < page->problems->nr; i++) {
		strbuf_adds(&sb, "<li>");
		page_add_text(&sb, page->problems->v[i]);
		strbuf_adds(&sb, "</li>\n");
	}
	strbuf_adds(&sb, "</ul>\n");
	flush(&sb, out);
	strbuf_release(&sb);
}

static void write_facts(const struct page *page, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "<dl>\n");
	for (size_t i = 0; i < page->facts_nr; i++) {
		strbuf_addf(&sb, "<dt>%s</dt><dd>", page->facts[i].label);
		page_add_text(&sb, page->facts[i].text);
		strbuf_adds(&sb, "</dd>\n");
	}
	strbuf_adds(&sb, "</dl>\n");
	flush(&sb, out);
	strbuf_release(&sb);
}

#define BIGGEST 10

static int write_crates(const struct page *page, const char *sort, const char *keys, size_t most,
			const char *caption, FILE *out, struct err *err)
{
	struct page_rows rows = page->crates;

	rows.columns = keys;
	if (!is_known(&rows, table_find(rows.table, sort))) {
		fprintf(out, "<p>%s: nothing is known.</p>\n", caption);
		return 0;
	}
	if (table_sort(rows.table, sort, rows.pointers, rows.nr, err))
		return -1;
	page_write_table(&rows, most, caption, out);
	return 0;
}

static int write_overview(const struct page *page, FILE *out, struct err *err)
{
	fputs("<section id=\"overview\" aria-label=\"Overview\">\n<h2>Overview</h2>\n", out);
	write_problems(page, out);
	fputs("<div class=\"live\"></div>\n", out);
	write_facts(page, out);
	fputs("<div class=\"pair\">\n", out);
	if (write_crates(page, "peak_bytes", "crate,peak_bytes,peak_time_ns,at_peak_bytes", BIGGEST,
			 "Crates with the highest own peaks: they do not add up", out, err) ||
	    write_crates(page, "cpu_ns", "crate,cpu_ns,peak_bytes", BIGGEST,
			 "Crates with the most CPU time", out, err))
		return -1;
	fputs("</div>\n", out);
	if (page->idle.nr)
		page_write_table(&page->idle, page->idle.nr,
				 "Where the machine was idle: the longest times with at most one "
				 "process at work",
				 out);
	fputs("</section>\n", out);
	return 0;
}

/* Scripts put into `live` what replaces the plain part, if they run. */
static void begin_section(const char *id, const char *title, bool live, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb,
		    "<section id=\"%s\" aria-label=\"%s\">\n<h2>%s</h2>\n%s<div class=\"plain\">\n",
		    id, title, title, live ? "<div class=\"live\"></div>\n" : "");
	flush(&sb, out);
	strbuf_release(&sb);
}

static void end_section(FILE *out)
{
	fputs("</div>\n</section>\n", out);
}

static int write_views(const struct page *page, FILE *out, struct err *err)
{
	begin_section("timeline", "Timeline", true, out);
	fputs("<p>It is drawn with JavaScript.</p>\n", out);
	end_section(out);
	begin_section("processes", "Processes", true, out);
	page_write_table(&page->processes, page->processes.nr, "All processes", out);
	end_section(out);
	begin_section("cpu", "CPU", true, out);
	if (write_crates(page, "cpu_ns", "crate,cpu_ns", page->crates.nr, "CPU time by crate", out,
			 err))
		return -1;
	end_section(out);
	begin_section("memory", "Memory", true, out);
	if (write_crates(page, "peak_bytes",
			 "crate,peak_bytes,peak_time_ns,at_peak_bytes,size_bytes", page->crates.nr,
			 "Committed memory by crate", out, err))
		return -1;
	end_section(out);
	begin_section("system", "System", false, out);
	page_write_table(&page->system, page->system.nr, "What was recorded", out);
	end_section(out);
	return 0;
}

int page_write(const struct page *page, FILE *out, struct err *err)
{
	page_write_head(page->title, NULL, NULL, out);
	write_top(page, out);
	if (write_overview(page, out, err) || write_views(page, out, err))
		return -1;
	fputs("</main>\n<script type=\"text/plain\" id=\"data\">", out);
	if (page_columns_write(page->columns, out, err))
		return -1;
	fputs("</script>\n<script>", out);
	fwrite(builtin_page_script, 1, builtin_page_script_length, out);
	fputs("</script>\n</body>\n</html>\n", out);
	return 0;
}
