/*
 * Places bars in as few rows as they need side by side: those of a picture over time.
 */
#ifndef REPORT_BAR_ROWS_H
#define REPORT_BAR_ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct bar_place {
	double from, to; /* of the bar, in pixels; those of an array are sorted by `from` */
	double label;    /* the width of its label */
	size_t row;      /* set: its row, from 0 */
	bool inside;     /* set: its label fits in the bar */
	bool beside;     /* set: there is room for its label to the right of it */
};

/*
 * Give each bar a row in which none overlaps another one or a label, and say where the labels have room. Short bars
 * have no label beside them where their labels would take far more rows than the bars. `end` is the right end of the
 * picture. Returns the number of rows.
 */
size_t bar_rows_place(struct bar_place *bars, size_t nr, double end);

#endif
