/*
 * The table of `memory --fit` and `memory --jobs`: what is to be expected of each -j.
 */
#ifndef REPORT_FIT_VIEW_H
#define REPORT_FIT_VIEW_H

#include <stdint.h>

#include "compare/prediction.h"
#include "report/head.h"
#include "report/table.h"

extern const struct table fit_table;

/* A row; the argument of the getters. */
struct fit_row {
	struct prediction prediction;
	int64_t size; /* of --fit; 0: none is given */
};

/* What the head says besides what all views do. */
struct fit_facts {
	const struct prediction_check *check;
	const struct job_graph *graph;
	int64_t jobs;    /* with which it was recorded */
	int64_t cpus;    /* processors that the build was recorded on, 0: unknown, */
	int64_t on_cpus; /* and is predicted for; 0: enough */
	int64_t size;    /* of --fit; 0: none */
	/* The highest -j of the rows below which all fit, and may fit: 0: none. */
	int64_t fits_up_to, perhaps_up_to;
	bool open_end; /* the last row fits, or may: so may more */
};

/* Find fits_up_to, perhaps_up_to and open_end by rows, which are by -j. */
void fit_facts_answer(struct fit_facts *facts, const struct fit_row *rows, size_t nr);

void fit_facts_add_head(const struct fit_facts *facts, struct head *head);

#endif
