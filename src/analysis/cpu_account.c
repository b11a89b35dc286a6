#include "analysis/cpu_account.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/wrap.h"

/* Keys that have been met on a stack, marked with its id: each stack is walked once. */
struct marks {
	uint32_t *v;
	size_t nr;
};

/* Samples of one stack, or of one key where stacks are not looked at. */
struct tally {
	int64_t samples, ns;
	uint64_t unwound; /* of the samples */
};

struct cpu_account {
	struct machine *machine;
	struct grouping *grouping;
	int64_t from_ns, to_ns;
	bool by_stack;   /* of the machine; else by key */
	struct tally *v; /* by key, or in `of_stack` */
	size_t nr, alloc;
	uint32_t *
		of_stack; /* by the machine's stacks, few of which are a leaf's: tallies, plus one */
	size_t of_stack_nr, of_stack_alloc;
	struct stack_quality rooted; /* keys that have roots are not the machine's stacks */
	size_t known; /* so many of the machine's first stacks have frames whose functions are known */
	size_t told; /* so many of `of_stack` are in `entries` */
	struct marks marks;
	struct cpu_entry *entries;
	size_t entries_nr;
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
	account->known = STACK_EMPTY + 1;
	account->by_stack = grouping_by_stacks(grouping) && !grouping_has_roots(grouping);
	return account;
}

void cpu_account_free(struct cpu_account *account)
{
	if (!account)
		return;
	free(account->v);
	free(account->of_stack);
	free(account->marks.v);
	stack_quality_release(&account->rooted);
	free(account->entries);
	free(account);
}

/* Weights of a damaged trace may be anything. */
static void add(int64_t *to, int64_t value)
{
	*to = wrap_add(*to, value);
}

static struct tally *tally_of(struct cpu_account *account, size_t i)
{
	if (i >= account->nr) {
		ARRAY_GROW(account->v, i + 1, account->alloc);
		memset(&account->v[account->nr], 0, (i + 1 - account->nr) * sizeof(*account->v));
		account->nr = i + 1;
	}
	return &account->v[i];
}

static struct tally *tally_of_stack(struct cpu_account *account, uint32_t stack)
{
	size_t had = account->of_stack_nr, nr = (size_t)stack + 1;

	if (nr > had) {
		ARRAY_GROW(account->of_stack, nr, account->of_stack_alloc);
		memset(&account->of_stack[had], 0, (nr - had) * sizeof(*account->of_stack));
		account->of_stack_nr = nr;
	}
	if (!account->of_stack[stack])
		account->of_stack[stack] = (uint32_t)account->nr + 1;
	return tally_of(account, account->of_stack[stack] - 1);
}

static void count(struct cpu_account *account, struct tally *tally, int64_t weight_ns)
{
	tally->samples++;
	add(&tally->ns, weight_ns);
	account->total.samples++;
	add(&account->total.self_ns, weight_ns);
	add(&account->total.total_ns, weight_ns);
}

static void count_stack(struct cpu_account *account, uint32_t stack, int64_t weight_ns,
			bool unwound)
{
	struct tally *tally = tally_of_stack(account, stack);

	tally->unwound += unwound;
	count(account, tally, weight_ns);
}

/* Whose sample it is; NULL: it is not wanted. */
static struct trace_process *find_process(const struct cpu_account *account,
					  const struct trace_event *event)
{
	struct trace_process *process;

	if (event->time_ns < account->from_ns ||
	    (event->time_ns >= account->to_ns && account->to_ns != INT64_MAX))
		return NULL;
	process = machine_process(account->machine, event->pid, event->time_ns);
	return process && grouping_wants(account->grouping, process) ? process : NULL;
}

static void apply_sample(struct cpu_account *account, const struct trace_event *event)
{
	const struct trace_cpu *sample = &event->cpu_sample;
	struct trace_process *process = find_process(account, event);
	const struct trace_thread *thread;
	uint32_t stack = STACK_EMPTY;

	if (!process)
		return;
	if (grouping_by_stacks(account->grouping))
		stack = machine_stack(account->machine, process, event->tid, &sample->stack);
	if (account->by_stack) {
		count_stack(account, stack, sample->weight_ns, sample->stack.copy);
		return;
	}
	if (grouping_has_roots(account->grouping))
		stack_quality_add(&account->rooted, stack, !sample->stack.copy,
				  !!sample->stack.copy);
	thread = machine_thread(account->machine, event);
	if (thread)
		count(account,
		      tally_of(account, grouping_key(account->grouping, process, thread, stack)),
		      sample->weight_ns);
}

