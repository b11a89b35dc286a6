#include "analysis/sites.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"

struct site {
	uint32_t key, place;
	size_t first, nr; /* of `totals` */
};

struct sites {
	struct machine *machine;
	struct grouping *grouping;
	struct ledger *ledger;
	bool totals; /* else sites are keys */
	bool lived;
	struct site *v;
	size_t nr, alloc;
	struct intmap of_stack; /* by place and stack: plus one */
	uint32_t *keys;         /* on the stacks of sites, each once */
	size_t keys_nr, keys_alloc;
	size_t *seen; /* by inner key: the last site that has it, plus one */
	size_t seen_nr, seen_alloc;
};

bool sites_have_totals(const struct grouping *grouping)
{
	const struct dimension *inner = grouping_inner(grouping);

	return inner && (dimension_kind(inner) == BY_MODULE ||
			 dimension_kind(inner) == BY_FUNCTION || dimension_kind(inner) == BY_QUERY);
}

struct sites *sites_new(struct machine *machine, struct grouping *grouping, struct ledger *ledger,
			bool lived)
{
	struct sites *sites = xcalloc(1, sizeof(*sites));

	sites->machine = machine;
	sites->grouping = grouping;
	sites->ledger = ledger;
	/* If keys are not counted, totals are not needed. */
	sites->totals = sites_have_totals(grouping) && (!lived || grouping_by_lifetime(grouping));
	sites->lived = lived;
	return sites;
}

void sites_free(struct sites *sites)
{
	if (!sites)
		return;
	free(sites->v);
	free(sites->keys);
	free(sites->seen);
	intmap_release(&sites->of_stack);
	free(sites);
}

static void add_total(struct sites *sites, uint32_t outer, uint32_t inner)
{
	ARRAY_REACH(sites->seen, (size_t)inner + 1, sites->seen_nr, sites->seen_alloc);
	if (sites->seen[inner] == sites->nr + 1)
		return;
	sites->seen[inner] = sites->nr + 1;
	ARRAY_ADD(sites->keys, sites->keys_nr, sites->keys_alloc,
		  grouping_join(sites->grouping, outer, inner));
}

static uint32_t add_site(struct sites *sites, uint32_t place, uint32_t stack)
{
	struct dimension *inner = grouping_inner(sites->grouping);
	struct site site = { .key = grouping_key(sites->grouping, place, stack),
			     .place = place,
			     .first = sites->keys_nr };
	uint32_t outer;

	if (site.key == GROUP_NONE)
		return GROUP_NONE;
	outer = grouping_outer(sites->grouping, place, stack);
	add_total(sites, outer, dimension_stack_key(inner, stack));
	for (uint32_t at = stack; at != STACK_EMPTY; at = sites->machine->stacks.nodes[at].parent) {
		struct frame_keys keys =
			dimension_frame_keys(inner, sites->machine->stacks.nodes[at].frame);

		for (size_t i = 0; i < keys.nr; i++)
			add_total(sites, outer, keys.v[i]);
	}
	site.nr = sites->keys_nr - site.first;
	ARRAY_ADD(sites->v, sites->nr, sites->alloc, site);
	return (uint32_t)sites->nr - 1;
}

uint32_t sites_find(struct sites *sites, uint32_t place, uint32_t stack)
{
	int64_t both = (int64_t)((uint64_t)place << 32 | stack);
	uintptr_t known;
	uint32_t site;

	if (!sites->totals)
		return grouping_key(sites->grouping, place, stack);
	if (place == GROUP_NONE)
		return GROUP_NONE;
	known = (uintptr_t)intmap_get(&sites->of_stack, both);
	if (known)
		return (uint32_t)(known - 1);
	site = add_site(sites, place, stack);
	if (site != GROUP_NONE)
		intmap_put(&sites->of_stack, both, (void *)((uintptr_t)site + 1));
	return site;
}

uint32_t sites_find_beside(struct sites *sites, uint32_t site, uint32_t stack)
{
	return sites_find(sites,
			  sites->totals ? sites->v[site].place
					: grouping_place_of(sites->grouping, site),
			  stack);
}

uint32_t sites_key(const struct sites *sites, uint32_t site)
{
	return sites->totals ? sites->v[site].key : site;
}

/* Of totals that changed, so many cost as much as a range that is visited (page_map_take_steps()). */
#define TOTALS_OF_A_STEP 8

/* The keys on the stack of a site, which are about to change; NULL: there are none. */
static const struct site *visit(struct sites *sites, uint32_t site)
{
	if (!sites->totals)
		return NULL;
	sites->machine->memory_steps += sites->v[site].nr / TOTALS_OF_A_STEP;
	return &sites->v[site];
}

void sites_add(struct sites *sites, uint32_t number, int64_t bytes, int64_t count)
{
	const struct site *site;

	if (sites->lived) {
		ledger_sum_add(sites->ledger, bytes, count);
		return;
	}
	site = visit(sites, number);
	ledger_key_add(sites->ledger, sites_key(sites, number), bytes, count);
	for (size_t i = 0; site && i < site->nr; i++)
		ledger_total_add(sites->ledger, sites->keys[site->first + i], bytes, count);
}

void sites_remove(struct sites *sites, uint32_t number, int64_t bytes, bool inside)
{
	const struct site *site;

	if (sites->lived) {
		ledger_sum_remove(sites->ledger, bytes, inside);
		return;
	}
	site = visit(sites, number);
	ledger_key_remove(sites->ledger, sites_key(sites, number), bytes, inside);
	for (size_t i = 0; site && i < site->nr; i++)
		ledger_total_remove(sites->ledger, sites->keys[site->first + i], bytes, inside);
}

void sites_purge(struct sites *sites, uint32_t site, int64_t bytes)
{
	if (!sites->lived)
		ledger_key_purge(sites->ledger, sites_key(sites, site), bytes);
}

void sites_lived(struct sites *sites, uint32_t number, int64_t bytes,
		 const struct ledger_life *life, enum lifetime lifetime)
{
	const struct site *site = visit(sites, number);

	ledger_key_lived(sites->ledger,
			 grouping_lived_key(sites->grouping, sites_key(sites, number), lifetime),
			 bytes, life);
	for (size_t i = 0; site && i < site->nr; i++)
		ledger_total_lived(
			sites->ledger,
			grouping_lived_key(sites->grouping, sites->keys[site->first + i], lifetime),
			bytes, life);
}
