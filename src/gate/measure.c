#include "gate/measure.h"

#include <string.h>

#define U MEASURE_UNKNOWN

const struct measures measures_unknown = { { U, U, U, U, U, U, U, U, U, U } };

#define COMPARED "own-peak", "at-peak", "size", "cpu", "wall"

const char *const measure_names[] = { COMPARED, NULL };

const char *const measure_kept_names[] = { COMPARED, "wait", "own-peak-time", "touched", "peak-rss",
					   "count",  NULL };

bool measure_is_bytes(enum measure measure)
{
	return measure < MEASURE_CPU || measure == MEASURE_TOUCHED || measure == MEASURE_PEAK_RSS;
}

bool measure_parse(const char *name, int nr, bool build, enum measure *measure)
{
	for (int i = 0; i < nr; i++) {
		if (!strcmp(measure_kept_names[i], name)) {
			*measure = (enum measure)i;
			return true;
		}
	}
	if (build && !strcmp(name, MEASURE_BUILD_PEAK))
		*measure = MEASURE_OWN_PEAK;
	return build && !strcmp(name, MEASURE_BUILD_PEAK);
}
