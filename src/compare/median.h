/* Numbers of several runs in order, and the one in the middle. */
#ifndef COMPARE_MEDIAN_H
#define COMPARE_MEDIAN_H

#include <stddef.h>

/* Sort them, the smallest first. None is NaN. */
void sort_doubles(double *values, size_t nr);

/* The value in the middle; of an even number the mean of two. At least one; they are sorted then. */
double median_of(double *values, size_t nr);

#endif
