/*
 * In what a recording that is to be made again would differ from the first one: its checkout, tools, variables, machine.
 */
#ifndef RECORD_DIFFERENCES_H
#define RECORD_DIFFERENCES_H

#include "rundir/manifest.h"

enum difference {
	DIFFERENCE_SOURCES, /* what is built, as the commit decides it */
	DIFFERENCE_BUILD,   /* how it is built */
	DIFFERENCE_MACHINE, /* it may change what is measured */
	DIFFERENCE_LIMIT,   /* less memory may be used: the build may fail, or swap */
};

/* A text for people, "version of cmake: '3.25.1' -> '3.30.0'". */
typedef void difference_fn(void *data, enum difference kind, const char *text);

enum differences_of {
	DIFFERENCES_GIVEN, /* what describe_given() describes */
	DIFFERENCES_MADE, /* what describe_made() does: what only one of both knows may be made by stage 1, and is passed over */
};

/*
 * Pass each difference between the manifest of a run and that of another one, or of what describe.h would write now, to
 * `found`.
 */
void differences_find(const struct manifest *then, const struct manifest *now,
		      enum differences_of what, difference_fn *found, void *data);

#endif
