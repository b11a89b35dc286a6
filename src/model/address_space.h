/*
 * What is mapped where in one process, now: it is kept up to date event by event.
 */
#ifndef MODEL_ADDRESS_SPACE_H
#define MODEL_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end; /* end: behind its last byte */
	uint64_t offset;     /* in the module, of `start` */
	uint32_t module;
};

struct address_space {
	struct mapping *v; /* by address, apart */
	size_t nr, alloc;
	uint64_t
		generation; /* changes with every change; never the same in two spaces that differ */
};

void address_space_init(struct address_space *space);
void address_space_release(struct address_space *space);

/* A fork. */
void address_space_copy(struct address_space *space, const struct address_space *from);

/* What is mapped over is gone, in parts where it must be. Ranges that wrap around are cut. */
void address_space_map(struct address_space *space, const struct mapping *mapping);
void address_space_unmap(struct address_space *space, uint64_t start, uint64_t end);
void address_space_clear(struct address_space *space);

/* NULL where nothing is. */
const struct mapping *address_space_find(const struct address_space *space, uint64_t address);

#endif
