#include "gate/measure.h"

#include <string.h>

const char *const measure_names[] = { "own-peak", "at-peak", "size", "cpu", "wall", NULL };

bool measure_is_bytes(enum measure measure)
{
	return measure < MEASURE_CPU;
}

bool measure_parse(const char *name, enum measure *measure)
{
	for (int i = 0; i < MEASURES; i++) {
		if (!strcmp(measure_names[i], name)) {
			*measure = (enum measure)i;
			return true;
		}
	}
	return false;
}
