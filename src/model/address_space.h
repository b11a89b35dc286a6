/*
 * The mappings of one process, updated event by event.
 *
 * `generation` identifies the state: results computed for it can be cached. It is a 64-bit hash of the mappings: address
 * spaces with equal mappings have the same generation, and different ones share it once in 2^64.
 */
#ifndef MODEL_ADDRESS_SPACE_H
#define MODEL_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/ranges.h"

struct mapping {
	uint64_t start, end; /* `end` is exclusive */
	uint64_t offset;     /* of `start` in the module */
	uint32_t module;
};

struct address_space {
	struct ranges ranges; /* mappings */
	uint64_t generation;
};

void address_space_init(struct address_space *space);
void address_space_release(struct address_space *space);

/* Replace the contents by a copy of `from`, as a fork does. */
void address_space_copy(struct address_space *space, const struct address_space *from);

/*
 * Map or unmap a range. Previous mappings in the range are removed; one that is partly in it is trimmed or split. If
 * `end` is below `start`, the range reaches to the top of the address space.
 */
void address_space_map(struct address_space *space, const struct mapping *mapping);
void address_space_unmap(struct address_space *space, uint64_t start, uint64_t end);

/* The mapping of an address, else the next one above it; NULL: none. */
const struct mapping *address_space_seek(const struct address_space *space, uint64_t address);

/* The mapping of an address; NULL: none. */
const struct mapping *address_space_find(const struct address_space *space, uint64_t address);

#endif
