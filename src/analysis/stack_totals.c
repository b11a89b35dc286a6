#include "analysis/stack_totals.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

/* The first that a stack calls, and the next one that its caller calls; STACK_EMPTY: none. */
struct family {
	uint32_t child, sibling;
};

/* The machine's stacks that have samples, or are part of one that has. */
struct sampled {
	int64_t *sums; /* by stack: its own samples and those of all that go on from it */
	bool *has;     /* by stack: whether there are any */
	struct family *families;
};

struct stack_totals {
	const struct machine *machine;
	struct grouping *grouping;
	const struct stack_tally *tallies;
	size_t nr;
	size_t known; /* so many of the machine's first stacks have frames whose functions are known */
	struct sampled sampled; /* of keys that frames tell */
	struct cpu_entry *entries;
	size_t entries_nr;
};

struct stack_totals *stack_totals_new(const struct machine *machine, struct grouping *grouping,
				      const struct stack_tally *tallies, size_t nr)
{
	struct stack_totals *totals = xcalloc(1, sizeof(*totals));

	totals->machine = machine;
	totals->grouping = grouping;
	totals->tallies = tallies;
	totals->nr = nr;
	totals->known = STACK_EMPTY + 1;
	return totals;
}

static void release_sampled(struct sampled *sampled)
{
	free(sampled->sums);
	free(sampled->has);
	free(sampled->families);
	*sampled = (struct sampled){ NULL, NULL, NULL };
}

void stack_totals_free(struct stack_totals *totals)
{
	if (!totals)
		return;
	release_sampled(&totals->sampled);
	free(totals->entries);
	free(totals);
}

static struct cpu_entry *entry_of(struct stack_totals *totals, uint32_t key)
{
	ARRAY_GROW_ZERO(totals->entries, (size_t)key + 1, totals->entries_nr);
	return &totals->entries[key];
}

static void add_self(struct stack_totals *totals, uint32_t key, const struct stack_tally *tally)
{
	struct cpu_entry *entry = entry_of(totals, key);

	wrap_add_to(&entry->samples, tally->samples);
	wrap_add_to(&entry->self_ns, tally->ns);
}

/* A stack's id is above its caller's: from the last one down, each gives what it has to its caller. */
static void sum_up(const struct stack_table *stacks, int64_t *sums)
{
	for (size_t i = stacks->nodes_nr; i-- > STACK_EMPTY + 1;)
		wrap_add_to(&sums[stacks->nodes[i].parent], sums[i]);
}

static void find_sampled(struct stack_totals *totals)
{
	const struct stack_table *stacks = &totals->machine->stacks;
	struct sampled *sampled = &totals->sampled;

	sampled->sums = xcalloc(stacks->nodes_nr, sizeof(*sampled->sums));
	sampled->has = xcalloc(stacks->nodes_nr, sizeof(*sampled->has));
	sampled->families = xcalloc(stacks->nodes_nr, sizeof(*sampled->families));
	for (size_t i = 0; i < totals->nr; i++) {
		sampled->sums[totals->tallies[i].stack] = totals->tallies[i].ns;
		sampled->has[totals->tallies[i].stack] = true;
	}
	for (uint32_t i = (uint32_t)stacks->nodes_nr - 1; i > STACK_EMPTY; i--) {
		uint32_t parent = stacks->nodes[i].parent;

		if (!sampled->has[i])
			continue;
		sampled->has[parent] = true;
		sampled->families[i].sibling = sampled->families[parent].child;
		sampled->families[parent].child = i;
	}
	sum_up(stacks, sampled->sums);
}

/* In the order in which frames came up. */
static void make_keys(struct stack_totals *totals)
{
	const struct stack_table *stacks = &totals->machine->stacks;
	bool *wanted = xcalloc(stacks->frames_nr, sizeof(*wanted));

	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++)
		wanted[stacks->nodes[i].frame] |= totals->sampled.has[i];
	for (size_t i = 0; i < stacks->frames_nr; i++) {
		if (wanted[i])
			grouping_frame_keys(totals->grouping, (uint32_t)i);
	}
	free(wanted);
}

/* How often a key is on the path that the walk is on. */
struct key_walk {
	struct stack_totals *totals;
	uint32_t *on_path;
};

/* A key that is on the path already has these samples. */
static void enter(struct key_walk *walk, uint32_t stack)
{
	struct stack_totals *totals = walk->totals;
	struct frame_keys keys =
		grouping_frame_keys(totals->grouping, totals->machine->stacks.nodes[stack].frame);

	for (size_t i = 0; i < keys.nr; i++) {
		if (!walk->on_path[keys.v[i]]++)
			wrap_add_to(&totals->entries[keys.v[i]].total_ns,
				    totals->sampled.sums[stack]);
	}
}

static void leave(struct key_walk *walk, uint32_t stack)
{
	struct stack_totals *totals = walk->totals;
	struct frame_keys keys =
		grouping_frame_keys(totals->grouping, totals->machine->stacks.nodes[stack].frame);

	for (size_t i = 0; i < keys.nr; i++)
		walk->on_path[keys.v[i]]--;
}

