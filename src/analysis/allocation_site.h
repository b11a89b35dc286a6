/*
 * What an allocation is put down to: the innermost function on its stack outside of the allocator (allocator.h).
 */
#ifndef ANALYSIS_ALLOCATION_SITE_H
#define ANALYSIS_ALLOCATION_SITE_H

#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/machine.h"

/* One of the functions of a frame. */
struct allocation_site {
	uint32_t frame;
	size_t inner;     /* so many are inlined into it */
	size_t allocator; /* so many functions of the stack are left out before it */
};

/* Finds them; functions are judged once. */
struct allocation_sites {
	const struct machine *machine;
	struct function_table *functions;
	uint8_t *judged; /* by function: 0 not yet, 1 it is not the allocator's, 2 it is */
	size_t judged_nr, judged_alloc;
	struct frame_function levels[FUNCTION_LEVELS]; /* of the frame at hand */
};

/* Both are borrowed. */
void allocation_sites_init(struct allocation_sites *sites, const struct machine *machine,
			   struct function_table *functions);
void allocation_sites_release(struct allocation_sites *sites);

/* That of a stack of the machine, which is not STACK_EMPTY; its leaf, with none left out, where all are the allocator's. */
struct allocation_site allocation_sites_find(struct allocation_sites *sites, uint32_t stack);

#endif
