#include "analysis/cpu_account.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/intmap.h"
#include "util/wrap.h"

/* What was counted for a stack of the machine (and a root, if keys have roots), or for a key. */
struct stack_tally {
	uint32_t stack, root;
	int64_t samples, ns;
	uint64_t unwound; /* of the samples */
};

/* The first callee of a stack, and the next callee of its caller; STACK_EMPTY: none. */
struct family {
	uint32_t child, sibling;
};

/* The stacks of the machine that have samples, or whose continuations have. */
struct sampled {
	int64_t *sums; /* by stack: time of its own samples and of all stacks that continue it */
	bool *has;     /* by stack: whether there are such samples */
	struct family *families;
};

struct stack_totals {
	const struct machine *machine;
	struct grouping *grouping;
	const struct stack_tally *tallies;
	size_t nr;
	size_t known; /* the functions of the first `known` stacks of the machine are known */
	struct sampled sampled; /* used by module and by function */
	struct cpu_entry *entries;
	size_t entries_nr;
};

static struct stack_totals *stack_totals_new(const struct machine *machine,
					     struct grouping *grouping,
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

static void stack_totals_free(struct stack_totals *totals)
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

/* The id of a stack is above that of its caller: from the last one down, each adds its sum to its caller. */
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

/* Make the keys of all frames, in the order in which frames were first seen. */
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

/* How often each key is on the current path of the walk. */
struct key_walk {
	struct stack_totals *totals;
	uint32_t *on_path;
};

/* The samples are added to a key once, however often it is on the path. */
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

/* Walks depth first, without recursion, as stacks may be very deep. */
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
	grouping_trim(totals->grouping);
	keys = grouping_nr(totals->grouping);
	sums = xcalloc(names->nodes_nr, sizeof(*sums));
	for (uint32_t key = 0; key < keys; key++)
		sums[grouping_get(totals->grouping, key)->stack] = totals->entries[key].self_ns;
	sum_up(names, sums);
	for (uint32_t key = 0; key < keys; key++)
		totals->entries[key].total_ns = sums[grouping_get(totals->grouping, key)->stack];
	free(sums);
}

/* A key with its root, to sort keys by root. */
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

/* Compute the totals of the stacks of one root. They are walked one by one, as they are a small part of all stacks. */
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

static void stack_totals_advance(struct stack_totals *totals, size_t frames)
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

static const struct cpu_entry *stack_totals_finish(struct stack_totals *totals, size_t *nr)
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

struct cpu_account {
	struct machine *machine;
	struct grouping *grouping;
	int64_t from_ns, to_ns;
	struct stack_tally *v; /* by key; by stacks: in the order in which they were first seen */
	size_t nr, alloc;
	/* By the stacks of the machine, few of which have samples: index of the tally, plus one. */
	uint32_t *of_stack;
	size_t of_stack_nr, of_stack_alloc;
	struct intmap of_root;       /* the same if keys have roots: by root and stack */
	struct stack_totals *totals; /* by stack */
	struct cpu_entry *entries;   /* by key */
	struct cpu_entry total;
};

struct cpu_account *cpu_account_new(struct machine *machine, struct grouping *grouping,
				    int64_t from_ns, int64_t to_ns)
{
	struct cpu_account *account = xcalloc(1, sizeof(*account));

	account->machine = machine;
	account->grouping = grouping;
	account->from_ns = from_ns;
	account->to_ns = to_ns;
	return account;
}

void cpu_account_free(struct cpu_account *account)
{
	if (!account)
		return;
	cpu_account_trim(account);
	stack_totals_free(account->totals);
	free(account->entries);
	free(account);
}

static struct stack_tally *tally_of_key(struct cpu_account *account, uint32_t key)
{
	ARRAY_REACH(account->v, (size_t)key + 1, account->nr, account->alloc);
	return &account->v[key];
}

