/*
 * The names of functions that runs of both sides have: which of them are one function.
 *
 * A function that the linker folded with others bears one of their names, and in another build another one. A name that
 * only the base has, and one that only the new side has, are one function if they, or other names of their code, are equal.
 */
#ifndef COMPARE_JOINED_NAMES_H
#define COMPARE_JOINED_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "compare/comparison.h"
#include "util/strset.h"

#define JOINED_BASE (1U << SIDE_BASE)
#define JOINED_NEW  (1U << SIDE_NEW)

struct joined_also {
	uint32_t name, other;
};

struct joined_names {
	struct strset texts;
	unsigned char *sides; /* by name: JOINED_BASE, JOINED_NEW; 0: it is only another name */
	size_t nr, alloc;
	struct joined_also *also;
	size_t also_nr, also_alloc;
};

void joined_names_release(struct joined_names *names);

/* The number of a name, which a run of the side has. */
uint32_t joined_names_add(struct joined_names *names, const char *text, enum compare_side side);

/* The code of a function has another name too. */
void joined_names_also(struct joined_names *names, uint32_t name, const char *other);

/* By name: the one that it is joined as, of two that of the base. The caller frees the result. */
uint32_t *joined_names_match(const struct joined_names *names);

#endif
