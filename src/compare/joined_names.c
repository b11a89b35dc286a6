#include "compare/joined_names.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

void joined_names_release(struct joined_names *names)
{
	strset_release(&names->texts);
	free(names->sides);
	free(names->also);
}

static uint32_t number_of(struct joined_names *names, const char *text)
{
	uint32_t number = strset_add(&names->texts, text);

	ARRAY_REACH(names->sides, (size_t)number + 1, names->nr, names->alloc);
	return number;
}

uint32_t joined_names_add(struct joined_names *names, const char *text, enum compare_side side)
{
	uint32_t number = number_of(names, text);

	names->sides[number] |= (unsigned char)(1U << side);
	return number;
}

void joined_names_also(struct joined_names *names, uint32_t name, const char *other)
{
	struct joined_also also = { name, number_of(names, other) };

	if (also.other != name)
		ARRAY_ADD(names->also, names->also_nr, names->also_alloc, also);
}

/* A name of the code of a function that only one side has: it is the first one with this name. */
static void claim(const struct joined_names *names, uint32_t *owners[SIDES], uint32_t function,
		  uint32_t name)
{
	for (int side = 0; side < SIDES; side++) {
		if (names->sides[function] == 1U << side && !owners[side][name])
			owners[side][name] = function + 1;
	}
}

uint32_t *joined_names_match(const struct joined_names *names)
{
	uint32_t *to = xcalloc(names->nr + 1, sizeof(*to)), *owners[SIDES];

	for (int side = 0; side < SIDES; side++)
		owners[side] = xcalloc(names->nr + 1, sizeof(**owners));
	for (uint32_t i = 0; i < names->nr; i++) {
		to[i] = i;
		claim(names, owners, i, i);
	}
	for (size_t i = 0; i < names->also_nr; i++)
		claim(names, owners, names->also[i].name, names->also[i].other);
	for (uint32_t i = 0; i < names->nr; i++) {
		if (owners[SIDE_BASE][i] && owners[SIDE_NEW][i])
			to[owners[SIDE_NEW][i] - 1] = owners[SIDE_BASE][i] - 1;
	}
	for (int side = 0; side < SIDES; side++)
		free(owners[side]);
	return to;
}
