#include "util/strset.h"

#include <string.h>

#include "util/fnv.h"

void strset_release(struct strset *set)
{
	strvec_release(&set->strings);
	intmap_release(&set->numbers);
}

uint32_t strset_add(struct strset *set, const char *string)
{
	uint64_t hash = fnv_add(FNV_FIRST, string, strlen(string));

	for (;; hash++) {
		uintptr_t number = (uintptr_t)intmap_get(&set->numbers, (int64_t)hash);

		if (!number)
			break;
		if (!strcmp(set->strings.v[number - 1], string))
			return (uint32_t)(number - 1);
	}
	strvec_push(&set->strings, string);
	intmap_put(&set->numbers, (int64_t)hash, (void *)(uintptr_t)set->strings.nr);
	return (uint32_t)set->strings.nr - 1;
}
