/*
 * What runs are compared by: the measures of a build, a part, a crate, a phase, ...
 *
 * To add a measure: give it a place in the enum and a row in measure.c, set it in cli/compare_run.c, give it columns in
 * report/compare_view.c, and describe it in docs/compare.md.
 */
#ifndef GATE_MEASURE_H
#define GATE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

enum measure {
	MEASURE_OWN_PEAK, /* the most that was held at a time */
	MEASURE_AT_PEAK,  /* what was held at the peak of the whole build */
	MEASURE_SIZE,     /* bytes committed, freed or not */
	MEASURE_CPU,
	MEASURE_WALL, /* the time in which one of its processes existed */
	MEASURES,

	/* Kept in a history too, but not compared; known only where a reader is asked for them. */
	MEASURE_WAIT = MEASURES, /* for a processor, the disk, memory: util/waits.h */
	MEASURE_OWN_PEAK_TIME,   /* when the own peak was reached */
	MEASURE_TOUCHED,         /* the peak of touched memory */
	MEASURE_PEAK_RSS,        /* of one of its processes */
	MEASURE_COUNT,           /* events that committed memory */
	MEASURES_KEPT
};

/* A value that is not known. */
#define MEASURE_UNKNOWN INT64_MIN

/* The values of one key in one run: bytes, nanoseconds. */
struct measures {
	int64_t v[MEASURES_KEPT];
};

extern const struct measures measures_unknown;

/* The names of those that are compared, in the enum's order: "own-peak"; and of all. Both end with NULL. */
extern const char *const measure_names[], *const measure_kept_names[];

/* Whether the unit is a byte; else it is a nanosecond, or of MEASURE_COUNT an event. */
bool measure_is_bytes(enum measure measure);

/* Of the whole build another name of its own peak. */
#define MEASURE_BUILD_PEAK "peak"

/*
 * Find a measure of the first `nr` (MEASURES, MEASURES_KEPT) by its name; of the whole `build` by MEASURE_BUILD_PEAK
 * too. False: there is none of this name.
 */
bool measure_parse(const char *name, int nr, bool build, enum measure *measure);

#endif
