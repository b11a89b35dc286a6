#include "report/bar_rows.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

/* Pixels between a bar and its label, and between a label and the next bar. */
#define GAP 3

/* Rows that labels may take in addition to those of the bars alone. */
#define LABEL_ROWS 24

/* Bars that are shorter have no label beside them: the first of these lengths whose rows are few enough. */
static const double shortest[] = { 3, 6, 12, 24, 48, 96 };

static void place_label(struct bar_place *bar, double least, double end)
{
	bar->inside = bar->label + 2 * GAP <= bar->to - bar->from;
	bar->beside =
		!bar->inside && bar->to - bar->from >= least && bar->to + GAP + bar->label <= end;
}

/* Each bar into the first row that is free. */
static size_t place(struct bar_place *bars, size_t nr, double least, double end)
{
	double *taken = NULL; /* by row: up to where */
	size_t rows = 0, alloc = 0;

	for (size_t i = 0; i < nr; i++) {
		struct bar_place *bar = &bars[i];

		place_label(bar, least, end);
		for (bar->row = 0; bar->row < rows && taken[bar->row] > bar->from;)
			bar->row++;
		if (bar->row == rows)
			ARRAY_ADD(taken, rows, alloc, 0);
		taken[bar->row] = bar->beside ? bar->to + bar->label + 2 * GAP : bar->to;
	}
	free(taken);
	return rows;
}

size_t bar_rows_place(struct bar_place *bars, size_t nr, double end)
{
	double never = 2 * end + 1;
	size_t least = place(bars, nr, never, end);

	for (size_t i = 0; i < ARRAY_SIZE(shortest); i++) {
		size_t rows = place(bars, nr, shortest[i], end);

		if (rows <= least + LABEL_ROWS)
			return rows;
	}
	return place(bars, nr, never, end);
}
