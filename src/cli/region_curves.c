#include "cli/region_curves.h"

static void add_region(void *data, const struct region *region)
{
	struct curves *curves = data;

	curves_add(curves, region->key, region->start_ns, region->end_ns, region->bytes);
}

struct region_sink region_curves_sink(struct curves *curves)
{
	return (struct region_sink){ .add = add_region, .data = curves };
}

void region_curves_place(struct curves *curves, const struct results *results,
			 const struct intmap *places)
{
	for (size_t i = 0; i < curves->nr; i++) {
		const struct group *group =
			grouping_part(results->grouping, curves->v[i].process, BY_PROCESS);
		size_t place = process_list_place(places, group->process);

		curves->v[i].process = place == PROCESS_NO_PLACE ? UINT32_MAX : (uint32_t)place;
	}
}
