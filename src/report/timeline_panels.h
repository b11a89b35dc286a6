/*
 * The lower part of the picture of a build (report/timeline_svg.h): processors and memory over time.
 */
#ifndef REPORT_TIMELINE_PANELS_H
#define REPORT_TIMELINE_PANELS_H

#include "report/timeline_picture.h"
#include "util/strbuf.h"

struct timeline_panels {
	const struct timeline_picture *picture;
	struct strbuf *sb;
	double cpu_y, memory_y, end_y; /* end_y: below all panels */
	int main_memory;               /* the kind whose peak is marked; -1: none is known */
	size_t peak;                   /* its point */
	int64_t most;                  /* the highest memory of all kinds */
	double *processors;            /* of each point */
	double most_processors;
};

/* Place the panels from `y` on; release them. What is added is appended to `sb`, which is borrowed, as is the picture. */
void timeline_panels_place(struct timeline_panels *panels, const struct timeline_picture *picture,
			   double y, struct strbuf *sb);

void timeline_panels_release(struct timeline_panels *panels);

/* Add the panels, and the mark of the peak, which begins at `top`. */
void timeline_panels_add(const struct timeline_panels *panels, double top);

#endif
