#include "analysis/cpu_account.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/intmap.h"
#include "util/wrap.h"

struct cpu_account {
	struct machine *machine;
	struct grouping *grouping;
	int64_t from_ns, to_ns;
	struct stack_tally *v; /* by key; or in the order in which stacks came up */
	size_t nr, alloc;
	/* By the machine's stacks, few of which are a leaf's: tallies, plus one. */
	uint32_t *of_stack;
	size_t of_stack_nr, of_stack_alloc;
	struct intmap of_root;       /* instead, where keys have roots: by root and stack */
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
	cpu_account_rest(account);
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
		grouping_follow(account->grouping, event);
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
		grouping_follow(account->grouping, event);
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

/* Where keys are not told by stacks. */
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

void cpu_account_rest(struct cpu_account *account)
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