static size_t add_tally(struct cpu_account *account, uint32_t root, uint32_t stack)
{
	ARRAY_GROW(account->v, account->nr + 1, account->alloc);
	account->v[account->nr] = (struct stack_tally){ .stack = stack, .root = root };
	return account->nr++;
}

static struct stack_tally *tally_of_rooted(struct cpu_account *account, uint32_t root,
					   uint32_t stack)
{
	int64_t both = (int64_t)((uint64_t)root << 32 | stack);
	size_t place = (uintptr_t)intmap_get(&account->of_root, both);

	if (!place) {
		place = add_tally(account, root, stack) + 1;
		intmap_put(&account->of_root, both, (void *)(uintptr_t)place);
	}
	return &account->v[place - 1];
}

static struct stack_tally *tally_of_stack(struct cpu_account *account, uint32_t stack)
{
	ARRAY_REACH(account->of_stack, (size_t)stack + 1, account->of_stack_nr,
		    account->of_stack_alloc);
	if (!account->of_stack[stack])
		account->of_stack[stack] = (uint32_t)add_tally(account, 0, stack) + 1;
	return &account->v[account->of_stack[stack] - 1];
}

static void count(struct cpu_account *account, struct stack_tally *tally, int64_t weight_ns)
{
	tally->samples++;
	wrap_add_to(&tally->ns, weight_ns);
	account->total.samples++;
	wrap_add_to(&account->total.self_ns, weight_ns);
	wrap_add_to(&account->total.total_ns, weight_ns);
}

static void count_stack(struct cpu_account *account, uint32_t stack,
			const struct cpu_sample *sample, bool unwound)
{
	struct stack_tally *tally = grouping_has_roots(account->grouping)
					    ? tally_of_rooted(account, sample->root, stack)
					    : tally_of_stack(account, stack);

	tally->unwound += unwound;
	count(account, tally, sample->weight_ns);
}

/* The process of a sample; NULL: the sample is not to be counted. */
static struct trace_process *find_process(const struct cpu_account *account,
					  const struct trace_event *event)
{
	struct trace_process *process;

	if (event->time_ns < account->from_ns ||
	    (event->time_ns >= account->to_ns && account->to_ns != INT64_MAX))
		return NULL;
	process = machine_process(account->machine, event->pid, event->time_ns);
	return process && grouping_matches(account->grouping, process) ? process : NULL;
}

static struct cpu_sample describe(struct cpu_account *account, const struct trace_event *event,
				  const struct trace_process *process)
{
	struct cpu_sample sample = { .weight_ns = event->cpu_sample.weight_ns };

	if (grouping_has_roots(account->grouping))
		sample.root = grouping_root(account->grouping, process);
	return sample;
}

static void apply_sample(struct cpu_account *account, const struct trace_event *event)
{
	const struct trace_stack *stack = &event->cpu_sample.stack;
	struct trace_process *process = find_process(account, event);
	const struct trace_thread *thread;
	struct cpu_sample sample;
	uint32_t key;

	if (!process)
		return;
	sample = describe(account, event, process);
	if (grouping_by_stacks(account->grouping)) {
		count_stack(account, machine_stack(account->machine, process, event->tid, stack),
			    &sample, stack->copy);
		return;
	}
	thread = machine_thread(account->machine, event);
	if (!thread)
		return;
	key = grouping_key(account->grouping, process, thread, STACK_EMPTY);
	count(account, tally_of_key(account, key), sample.weight_ns);
}

void cpu_account_apply(struct cpu_account *account, const struct trace_event *event)
{
	if (event->kind == TRACE_CPU)
		apply_sample(account, event);
	else
		grouping_update(account->grouping, event);
}

void cpu_samples_release(struct cpu_samples *samples)
{
	stack_steps_release(&samples->steps);
	free(samples->v);
	*samples = (struct cpu_samples){ .nr = 0 };
}

