/*
 * The values of a series by run, as a graph: for a terminal, and as SVG.
 */
#ifndef REPORT_TREND_H
#define REPORT_TREND_H

#include <stddef.h>
#include <stdint.h>

#include "compare/levels.h"
#include "report/column.h"
#include "util/strbuf.h"

struct trend {
	const char *title;
	enum column_type type;    /* of the values */
	const int64_t *values;    /* by run, the oldest first; at least one */
	const int64_t *times_ms;  /* of the runs, since 1970 */
	const char *const *names; /* of the runs: texts that the SVG shows at a point; NULL: none */
	size_t nr;
	const struct levels *levels; /* NULL: unknown */
};

#define TREND_LINES 9

/* Append lines of at most `width` columns: a '*' for each value, where several share a column their median. */
void trend_add_text(const struct trend *trend, size_t width, struct strbuf *sb);

#define TREND_SVG_WIDTH  960
#define TREND_SVG_HEIGHT 260

/* Append an svg element at `y` below the top of a file; trend_svg_style is for the file's or the page's style. */
extern const char trend_svg_style[];
void trend_add_svg(const struct trend *trend, double y, struct strbuf *sb);

/* Append a time as "2026-01-31 12:00". */
void trend_add_time(struct strbuf *sb, int64_t time_ms);

#endif
