#include "compare/median.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void sort_doubles(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare_doubles);
}

double median_of(double *values, size_t nr)
{
	sort_doubles(values, nr);
	return (values[(nr - 1) / 2] + values[nr / 2]) / 2;
}
