#include "analysis/allocation_site.h"

#include <stdlib.h>

#include "analysis/allocator.h"
#include "util/array.h"

enum { NOT_JUDGED, OUTSIDE, ALLOCATOR };

void allocation_sites_init(struct allocation_sites *sites, const struct machine *machine,
			   struct function_table *functions)
{
	*sites = (struct allocation_sites){ .machine = machine, .functions = functions };
}

void allocation_sites_release(struct allocation_sites *sites)
{
	free(sites->judged);
	sites->judged = NULL;
	sites->judged_nr = sites->judged_alloc = 0;
}

static bool is_allocator(struct allocation_sites *sites, struct frame_function found)
{
	const struct function_table *functions = sites->functions;
	uint8_t *judged;

	ARRAY_REACH(sites->judged, (size_t)found.function + 1, sites->judged_nr,
		    sites->judged_alloc);
	judged = &sites->judged[found.function];
	if (*judged == NOT_JUDGED) {
		uint32_t module = functions->v[found.function].module;

		*judged = allocator_has(&sites->machine->modules.v[module],
					function_table_name(functions, found.name))
				  ? ALLOCATOR
				  : OUTSIDE;
	}
	return *judged == ALLOCATOR;
}

struct allocation_site allocation_sites_find(struct allocation_sites *sites, uint32_t stack)
{
	const struct stack_node *nodes = sites->machine->stacks.nodes;
	size_t allocator = 0;

	for (uint32_t at = stack; at != STACK_EMPTY; at = nodes[at].parent) {
		uint32_t frame = nodes[at].frame;
		size_t nr = function_table_levels(sites->functions, frame, sites->levels);
		size_t inner = 0;

		while (inner < nr && is_allocator(sites, sites->levels[nr - 1 - inner]))
			inner++;
		allocator += inner;
		if (inner < nr)
			return (struct allocation_site){ frame, inner, allocator };
	}
	return (struct allocation_site){ nodes[stack].frame, 0, 0 };
}
