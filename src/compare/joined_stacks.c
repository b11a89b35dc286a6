#include "compare/joined_stacks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

/* A cycle of calls has at most this many frames. */
#define CYCLE_MAX 12

/* So many frames in a row may be left out. */
#define INLINED_MAX 3

#define BOTH (JOINED_BASE | JOINED_NEW)

static void begin(struct joined_stacks *stacks)
{
	stacks->index = (struct hash_index)HASH_INDEX_INIT;
	stacks->v = NULL;
	stacks->nr = stacks->alloc = 0;
	ARRAY_ADD(stacks->v, stacks->nr, stacks->alloc,
		  (struct joined_stack){ JOINED_ROOT, UINT32_MAX, BOTH });
}

void joined_stacks_init(struct joined_stacks *stacks)
{
	*stacks = (struct joined_stacks){ .nr = 0 };
	begin(stacks);
}

void joined_stacks_release(struct joined_stacks *stacks)
{
	joined_names_release(&stacks->names);
	hash_index_release(&stacks->index);
	free(stacks->v);
}

const char *joined_stacks_text(const struct joined_stacks *stacks, uint32_t stack)
{
	return stacks->names.texts.strings.v[stacks->v[stack].name];
}

/* The frame at which a function called itself; JOINED_ROOT: it did not. */
static uint32_t find_recursion(const struct joined_stacks *stacks, uint32_t parent, uint32_t name)
{
	uint32_t at = parent;

	for (int i = 0; i < CYCLE_MAX && at != JOINED_ROOT; i++, at = stacks->v[at].parent) {
		if (stacks->v[at].name == name)
			return at;
	}
	return JOINED_ROOT;
}

static uint32_t append(struct joined_stacks *stacks, uint32_t parent, uint32_t name,
		       unsigned int sides)
{
	struct joined_stack stack = { parent, name, sides };

	ARRAY_ADD(stacks->v, stacks->nr, stacks->alloc, stack);
	return (uint32_t)stacks->nr - 1;
}

uint32_t joined_stacks_child(struct joined_stacks *stacks, uint32_t parent, uint32_t name,
			     enum compare_side side)
{
	uint64_t key = (uint64_t)parent << 32 | name;
	uint32_t at = find_recursion(stacks, parent, name);

	if (at == JOINED_ROOT) {
		HASH_INDEX_FIND(at, &stacks->index, key, i,
				stacks->v[i].parent == parent && stacks->v[i].name == name);
		if (at == HASH_INDEX_NONE) {
			at = append(stacks, parent, name, 0);
			hash_index_add(&stacks->index, key, at);
		}
	}
	stacks->v[at].sides |= 1U << side;
	return at;
}

#define NONE UINT32_MAX

/* What is called by one stack of the new tree: stacks of the old one with one name. */
struct group {
	uint32_t name;
	unsigned int sides;
	uint32_t first; /* a list of stacks; NONE: it was left out */
};

struct matcher {
	const struct joined_stacks *old;
	struct joined_stacks new;
	uint32_t *names;           /* by name: the one that it is joined as */
	unsigned char *sides;      /* by name that is joined so */
	int64_t *totals;           /* by old stack: its weight with what continues it */
	uint32_t *child, *sibling; /* by old stack; NONE: there is none */
	uint32_t *next;            /* by old stack: the next one of its list */
	uint32_t *first;           /* by new stack: a list of the old ones that it is made of */
	size_t first_nr, first_alloc;
	uint32_t *to;         /* by old stack */
	struct group *groups; /* what the current stack calls */
	size_t groups_nr, groups_alloc;
	uint32_t *group_of; /* by name, valid if the group has the name: its group */
	/*
	 * By side and name, valid if it is the current stack's number plus one: it is reached through frames of that side.
	 */
	uint32_t *reached[SIDES];
};

static uint32_t name_of(const struct matcher *matcher, uint32_t stack)
{
	return matcher->names[matcher->old->v[stack].name];
}