void cpu_account_apply(struct cpu_account *account, const struct trace_event *event)
{
	if (event->kind == TRACE_CPU)
		apply_sample(account, event);
	else
		grouping_follow(account->grouping, event);
}

void cpu_samples_release(struct cpu_samples *samples)
{
	stack_steps_release(&samples->steps);
	free(samples->weights);
	*samples = (struct cpu_samples){ .nr = 0 };
}

bool cpu_account_prepare(struct cpu_account *account, const struct trace_event *event,
			 struct cpu_samples *samples)
{
	const struct trace_cpu *sample = &event->cpu_sample;
	struct trace_process *process;

	if (event->kind != TRACE_CPU) {
		grouping_follow(account->grouping, event);
		return true;
	}
	if (!account->by_stack || sample->stack.copy)
		return false;
	process = find_process(account, event);
	if (!process)
		return true;
	ARRAY_GROW(samples->weights, samples->nr + 1, samples->alloc);
	samples->weights[samples->nr++] = sample->weight_ns;
	machine_stack_steps(account->machine, process, event->tid, &sample->stack, &samples->steps);
	return true;
}

/* Tallies are anywhere in memory: have those of so many samples fetched at once. */
#define FETCHED 32

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
	uint32_t stacks[FETCHED];
	size_t at = 0;

	for (size_t i = 0; i < samples->nr; i += FETCHED) {
		size_t nr = samples->nr - i < FETCHED ? samples->nr - i : FETCHED;

		make_stacks(account, samples, &at, stacks, nr);
		for (size_t k = 0; k < nr; k++)
			count_stack(account, stacks[k], samples->weights[i + k], false);
	}
}

static struct cpu_entry *entry_of(struct cpu_account *account, uint32_t key)
{
	size_t had = account->entries_nr;

	if (key >= had) {
		ARRAY_GROW(account->entries, (size_t)key + 1, account->entries_nr);
		memset(&account->entries[had], 0,
		       (account->entries_nr - had) * sizeof(*account->entries));
	}
	return &account->entries[key];
}

static void add_self(struct cpu_account *account, uint32_t key, const struct tally *tally)
{
	struct cpu_entry *entry = entry_of(account, key);

	add(&entry->samples, tally->samples);
	add(&entry->self_ns, tally->ns);
}

static void finish_plain(struct cpu_account *account)
{
	for (size_t i = 0; i < account->nr; i++) {
		add_self(account, (uint32_t)i, &account->v[i]);
		account->entries[i].total_ns = account->entries[i].self_ns;
	}
}

static bool mark(struct marks *marks, uint32_t key, uint32_t stack)
{
	size_t had = marks->nr;

	if (key >= had) {
		ARRAY_GROW(marks->v, (size_t)key + 1, marks->nr);
		memset(&marks->v[had], 0, (marks->nr - had) * sizeof(*marks->v));
	}
	if (marks->v[key] == stack)
		return false;
	marks->v[key] = stack;
	return true;
}

static void add_totals(struct cpu_account *account, uint32_t stack, int64_t ns)
{
	const struct stack_node *nodes = account->machine->stacks.nodes;

	for (uint32_t at = stack; at != STACK_EMPTY; at = nodes[at].parent) {
		uint32_t key = grouping_frame_key(account->grouping, nodes[at].frame);

		if (mark(&account->marks, key, stack))
			add(&entry_of(account, key)->total_ns, ns);
	}
}

/* What was counted of a stack; NULL. */
static const struct tally *find_tally(const struct cpu_account *account, size_t stack)
{
	return account->of_stack[stack] ? &account->v[account->of_stack[stack] - 1] : NULL;
}

void cpu_account_add_stacks(const struct cpu_account *account, struct stack_quality *quality)
{
	for (size_t i = 0; i < account->rooted.nr; i++)
		stack_quality_append(quality, account->rooted.v[i].stack,
				     account->rooted.v[i].chains, account->rooted.v[i].unwound);
	for (size_t i = 0; i < account->of_stack_nr; i++) {
		const struct tally *tally = find_tally(account, i);

		if (tally)
			stack_quality_append(quality, (uint32_t)i,
					     (uint64_t)tally->samples - tally->unwound,
					     tally->unwound);
	}
}

static void tell_frames(struct cpu_account *account, size_t nr)
{
	for (; account->told < nr; account->told++) {
		const struct tally *tally = find_tally(account, account->told);
		uint32_t stack = (uint32_t)account->told, key;

		if (!tally)
			continue;
		key = grouping_stack_key(account->grouping, stack);
		add_self(account, key, tally);
		if (stack == STACK_EMPTY)
			add(&entry_of(account, key)->total_ns, tally->ns);
		else
			add_totals(account, stack, tally->ns);
	}
}