bool cpu_account_prepare(struct cpu_account *account, const struct trace_event *event,
			 struct cpu_samples *samples)
{
	const struct trace_stack *stack = &event->cpu_sample.stack;
	struct trace_process *process;

	if (event->kind != TRACE_CPU) {
		grouping_update(account->grouping, event);
		return true;
	}
	if (!grouping_by_stacks(account->grouping) || stack->copy)
		return false;
	process = find_process(account, event);
	if (!process)
		return true;
	ARRAY_GROW(samples->v, samples->nr + 1, samples->alloc);
	samples->v[samples->nr++] = describe(account, event, process);
	machine_stack_steps(account->machine, process, event->tid, stack, &samples->steps);
	return true;
}

/* Tallies are scattered in memory: those of this number of samples are prefetched together. */
#define PREFETCHED 32

static void make_stacks(struct cpu_account *account, const struct cpu_samples *samples, size_t *at,
			uint32_t *stacks, size_t nr)
{
	struct machine *machine = account->machine;

	for (size_t i = 0; i < nr; i++) {
		stacks[i] = stack_maker_next(machine->maker, &machine->stacks, &samples->steps, at);
		if (stacks[i] < account->of_stack_nr)
			__builtin_prefetch(&account->of_stack[stacks[i]]);
	}
	for (size_t i = 0; i < nr; i++) {
		if (stacks[i] < account->of_stack_nr && account->of_stack[stacks[i]])
			__builtin_prefetch(&account->v[account->of_stack[stacks[i]] - 1]);
	}
}

void cpu_account_count(struct cpu_account *account, const struct cpu_samples *samples)
{
	uint32_t stacks[PREFETCHED];
	size_t at = 0;

	for (size_t i = 0; i < samples->nr; i += PREFETCHED) {
		size_t nr = samples->nr - i < PREFETCHED ? samples->nr - i : PREFETCHED;

		make_stacks(account, samples, &at, stacks, nr);
		for (size_t k = 0; k < nr; k++)
			count_stack(account, stacks[k], &samples->v[i + k], false);
	}
}

void cpu_account_add_stacks(const struct cpu_account *account, struct stack_quality *quality)
{
	for (size_t i = 0; grouping_by_stacks(account->grouping) && i < account->nr; i++) {
		const struct stack_tally *tally = &account->v[i];

		stack_quality_append(quality, tally->stack,
				     (uint64_t)tally->samples - tally->unwound, tally->unwound);
	}
}

static struct stack_totals *totals_of(struct cpu_account *account)
{
	if (!account->totals)
		account->totals = stack_totals_new(account->machine, account->grouping, account->v,
						   account->nr);
	return account->totals;
}

void cpu_account_advance(struct cpu_account *account, size_t frames)
{
	stack_totals_advance(totals_of(account), frames);
}

/* Finish an account whose keys are not found by stacks. */
static const struct cpu_entry *finish_plain(struct cpu_account *account, size_t *nr)
{
	*nr = grouping_nr(account->grouping);
	account->entries = xcalloc(*nr + 1, sizeof(*account->entries));
	for (size_t i = 0; i < account->nr && i < *nr; i++) {
		const struct stack_tally *tally = &account->v[i];

		account->entries[i] = (struct cpu_entry){ tally->samples, tally->ns, tally->ns };
	}
	return account->entries;
}

const struct cpu_entry *cpu_account_finish(struct cpu_account *account, size_t *nr)
{
	return grouping_by_stacks(account->grouping) ? stack_totals_finish(totals_of(account), nr)
						     : finish_plain(account, nr);
}

void cpu_account_trim(struct cpu_account *account)
{
	free(account->v);
	free(account->of_stack);
	intmap_release(&account->of_root);
	account->v = NULL;
	account->of_stack = NULL;
	account->nr = account->of_stack_nr = 0;
}

struct cpu_entry cpu_account_total(const struct cpu_account *account)
{
	return account->total;
}
