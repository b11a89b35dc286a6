/*
 * The report of two sides of runs, as one HTML file: how the build changed and why, which crates changed, in which phases,
 * differential flame graphs.
 * As with page.h nothing of a run is anything but text in it, and its policy allows only the scripts and styles that were
 * built in.
 */
#ifndef REPORT_COMPARE_PAGE_H
#define REPORT_COMPARE_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "report/compare_format.h"
#include "util/strvec.h"

/* What the runs of each side were recorded with. */
struct compare_page_fact {
	const char *label; /* a literal */
	char *text[SIDES]; /* NULL: unknown */
	bool differs;
};

/* What a page has rows of, by each of these measures. */
enum compare_page_measure { PAGE_MEMORY, PAGE_CPU, PAGE_MEASURES };

extern const enum measure compare_page_measures[PAGE_MEASURES];

struct compare_page {
	/* Both names, the whole build and its verdicts, the split of its peak. Of its rows only the keys are needed. */
	const struct compare_report *report;
	const struct compare_keys *phase_keys; /* BY_CRATE and BY_PHASE */
	/* All rows by part and crate, and by crate and phase, those that changed most in each measure first. */
	const struct compare_rows *crates[PAGE_MEASURES], *phases[PAGE_MEASURES];
	const struct compare_rows *stacks;
	const struct compare_effect *effect; /* what is a change */
	bool pair;                           /* one run a side */
	const struct strvec *warnings, *notes;
	const struct compare_page_fact *facts;
	size_t facts_nr;
};

/* A failed write is left in ferror(out). */
void compare_page_write(const struct compare_page *page, FILE *out);

#endif
