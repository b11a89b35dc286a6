/*
 * Collects what a report shows of a run or a bare trace.
 */
#ifndef CLI_VIEW_REPORT_H
#define CLI_VIEW_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/stack_tags.h"
#include "cli/view_run.h"
#include "report/page.h"
#include "report/processes_view.h"
#include "report/system_view.h"
#include "util/strset.h"

/* The page has at most so many steps of time. */
#define REPORT_STEPS 2000

struct view_report {
	const char *symfs; /* as --symfs; may be NULL */
	double share;      /* stacks below it are merged, in percent */

	/* Set by view_report_open(). */
	struct page page;
	struct view_run run;
	struct stack_tags *tags;
	int64_t step_ns, end_ns;
	uint32_t steps;   /* with step 0: see analysis/ledger_steps.h; 0: not chosen yet */
	bool system_read; /* the facts of the trace are among the rows */
	int64_t cpus;
	struct page_columns columns;
	struct system_rows system;
	struct process_rows processes;
	int64_t *cpu_ns;      /* by process, of the samples; NULL: unknown */
	int64_t *step_cpu_ns; /* the same by step */
	struct page_idle idle[PAGE_IDLE_MOST];
	const void *idle_pointers[PAGE_IDLE_MOST];
	size_t idle_nr;
	struct page_crate *crates;
	size_t crates_nr, crates_alloc;
	struct strset crate_names;
	struct page_fact *facts, *later;
	size_t facts_nr, facts_alloc, later_nr, later_alloc;
	struct strset problems;
	const void **crate_pointers;
};

/* Play the trace, once for each kind of value. Close the report only if this succeeds. */
int view_report_open(const struct strvec *paths, struct view_report *report, struct err *err);
void view_report_close(struct view_report *report);

#endif
