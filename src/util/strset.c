#include "util/strset.h"

#include <string.h>

void strset_release(struct strset *set)
{
	strvec_release(&set->strings);
	intmap_release(&set->numbers);
}

/* FNV-1a. */
static uint64_t hash_string(const char *s)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return hash;
}

uint32_t strset_add(struct strset *set, const char *string)
{
	uint64_t hash = hash_string(string);

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
