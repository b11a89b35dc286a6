/*
 * The report of a trace as one HTML file, which needs nothing else: tables as HTML, and the data and scripts with which a
 * browser draws the rest. Nothing of a trace is anything but text in it, and its Content-Security-Policy allows only the
 * script and the style that were built in.
 *
 * The scripts and the style are the files of src/report/page/, one after the other (builtin_page.h).
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/page_columns.h"
#include "report/table.h"
#include "util/err.h"
#include "util/strvec.h"

/* A fact of the overview. */
struct page_fact {
	const char *label; /* a literal */
	char *text;
};

/* What a crate had over the whole recording. */
struct page_crate {
	const char *name; /* NULL: the processes without one */
	int64_t cpu_ns;
	int64_t peak, peak_ns, at_peak, size; /* of committed memory */
	bool cpu, memory;                     /* what of it is known */
};

extern const struct table page_crates_table;

/* A time in which no process worked, or one alone (model/concurrency.h). */
struct page_idle {
	int64_t start_ns, duration_ns;
	const char *image, *crate; /* of the one; NULL: none worked; it has none */
	double processors;         /* in use, on average; below 0: unknown */
};

#define PAGE_IDLE_MOST 10

extern const struct table page_idle_table;

/* Rows of a table; `pointers` get sorted. Columns with SHOW_IF_KNOWN are left out if no row has a value. */
struct page_rows {
	const struct table *table;
	const char *columns; /* keys, separated by commas */
	const void **pointers;
	size_t nr;
};

/* What is written; all is borrowed. */
struct page {
	const char *title;
	const struct page_fact *facts;
	size_t facts_nr;
	const struct strvec *problems; /* what is wrong with the recording, the worst first */
	struct page_rows processes, system;
	struct page_rows crates;      /* each view has its columns */
	struct page_rows idle;        /* the longest first */
	struct page_columns *columns; /* the data of the scripts */
};

/*
 * Parts of a page. Text of content or of an attribute, with escapes; the head up to </head>, whose policy allows the script
 * and the style of the page, and `script` and `style` where they are not NULL; a table, of the first `most` rows.
 */
void page_add_text(struct strbuf *sb, const char *text);
void page_write_head(const char *title, const char *script, const char *style, FILE *out);
void page_write_table(const struct page_rows *rows, size_t most, const char *caption, FILE *out);

/* A failed write is left in ferror(out). */
int page_write(const struct page *page, FILE *out, struct err *err);

#endif