void cpu_account_advance(struct cpu_account *account, size_t frames)
{
	const struct stack_table *stacks = &account->machine->stacks;
	size_t nr = account->of_stack_nr;

	while (account->known < stacks->nodes_nr && stacks->nodes[account->known].frame < frames)
		account->known++;
	if (grouping_kind(account->grouping) == BY_STACK)
		grouping_name_stacks(account->grouping, account->known);
	else
		tell_frames(account, account->known < nr ? account->known : nr);
}

/* A stack's id is above its caller's: from the last one down, each gives what it has to its caller. */
static void finish_stacks(struct cpu_account *account)
{
	const struct stack_table *names = grouping_names(account->grouping);
	int64_t *sums;

	for (size_t i = 0; i < account->of_stack_nr; i++) {
		const struct tally *tally = find_tally(account, i);

		if (tally)
			add_self(account, grouping_stack_key(account->grouping, (uint32_t)i),
				 tally);
	}
	grouping_rest(account->grouping);
	sums = xcalloc(names->nodes_nr, sizeof(*sums));
	for (uint32_t key = 0; key < account->entries_nr && key < grouping_nr(account->grouping);
	     key++)
		sums[grouping_get(account->grouping, key)->stack] = account->entries[key].self_ns;
	for (size_t i = names->nodes_nr; i-- > STACK_EMPTY + 1;)
		add(&sums[names->nodes[i].parent], sums[i]);
	for (uint32_t key = 0; key < account->entries_nr && key < grouping_nr(account->grouping);
	     key++)
		account->entries[key].total_ns = sums[grouping_get(account->grouping, key)->stack];
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
static void add_rooted(struct cpu_account *account, const struct rooted *keys, size_t nr,
		       int64_t *sums)
{
	const struct stack_node *nodes = grouping_names(account->grouping)->nodes;

	for (size_t i = 0; i < nr; i++) {
		int64_t self = account->entries[keys[i].key].self_ns;

		for (uint32_t at = keys[i].stack; at != STACK_EMPTY; at = nodes[at].parent)
			add(&sums[at], self);
	}
	for (size_t i = 0; i < nr; i++)
		account->entries[keys[i].key].total_ns = sums[keys[i].stack];
	for (size_t i = 0; i < nr; i++)
		for (uint32_t at = keys[i].stack; at != STACK_EMPTY; at = nodes[at].parent)
			sums[at] = 0;
}

static void finish_rooted(struct cpu_account *account)
{
	size_t nr = account->nr < grouping_nr(account->grouping) ? account->nr
								 : grouping_nr(account->grouping);
	struct rooted *keys = xcalloc(nr + 1, sizeof(*keys));
	int64_t *sums = xcalloc(grouping_names(account->grouping)->nodes_nr, sizeof(*sums));

	for (size_t i = 0; i < nr; i++) {
		const struct group *group = grouping_get(account->grouping, (uint32_t)i);

		add_self(account, (uint32_t)i, &account->v[i]);
		keys[i] = (struct rooted){ group->root, group->stack, (uint32_t)i };
	}
	qsort(keys, nr, sizeof(*keys), compare_roots);
	for (size_t i = 0, of_root; i < nr; i += of_root) {
		for (of_root = 1; i + of_root < nr && keys[i + of_root].root == keys[i].root;)
			of_root++;
		add_rooted(account, &keys[i], of_root, sums);
	}
	free(keys);
	free(sums);
}

const struct cpu_entry *cpu_account_finish(struct cpu_account *account, size_t *nr)
{
	size_t keys;

	if (!grouping_by_stacks(account->grouping))
		finish_plain(account);
	else if (grouping_has_roots(account->grouping))
		finish_rooted(account);
	else if (grouping_kind(account->grouping) == BY_STACK)
		finish_stacks(account);
	else
		tell_frames(account, account->of_stack_nr);
	keys = grouping_nr(account->grouping);
	if (keys)
		entry_of(account, (uint32_t)keys - 1);
	*nr = keys;
	return account->entries;
}

void cpu_account_rest(struct cpu_account *account)
{
	free(account->v);
	free(account->of_stack);
	free(account->marks.v);
	account->v = NULL;
	account->of_stack = NULL;
	account->of_stack_nr = 0;
	account->marks = (struct marks){ NULL, 0 };
}

struct cpu_entry cpu_account_total(const struct cpu_account *account)
{
	return account->total;
}