static struct group *find_group(const struct matcher *matcher, uint32_t name)
{
	uint32_t at = matcher->group_of[name];

	return at < matcher->groups_nr && matcher->groups[at].name == name ? &matcher->groups[at]
									   : NULL;
}

/* What a stack of the old tree calls is called by the current one of the new tree. */
static void add_callees(struct matcher *matcher, uint32_t stack)
{
	for (uint32_t i = matcher->child[stack]; i != NONE; i = matcher->sibling[i]) {
		uint32_t name = name_of(matcher, i);
		struct group *group = find_group(matcher, name);

		if (!group) {
			matcher->group_of[name] = (uint32_t)matcher->groups_nr;
			ARRAY_ADD(matcher->groups, matcher->groups_nr, matcher->groups_alloc,
				  (struct group){ name, 0, NONE });
			group = &matcher->groups[matcher->groups_nr - 1];
		}
		group->sides |= matcher->old->v[i].sides;
		matcher->next[i] = group->first;
		group->first = i;
	}
}

/* Whether the name is of one side alone, in the whole comparison. */
static bool is_of_one_side(const struct matcher *matcher, uint32_t name)
{
	return matcher->sides[name] != BOTH;
}

static void mark_callees(struct matcher *matcher, uint32_t stack, uint32_t *reached, uint32_t mark,
			 int depth)
{
	for (uint32_t i = matcher->child[stack]; i != NONE; i = matcher->sibling[i]) {
		uint32_t name = name_of(matcher, i);

		reached[name] = mark;
		if (depth > 1 && is_of_one_side(matcher, name))
			mark_callees(matcher, i, reached, mark, depth - 1);
	}
}

/* Mark what the current stack calls through functions that only one side has at all. */
static void mark_reached(struct matcher *matcher, uint32_t current)
{
	for (size_t i = 0; i < matcher->groups_nr; i++) {
		const struct group *group = &matcher->groups[i];
		int side = group->sides == JOINED_BASE ? SIDE_BASE : SIDE_NEW;

		if (group->sides == BOTH || !is_of_one_side(matcher, group->name))
			continue;
		for (uint32_t stack = group->first; stack != NONE; stack = matcher->next[stack])
			mark_callees(matcher, stack, matcher->reached[side], current + 1,
				     INLINED_MAX);
	}
}

/* How much of what continues a stack, which is of a group, the other side has without its frame. */
static int64_t matched_below(const struct matcher *matcher, const struct group *group,
			     uint32_t stack, uint32_t current, int depth)
{
	unsigned int other = BOTH & ~group->sides;
	const uint32_t *reached = matcher->reached[other == JOINED_BASE ? SIDE_BASE : SIDE_NEW];
	int64_t matched = 0;

	for (uint32_t i = matcher->child[stack]; i != NONE; i = matcher->sibling[i]) {
		uint32_t name = name_of(matcher, i);
		const struct group *direct = find_group(matcher, name);

		if ((direct && direct->first != NONE && direct->sides == other) ||
		    (is_of_one_side(matcher, group->name) && reached[name] == current + 1))
			wrap_add_to(&matched, matcher->totals[i]);
		else if (depth > 1)
			wrap_add_to(&matched, matched_below(matcher, group, i, current, depth - 1));
	}
	return matched;
}

static bool was_inlined(const struct matcher *matcher, const struct group *group, uint32_t current)
{
	int64_t below = 0, matched = 0;

	for (uint32_t stack = group->first; stack != NONE; stack = matcher->next[stack]) {
		for (uint32_t i = matcher->child[stack]; i != NONE; i = matcher->sibling[i])
			wrap_add_to(&below, matcher->totals[i]);
		wrap_add_to(&matched, matched_below(matcher, group, stack, current, INLINED_MAX));
	}
	return matched > 0 && matched >= below / 2;
}

