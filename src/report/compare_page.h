/*
 * The report of two runs side by side, as one HTML file: both overviews, the crates that changed, differential flame
 * graphs.
 * As with page.h nothing of a run is anything but text in it, and its policy allows only the scripts and styles that were
 * built in.
 */
#ifndef REPORT_COMPARE_PAGE_H
#define REPORT_COMPARE_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "report/compare_format.h"

/* What a run of either side was recorded with. */
struct compare_page_fact {
	const char *label;      /* a literal */
	const char *base, *new; /* NULL: unknown */
};

struct compare_page {
	const struct compare_report *report; /* its rows are crates */
	const struct compare_page_fact *facts;
	size_t facts_nr;
	const struct compare_rows *stacks;
};

/* A failed write is left in ferror(out). */
void compare_page_write(const struct compare_page *page, FILE *out);

#endif
