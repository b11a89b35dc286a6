#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void wrapper_sort(uint64_t *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare);
}
