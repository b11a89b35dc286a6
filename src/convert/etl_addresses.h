/*
 * Converts code mappings and stacks to the form of ETL: images with a base address, and lists of absolute addresses. The
 * base of an image is the address at which the first byte of its file would be mapped.
 */
#ifndef CONVERT_ETL_ADDRESSES_H
#define CONVERT_ETL_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include "model/machine.h"

/* Mappings per image: a loader maps a few segments of a file. A file with more was not mapped by a loader. */
#define ETL_SEGMENTS_MAX 16

/*
 * The base of the image that contains `mapping`, so that offsets in the image equal offsets in the file. If mappings of
 * other files are in between, or more than ETL_SEGMENTS_MAX, it is the start of `mapping`.
 */
uint64_t etl_image_base(const struct machine *machine, const struct address_space *space,
			const struct mapping *mapping);

/* Set `segments` to the mappings between the image's base and `mapping`, ascending; returns their number. */
int etl_image_segments(const struct machine *machine, const struct address_space *space,
		       const struct mapping *mapping,
		       const struct mapping *segments[ETL_SEGMENTS_MAX]);

struct etl_addresses {
	struct machine *machine; /* borrowed */
	uint64_t *v;             /* addresses of the last stack, leaf first */
	size_t nr, alloc;
	uint64_t *starts; /* by module: start of the mapping found last */
	size_t starts_nr;
	uint64_t truncated; /* number of truncated stacks */
};

void etl_addresses_release(struct etl_addresses *addresses);

/* Set `v` and `nr` to the addresses of a stack, unwinding a stack copy. `process` may be NULL. */
void etl_addresses_set(struct etl_addresses *addresses, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack);

#endif
