/*
 * What a picture of a build (report/timeline_svg.h) shows, and its axis of time.
 */
#ifndef REPORT_TIMELINE_PICTURE_H
#define REPORT_TIMELINE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/phase_group.h"
#include "analysis/timeline.h"
#include "model/process.h"

struct timeline_bar {
	const struct process *process;
	int64_t peak_bytes[TIMELINE_MEMORIES]; /* within the range */
	const struct phase_step *steps;        /* its own, by step */
	size_t steps_nr;
};

/* What the picture shows; all is borrowed. */
struct timeline_picture {
	const char *title, *subtitle; /* the subtitle may be NULL */
	int64_t start_ns, end_ns, step_ns;
	int64_t sample_ns; /* the time that a CPU sample stands for; 0: unknown */
	const struct timeline_point *points;
	size_t points_nr;
	const char *const *crates;       /* of each point, who held most of the memory; or NULL */
	const struct timeline_bar *bars; /* sorted by start */
	size_t bars_nr;
	int64_t cpus;                   /* of the machine; 0: unknown */
	bool memory[TIMELINE_MEMORIES]; /* what is known */
	bool cpu, phases;
};

/* The axis of time, in pixels. */
#define TIMELINE_WIDTH 1400 /* of the picture */
#define TIMELINE_LEFT  92   /* names are to the left of it */
#define TIMELINE_RIGHT 22
#define TIMELINE_PLOT  (TIMELINE_WIDTH - TIMELINE_LEFT - TIMELINE_RIGHT)

double timeline_x(const struct timeline_picture *picture, int64_t time_ns);

/* Where the step of a point ends. */
int64_t timeline_point_end(const struct timeline_picture *picture, size_t point);

/* CSS class and name of each group of phases. */
struct timeline_group {
	const char *css, *name;
};

extern const struct timeline_group timeline_groups[PHASE_GROUPS];

#endif
