#include "util/strset.h"

#include <string.h>

#include "util/key_hash.h"

void strset_release(struct strset *set)
{
	strvec_release(&set->strings);
	hash_index_release(&set->index);
}

static uint32_t find(const struct strset *set, const char *string, uint64_t hash)
{
	uint32_t number;

	HASH_INDEX_FIND(number, &set->index, hash, i, !strcmp(set->strings.v[i], string));
	return number;
}

static uint64_t hash_of(const char *string)
{
	return key_hash_add(key_hash_first(), string, strlen(string));
}

uint32_t strset_find(const struct strset *set, const char *string)
{
	return find(set, string, hash_of(string));
}

uint32_t strset_add(struct strset *set, const char *string)
{
	uint64_t hash = hash_of(string);
	uint32_t number = find(set, string, hash);

	if (number == HASH_INDEX_NONE) {
		number = (uint32_t)set->strings.nr;
		strvec_push(&set->strings, string);
		hash_index_add(&set->index, hash, number);
	}
	return number;
}
