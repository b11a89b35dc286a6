#include "analysis/cpu_joined.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/radix_sort.h"
#include "util/wrap.h"

struct joiner {
	struct machine *machine;
	struct grouping *grouping;
	const struct stack_tally *tallies;
	size_t nr;
	struct cpu_entry *entries;
	size_t entries_nr;
};

static struct cpu_entry *entry_of(struct joiner *joiner, uint32_t key)
{
	ARRAY_GROW_ZERO(joiner->entries, (size_t)key + 1, joiner->entries_nr);
	return &joiner->entries[key];
}

/* A tally with the outer and the inner key of its stack. */
struct joined {
	uint32_t outer, inner, tally;
};

RADIX_SORT_DEFINE(sort_by_outer, struct joined, outer)

/* What the keys of one outer key have, by inner key. */
struct joining {
	struct cpu_entry *entries;
	size_t *last; /* the last tally, plus one, whose total was added */
	size_t nr, last_nr;
	uint32_t *used; /* inner keys of the current outer key */
	size_t used_nr, used_alloc;
	int64_t *sums; /* BY_STACK: by stack of names; all 0 between two outer keys */
};

static struct cpu_entry *joining_entry(struct joining *joining, uint32_t inner)
{
	ARRAY_GROW_ZERO(joining->entries, (size_t)inner + 1, joining->nr);
	ARRAY_GROW_ZERO(joining->last, (size_t)inner + 1, joining->last_nr);
	if (!joining->last[inner]) {
		ARRAY_GROW(joining->used, joining->used_nr + 1, joining->used_alloc);
		joining->used[joining->used_nr++] = inner;
	}
	return &joining->entries[inner];
}

static void join_self(struct joining *joining, const struct joined *at,
		      const struct stack_tally *tally)
{
	struct cpu_entry *entry = joining_entry(joining, at->inner);

	wrap_add_to(&entry->samples, tally->samples);
	wrap_add_to(&entry->self_ns, tally->ns);
}

/* Add the time of a tally to the total of a key, once. */
static void join_total(struct joining *joining, uint32_t inner, const struct stack_tally *tally,
		       size_t number)
{
	struct cpu_entry *entry = joining_entry(joining, inner);

	if (joining->last[inner] == number + 1)
		return;
	joining->last[inner] = number + 1;
	wrap_add_to(&entry->total_ns, tally->ns);
}

/* All keys of one outer key: stacks are walked one by one, as they are a small part of all stacks. */
static void join_frames(struct joiner *joiner, const struct joined *v, size_t nr,
			struct joining *joining)
{
	struct dimension *inner = grouping_inner(joiner->grouping);
	const struct stack_node *nodes = joiner->machine->stacks.nodes;
	bool totals = dimension_has_frame_keys(inner);

	for (size_t i = 0; i < nr; i++) {
		const struct stack_tally *tally = &joiner->tallies[v[i].tally];
		uint32_t at = totals ? tally->stack : STACK_EMPTY;

		join_total(joining, v[i].inner, tally, v[i].tally);
		join_self(joining, &v[i], tally);
		for (; at != STACK_EMPTY; at = nodes[at].parent) {
			struct frame_keys keys = dimension_frame_keys(inner, nodes[at].frame);

			for (size_t k = 0; k < keys.nr; k++)
				join_total(joining, keys.v[k], tally, v[i].tally);
		}
	}
}

static void join_stacks(struct joiner *joiner, const struct joined *v, size_t nr,
			struct joining *joining)
{
	struct dimension *inner = grouping_inner(joiner->grouping);
	const struct stack_node *nodes = dimension_names(inner)->nodes;

	for (size_t i = 0; i < nr; i++) {
		const struct stack_tally *tally = &joiner->tallies[v[i].tally];

		join_total(joining, v[i].inner, tally, v[i].tally);
		join_self(joining, &v[i], tally);
		for (uint32_t at = dimension_get(inner, v[i].inner)->stack; at != STACK_EMPTY;
		     at = nodes[at].parent)
			wrap_add_to(&joining->sums[at], tally->ns);
	}
	for (size_t i = 0; i < joining->used_nr; i++) {
		uint32_t key = joining->used[i];

		joining->entries[key].total_ns = joining->sums[dimension_get(inner, key)->stack];
	}
	for (size_t i = 0; i < nr; i++)
		for (uint32_t at = dimension_get(inner, v[i].inner)->stack; at != STACK_EMPTY;
		     at = nodes[at].parent)
			joining->sums[at] = 0;
}

/* Hand over the entries of an outer key. */
static void take_joined(struct joiner *joiner, uint32_t outer, struct joining *joining)
{
	for (size_t i = 0; i < joining->used_nr; i++) {
		uint32_t inner = joining->used[i];

		*entry_of(joiner, grouping_join(joiner->grouping, outer, inner)) =
			joining->entries[inner];
		joining->entries[inner] = (struct cpu_entry){ 0, 0, 0 };
		joining->last[inner] = 0;
	}
	joining->used_nr = 0;
}

static void finish_joined(struct joiner *joiner)
{
	struct dimension *inner = grouping_inner(joiner->grouping);
	bool stacks = dimension_kind(inner) == BY_STACK;
	struct joined *all = xcalloc(joiner->nr + 1, sizeof(*all)), *v = all;
	struct joined *room = xcalloc(joiner->nr + 1, sizeof(*room));
	struct joining joining = { .nr = 0 };

	for (size_t i = 0; i < joiner->nr; i++) {
		const struct stack_tally *tally = &joiner->tallies[i];

		v[i] = (struct joined){
			.outer = grouping_outer(joiner->grouping, tally->place, tally->stack),
			.inner = dimension_stack_key(inner, tally->stack),
			.tally = (uint32_t)i,
		};
	}
	/* Those of an outer key stay in the order of tallies. */
	v = sort_by_outer(v, joiner->nr, room);
	if (stacks)
		joining.sums = xcalloc(dimension_names(inner)->nodes_nr, sizeof(*joining.sums));
	for (size_t i = 0, nr; i < joiner->nr; i += nr) {
		for (nr = 1; i + nr < joiner->nr && v[i + nr].outer == v[i].outer;)
			nr++;
		(stacks ? join_stacks : join_frames)(joiner, &v[i], nr, &joining);
		take_joined(joiner, v[i].outer, &joining);
	}
	free(all);
	free(room);
	free(joining.entries);
	free(joining.last);
	free(joining.used);
	free(joining.sums);
}

struct cpu_entry *cpu_joined_entries(struct machine *machine, struct grouping *grouping,
				     const struct stack_tally *tallies, size_t nr,
				     size_t *entries_nr)
{
	struct joiner joiner = { machine, grouping, tallies, nr, NULL, 0 };

	finish_joined(&joiner);
	*entries_nr = joiner.entries_nr;
	return joiner.entries;
}