/* Leave out the frames that were inlined on the other side. True: there were some. */
static bool leave_out(struct matcher *matcher, uint32_t current)
{
	size_t nr = matcher->groups_nr;
	bool found = false;

	for (size_t i = 0; i < nr; i++) {
		struct group group = matcher->groups[i];

		if (group.first == NONE || group.sides == BOTH ||
		    !was_inlined(matcher, &group, current))
			continue;
		found = true;
		matcher->groups[i].first = NONE;
		matcher->groups[i].sides = 0;
		for (uint32_t stack = group.first, next; stack != NONE; stack = next) {
			next = matcher->next[stack];
			matcher->to[stack] = current;
			add_callees(matcher, stack);
		}
	}
	return found;
}

static void match_callees(struct matcher *matcher, uint32_t current)
{
	matcher->groups_nr = 0;
	for (uint32_t stack = matcher->first[current]; stack != NONE; stack = matcher->next[stack])
		add_callees(matcher, stack);
	mark_reached(matcher, current);
	while (leave_out(matcher, current))
		;
	for (size_t i = 0; i < matcher->groups_nr; i++) {
		const struct group *group = &matcher->groups[i];
		uint32_t new;

		if (group->first == NONE)
			continue;
		new = append(&matcher->new, current, group->name, group->sides);
		ARRAY_REACH(matcher->first, (size_t) new + 1, matcher->first_nr,
			    matcher->first_alloc);
		matcher->first[new] = group->first;
		for (uint32_t stack = group->first; stack != NONE; stack = matcher->next[stack])
			matcher->to[stack] = new;
	}
}

static uint32_t *all_none(size_t nr)
{
	uint32_t *v = xcalloc(nr + 1, sizeof(*v));

	for (size_t i = 0; i < nr; i++)
		v[i] = NONE;
	return v;
}

static void start(struct matcher *matcher, const struct joined_stacks *old, const int64_t *weights)
{
	size_t nr = old->nr, names_nr = old->names.nr;

	*matcher = (struct matcher){ .old = old };
	begin(&matcher->new);
	matcher->names = joined_names_match(&old->names);
	matcher->sides = xcalloc(names_nr + 1, sizeof(*matcher->sides));
	for (size_t i = 0; i < names_nr; i++)
		matcher->sides[matcher->names[i]] |= old->names.sides[i];
	matcher->totals = xcalloc(nr, sizeof(*matcher->totals));
	matcher->child = all_none(nr);
	matcher->sibling = all_none(nr);
	matcher->next = all_none(nr);
	matcher->to = xcalloc(nr, sizeof(*matcher->to));
	matcher->group_of = all_none(names_nr);
	for (int side = 0; side < SIDES; side++)
		matcher->reached[side] = xcalloc(names_nr + 1, sizeof(*matcher->reached[side]));
	for (size_t i = nr - 1; i; i--) {
		uint32_t parent = old->v[i].parent;

		wrap_add_to(&matcher->totals[i], weights[i]);
		wrap_add_to(&matcher->totals[parent], matcher->totals[i]);
		matcher->sibling[i] = matcher->child[parent];
		matcher->child[parent] = (uint32_t)i;
	}
	ARRAY_ADD(matcher->first, matcher->first_nr, matcher->first_alloc, JOINED_ROOT);
}

static void release(struct matcher *matcher)
{
	free(matcher->names);
	free(matcher->sides);
	free(matcher->totals);
	free(matcher->child);
	free(matcher->sibling);
	free(matcher->next);
	free(matcher->first);
	free(matcher->groups);
	free(matcher->group_of);
	for (int side = 0; side < SIDES; side++)
		free(matcher->reached[side]);
}

uint32_t *joined_stacks_match(struct joined_stacks *stacks, const int64_t *weights)
{
	struct matcher matcher;

	start(&matcher, stacks, weights);
	for (uint32_t i = 0; i < matcher.new.nr; i++)
		match_callees(&matcher, i);
	release(&matcher);
	hash_index_release(&stacks->index);
	free(stacks->v);
	stacks->v = matcher.new.v;
	stacks->nr = matcher.new.nr;
	stacks->alloc = matcher.new.alloc;
	stacks->index = matcher.new.index;
	return matcher.to;
}
