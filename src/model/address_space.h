/*
 * What is mapped where in one process, now: it is kept up to date event by event.
 *
 * `generation` tells states apart, so that what was worked out for one can be kept for as long as it
 * holds. It is a 64-bit hash of the mappings: equal in spaces that are equal, also in one that is again as it
 * was; in two that differ it is the same once in 2^64.
 */
#ifndef MODEL_ADDRESS_SPACE_H
#define MODEL_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/ranges.h"

struct mapping {
	uint64_t start, end; /* end: behind its last byte */
	uint64_t offset;     /* in the module, of `start` */
	uint32_t module;
};

struct address_space {
	struct ranges ranges; /* mappings */
	uint64_t generation;
};

void address_space_init(struct address_space *space);
void address_space_release(struct address_space *space);

/* A fork. */
void address_space_copy(struct address_space *space, const struct address_space *from);

/*
 * What is mapped over is gone, in parts where it must be. A range whose end is before its start wraps around: it
 * is cut at the top.
 */
void address_space_map(struct address_space *space, const struct mapping *mapping);
void address_space_unmap(struct address_space *space, uint64_t start, uint64_t end);

/* The first mapping that ends behind the address; NULL: there is none. */
const struct mapping *address_space_seek(const struct address_space *space, uint64_t address);

/* NULL where nothing is. */
const struct mapping *address_space_find(const struct address_space *space, uint64_t address);

#endif
