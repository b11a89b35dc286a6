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
	MEASURES
};

/* A value that is not known. */
#define MEASURE_UNKNOWN INT64_MIN

/* The values of one key in one run: bytes, nanoseconds. */
struct measures {
	int64_t v[MEASURES];
};

/* Their names, in the enum's order: "own-peak"; ends with NULL. */
extern const char *const measure_names[];

/* Whether the unit is a byte; else it is a nanosecond. */
bool measure_is_bytes(enum measure measure);

/* Find a measure by its name. False: there is none of this name. */
bool measure_parse(const char *name, enum measure *measure);

#endif