/* Depth first; stacks may be too deep to recurse. */
static void add_totals(struct stack_totals *totals)
{
	const struct stack_node *nodes = totals->machine->stacks.nodes;
	const struct family *families = totals->sampled.families;
	struct key_walk walk = { totals, xcalloc(grouping_nr(totals->grouping) + 1,
						 sizeof(*walk.on_path)) };

	for (uint32_t at = families[STACK_EMPTY].child, next; at != STACK_EMPTY; at = next) {
		enter(&walk, at);
		next = families[at].child;
		while (next == STACK_EMPTY && at != STACK_EMPTY) {
			leave(&walk, at);
			next = families[at].sibling;
			at = nodes[at].parent;
		}
	}
	free(walk.on_path);
}

static void finish_frames(struct stack_totals *totals)
{
	if (!totals->sampled.sums)
		find_sampled(totals);
	make_keys(totals);
	for (size_t i = 0; i < totals->nr; i++) {
		const struct stack_tally *tally = &totals->tallies[i];
		uint32_t key = grouping_stack_key(totals->grouping, tally->stack);

		add_self(totals, key, tally);
		if (tally->stack == STACK_EMPTY)
			wrap_add_to(&entry_of(totals, key)->total_ns, tally->ns);
	}
	if (grouping_nr(totals->grouping))
		entry_of(totals, (uint32_t)grouping_nr(totals->grouping) - 1);
	add_totals(totals);
	release_sampled(&totals->sampled);
}

static void finish_stacks(struct stack_totals *totals)
{
	const struct stack_table *names = grouping_names(totals->grouping);
	size_t keys;
	int64_t *sums;

	for (size_t i = 0; i < totals->nr; i++)
		add_self(totals, grouping_stack_key(totals->grouping, totals->tallies[i].stack),
			 &totals->tallies[i]);
	grouping_rest(totals->grouping);
	keys = grouping_nr(totals->grouping);
	sums = xcalloc(names->nodes_nr, sizeof(*sums));
	for (uint32_t key = 0; key < keys; key++)
		sums[grouping_get(totals->grouping, key)->stack] = totals->entries[key].self_ns;
	sum_up(names, sums);
	for (uint32_t key = 0; key < keys; key++)
		totals->entries[key].total_ns = sums[grouping_get(totals->grouping, key)->stack];
	free(sums);
}

/* A key of stacks with its root, to have those of one root together. */
struct rooted {
	uint32_t root, stack, key;
};

static int compare_roots(const void *a, const void *b)
{
	const struct rooted *x = a, *y = b;

	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

/* The same among the stacks of one root: walked one by one, as they are a small part of all. */
static void add_rooted(struct stack_totals *totals, const struct rooted *keys, size_t nr,
		       int64_t *sums)
{
	const struct stack_node *nodes = grouping_names(totals->grouping)->nodes;

	for (size_t i = 0; i < nr; i++) {
		int64_t self = totals->entries[keys[i].key].self_ns;

		for (uint32_t at = keys[i].stack; at != STACK_EMPTY; at = nodes[at].parent)
			wrap_add_to(&sums[at], self);
	}
	for (size_t i = 0; i < nr; i++)
		totals->entries[keys[i].key].total_ns = sums[keys[i].stack];
	for (size_t i = 0; i < nr; i++)
		for (uint32_t at = keys[i].stack; at != STACK_EMPTY; at = nodes[at].parent)
			sums[at] = 0;
}

static void finish_rooted(struct stack_totals *totals)
{
	struct rooted *keys;
	int64_t *sums;
	size_t nr;

	for (size_t i = 0; i < totals->nr; i++) {
		const struct stack_tally *tally = &totals->tallies[i];

		add_self(totals, grouping_rooted_key(totals->grouping, tally->root, tally->stack),
			 tally);
	}
	nr = grouping_nr(totals->grouping);
	keys = xcalloc(nr + 1, sizeof(*keys));
	for (size_t i = 0; i < nr; i++) {
		const struct group *group = grouping_get(totals->grouping, (uint32_t)i);

		keys[i] = (struct rooted){ group->root, group->stack, (uint32_t)i };
	}
	qsort(keys, nr, sizeof(*keys), compare_roots);
	sums = xcalloc(grouping_names(totals->grouping)->nodes_nr, sizeof(*sums));
	for (size_t i = 0, of_root; i < nr; i += of_root) {
		for (of_root = 1; i + of_root < nr && keys[i + of_root].root == keys[i].root;)
			of_root++;
		add_rooted(totals, &keys[i], of_root, sums);
	}
	free(keys);
	free(sums);
}

void stack_totals_advance(struct stack_totals *totals, size_t frames)
{
	const struct stack_table *stacks = &totals->machine->stacks;

	if (grouping_kind(totals->grouping) != BY_STACK) {
		if (!totals->sampled.sums)
			find_sampled(totals);
		return;
	}
	while (totals->known < stacks->nodes_nr && stacks->nodes[totals->known].frame < frames)
		totals->known++;
	grouping_name_stacks(totals->grouping, totals->known);
}

const struct cpu_entry *stack_totals_finish(struct stack_totals *totals, size_t *nr)
{
	if (grouping_kind(totals->grouping) != BY_STACK)
		finish_frames(totals);
	else if (grouping_has_roots(totals->grouping))
		finish_rooted(totals);
	else
		finish_stacks(totals);
	*nr = grouping_nr(totals->grouping);
	return totals->entries;
}
