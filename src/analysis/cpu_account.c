#include "analysis/cpu_account.h"

#include <stdlib.h>

#include "analysis/cpu_joined.h"
#include "analysis/cpu_stacks.h"
#include "analysis/cpu_totals.h"
#include "analysis/stack_end.h"
#include "util/array.h"
#include "util/hash_index.h"
#include "util/wrap.h"

/*
 * Tallies are scattered in memory: of this number of samples they are fetched together, and then counted.
 */
#define WAITING 32

struct waiting {
	struct completer_samples samples;
	uint32_t stack;
	bool completed;
};

/* A sample that is kept by itself: its number takes the place of the place in its tally. */
struct kept {
	int64_t time_ns;
	uint32_t place;
	int32_t cpu;
};

struct cpu_account {
	struct machine *machine;
	struct grouping *grouping;
	int64_t from_ns, to_ns;
	struct stack_tally *v; /* by key; by stacks: in the order in which they were first seen */
	size_t nr, alloc;
	/*
	 * By the stacks of the machine, few of which have samples: index of the tally, plus one; of several places that of
	 * the last sample.
	 */
	uint32_t *of_stack;
	size_t of_stack_nr, of_stack_alloc;
	bool known; /* the stacks are, and have their order, from the start */
	struct waiting waiting[WAITING];
	size_t waiting_nr;
	struct hash_index of_place; /* if keys have places: tallies by place and stack */
	size_t named; /* BY_STACK: the functions of the first `named` stacks of the machine are known */
	uint32_t *ends; /* by module and by function: see cpu_totals_ends(); NULL: unknown */
	struct cpu_entry *entries; /* by key */
	size_t entries_nr;
	struct cpu_entry total;
	struct cpu_exact *exact; /* by key */
	size_t exact_nr, exact_alloc;
	struct cpu_exact exact_total, gaps;
	struct cpu_stacks *stacks; /* NULL: keys are not found by stacks */
	bool keeps;
	struct kept *kept;
	size_t kept_nr, kept_alloc;
};

static completer_fn count_stack;

struct cpu_account *cpu_account_new(struct machine *machine, struct grouping *grouping,
				    int64_t from_ns, int64_t to_ns, bool complete)
{
	struct cpu_account *account = xcalloc(1, sizeof(*account));

	account->machine = machine;
	account->grouping = grouping;
	account->from_ns = from_ns;
	account->to_ns = to_ns;
	account->named = STACK_EMPTY + 1;
	account->known = machine->known_stacks.v;
	if (grouping_by_stacks(grouping))
		account->stacks = cpu_stacks_new(machine, complete, count_stack, account);
	return account;
}

void cpu_account_keep_samples(struct cpu_account *account)
{
	account->keeps = true;
}

void cpu_account_free(struct cpu_account *account)
{
	if (!account)
		return;
	cpu_stacks_free(account->stacks);
	cpu_account_trim(account);
	free(account->entries);
	free(account->exact);
	free(account->kept);
	free(account);
}

static struct cpu_entry *entry_of(struct cpu_account *account, uint32_t key)
{
	ARRAY_GROW_ZERO(account->entries, (size_t)key + 1, account->entries_nr);
	return &account->entries[key];
}

static void add_self(struct cpu_account *account, uint32_t key, const struct stack_tally *tally)
{
	struct cpu_entry *entry = entry_of(account, key);

	wrap_add_to(&entry->samples, tally->samples);
	wrap_add_to(&entry->self_ns, tally->ns);
}

/* Totals are of frames' keys, of which a class of whole stacks has none. */
static void finish_frames(struct cpu_account *account)
{
	const struct stack_table *stacks = &account->machine->stacks;
	struct dimension *inner = grouping_inner(account->grouping);
	bool totals = dimension_has_frame_keys(inner);

	if (totals && !account->ends)
		account->ends = cpu_totals_ends(stacks, account->v, account->nr);
	if (totals)
		cpu_totals_make_keys(account->ends, stacks, inner);
	for (size_t i = 0; i < account->nr; i++) {
		const struct stack_tally *tally = &account->v[i];
		uint32_t key = dimension_stack_key(inner, tally->stack);

		add_self(account, key, tally);
		if (tally->stack == STACK_EMPTY || dimension_get(inner, key)->whole)
			wrap_add_to(&entry_of(account, key)->total_ns, tally->ns);
	}
	if (dimension_nr(inner))
		entry_of(account, (uint32_t)dimension_nr(inner) - 1);
	dimension_trim(inner);
	if (totals)
		cpu_totals_add(account->ends, stacks, account->v, account->nr, inner,
			       account->entries);
	cpu_account_trim(account);
}

/* The names are stacks enough: those of the machine are freed before the keys, which take as much room, are made. */
static void finish_stacks(struct cpu_account *account)
{
	struct dimension *inner = grouping_inner(account->grouping);
	const struct stack_table *names;
	size_t keys;
	int64_t *sums;

	for (size_t i = 0; i < account->nr; i++)
		account->v[i].stack = dimension_stack_name(inner, account->v[i].stack);
	dimension_trim(inner);
	stack_table_forget_stacks(&account->machine->stacks);
	for (size_t i = 0; i < account->nr; i++)
		add_self(account, dimension_name_key(inner, account->v[i].stack), &account->v[i]);
	dimension_trim(inner);
	cpu_account_trim(account);
	names = dimension_names(inner);
	keys = dimension_nr(inner);
	sums = xcalloc(names->nodes_nr, sizeof(*sums));
	for (uint32_t key = 0; key < keys; key++)
		sums[dimension_get(inner, key)->stack] = account->entries[key].self_ns;
	cpu_totals_sum_up(names, sums);
	for (uint32_t key = 0; key < keys; key++)
		account->entries[key].total_ns = sums[dimension_get(inner, key)->stack];
	free(sums);
}

/* Keys are the places. */
static void finish_places(struct cpu_account *account)
{
	for (size_t i = 0; i < account->nr; i++) {
		const struct stack_tally *tally = &account->v[i];

		add_self(account, tally->place, tally);
		wrap_add_to(&entry_of(account, tally->place)->total_ns, tally->ns);
	}
	if (grouping_nr(account->grouping))
		entry_of(account, (uint32_t)grouping_nr(account->grouping) - 1);
}

static size_t add_tally(struct cpu_account *account, uint32_t place, uint32_t stack)
{
	ARRAY_GROW(account->v, account->nr + 1, account->alloc);
	account->v[account->nr] = (struct stack_tally){ .stack = stack, .place = place };
	return account->nr++;
}

static uint64_t placed_key(uint32_t place, uint32_t stack)
{
	return (uint64_t)place << 32 | stack;
}

/* Index plus one. */
static uint32_t find_placed(struct cpu_account *account, uint32_t place, uint32_t stack)
{
	uint64_t key = placed_key(place, stack);
	uint32_t at;

	HASH_INDEX_FIND(at, &account->of_place, key, i,
			account->v[i].stack == stack && account->v[i].place == place);
	if (at == HASH_INDEX_NONE) {
		at = (uint32_t)add_tally(account, place, stack);
		hash_index_add(&account->of_place, key, at);
	}
	return at + 1;
}

static struct stack_tally *tally_of_stack(struct cpu_account *account, uint32_t place,
					  uint32_t stack)
{
	bool places = grouping_has_places(account->grouping);
	uint32_t *at;

	ARRAY_REACH(account->of_stack, (size_t)stack + 1, account->of_stack_nr,
		    account->of_stack_alloc);
	at = &account->of_stack[stack];
	if (places && (!*at || account->v[*at - 1].place != place))
		*at = find_placed(account, place, stack);
	else if (!*at)
		*at = (uint32_t)add_tally(account, 0, stack) + 1;
	return &account->v[*at - 1];
}

static struct stack_tally *tally_of(struct cpu_account *account, uint32_t place, uint32_t stack)
{
	if (account->keeps) {
		size_t at = add_tally(account, place, stack); /* may move them */

		return &account->v[at];
	}
	return tally_of_stack(account, place, stack);
}

static void count(struct cpu_account *account, struct stack_tally *tally, int64_t samples,
		  int64_t ns)
{
	tally->samples += (uint32_t)samples;
	wrap_add_to(&tally->ns, ns);
	account->total.samples += samples;
	wrap_add_to(&account->total.self_ns, ns);
	wrap_add_to(&account->total.total_ns, ns);
}

static void count_waiting(struct cpu_account *account, const struct waiting *waiting)
{
	const struct completer_samples *samples = &waiting->samples;
	struct stack_tally *tally = tally_of(account, samples->place, waiting->stack);

	tally->unwound += (uint32_t)samples->unwound;
	if (waiting->completed)
		wrap_add_to(&tally->completed_ns, samples->ns);
	count(account, tally, samples->samples, samples->ns);
}

/* `at`: the index plus one; 0: there is none. */
static void fetch_tally(const struct cpu_account *account, uint32_t at)
{
	if (at)
		__builtin_prefetch(&account->v[at - 1]);
}

static void count_all_waiting(struct cpu_account *account)
{
	for (size_t i = 0; i < account->waiting_nr; i++) {
		const struct waiting *waiting = &account->waiting[i];
		uint32_t stack = waiting->stack;

		fetch_tally(account, hash_index_first(&account->of_place,
						      placed_key(waiting->samples.place, stack)) +
					     1);
		if (stack < account->of_stack_nr)
			fetch_tally(account, account->of_stack[stack]);
	}
	for (size_t i = 0; i < account->waiting_nr; i++)
		count_waiting(account, &account->waiting[i]);
	account->waiting_nr = 0;
}

static void count_stack(void *data, uint32_t stack, bool completed,
			const struct completer_samples *samples)
{
	struct cpu_account *account = data;

	/* Only its stack was needed. */
	if (!samples->samples)
		return;
	if (stack < account->of_stack_nr)
		__builtin_prefetch(&account->of_stack[stack]);
	hash_index_prefetch(&account->of_place, placed_key(samples->place, stack));
	account->waiting[account->waiting_nr++] = (struct waiting){ *samples, stack, completed };
	if (account->waiting_nr == WAITING)
		count_all_waiting(account);
}

bool cpu_account_needs_all(const struct cpu_account *account)
{
	return account->stacks && cpu_stacks_need_all(account->stacks);
}

static bool is_in_range(const struct cpu_account *account, const struct trace_event *event)
{
	return event->time_ns >= account->from_ns &&
	       (event->time_ns < account->to_ns || account->to_ns == INT64_MAX);
}

/* The process of an event, and its place, GROUP_NONE if the filter leaves it out; NULL: it has none. */
static struct trace_process *find_place(const struct cpu_account *account,
					const struct trace_event *event, uint32_t *place)
{
	struct trace_process *process =
		machine_process(account->machine, event->pid, event->time_ns);
	const struct trace_thread *thread = NULL;

	if (!process)
		return NULL;
	if (grouping_needs_thread(account->grouping)) {
		thread = machine_thread(account->machine, event);
		if (!thread)
			return NULL;
	}
	*place = grouping_place(account->grouping, process, thread);
	return process;
}

/* The process of a sample, and its place; NULL: nothing is to be done with it. */
static struct trace_process *find_process(const struct cpu_account *account,
					  const struct trace_event *event, uint32_t *place)
{
	struct trace_process *process;
	bool all = cpu_account_needs_all(account);

	/* Stacks outside the range complete those within. */
	if (!all && !is_in_range(account, event))
		return NULL;
	process = find_place(account, event, place);
	if (!process || *place != GROUP_NONE)
		return process;
	/* Stacks of what is not counted complete those of what is. */
	return all ? process : NULL;
}

/*
 * What the event counts for, and its process. False: nothing is to be done with it. Call it for events of all kinds, each
 * once.
 */
static bool find_sample(struct cpu_account *account, const struct trace_event *event,
			struct cpu_sample *sample, struct trace_process **process)
{
	struct completer_samples *samples = &sample->samples;

	*process = NULL;
	if (!cpu_stacks_see(account->stacks, event, sample))
		return false;
	if (!cpu_step_has_stack(sample->step))
		return true;
	*process = find_process(account, event, &samples->place);
	if (samples->place != GROUP_NONE && is_in_range(account, event)) {
		samples->samples = 1;
		samples->ns = event->cpu_sample.weight_ns;
		if (account->keeps) {
			ARRAY_ADD(account->kept, account->kept_nr, account->kept_alloc,
				  (struct kept){ event->time_ns, samples->place, event->cpu });
			samples->place = (uint32_t)account->kept_nr - 1;
		}
	} else {
		samples->unwound = 0;
	}
	return *process;
}

static void apply_sample(struct cpu_account *account, const struct trace_event *event)
{
	uint32_t place = GROUP_NONE, key;

	if (event->kind != TRACE_CPU || event->cpu_sample.stack_only ||
	    !find_process(account, event, &place))
		return;
	key = grouping_key(account->grouping, place, STACK_EMPTY);
	ARRAY_REACH(account->v, (size_t)key + 1, account->nr, account->alloc);
	count(account, &account->v[key], 1, event->cpu_sample.weight_ns);
}

/* Of keys that are not found by stacks. A run is counted by what is known of its process when it ends. */
static void apply_run(struct cpu_account *account, const struct trace_event *event)
{
	struct cpu_exact exact = { 0, 0, 0, 0 };
	uint32_t place = GROUP_NONE, key;

	cpu_exact_add(&exact, &event->run, account->from_ns, account->to_ns);
	if (event->run.gap) {
		cpu_exact_join(&account->gaps, &exact);
		return;
	}
	if (!exact.run_ns && !exact.ready_ns && !exact.blocked_ns && !exact.switches)
		return;
	if (!find_place(account, event, &place) || place == GROUP_NONE)
		return;
	key = grouping_key(account->grouping, place, STACK_EMPTY);
	ARRAY_REACH(account->exact, (size_t)key + 1, account->exact_nr, account->exact_alloc);
	cpu_exact_join(&account->exact[key], &exact);
	cpu_exact_join(&account->exact_total, &exact);
}

void cpu_account_apply(struct cpu_account *account, const struct trace_event *event)
{
	struct trace_process *process;
	struct cpu_sample sample;

	if (event->kind == TRACE_RUN) {
		if (!account->stacks)
			apply_run(account, event);
		return;
	}
	if (event->kind != TRACE_CPU)
		grouping_update(account->grouping, event);
	if (!account->stacks)
		apply_sample(account, event);
	else if (find_sample(account, event, &sample, &process))
		cpu_stacks_apply(account->stacks, event, process, &sample);
}

bool cpu_account_prepare(struct cpu_account *account, const struct trace_event *event,
			 struct cpu_samples *samples)
{
	struct trace_process *process;
	struct cpu_sample sample;

	if (!account->stacks || !cpu_stacks_may_defer(event))
		return false;
	if (event->kind != TRACE_CPU)
		grouping_update(account->grouping, event);
	if (find_sample(account, event, &sample, &process))
		cpu_stacks_defer(account->stacks, event, process, &sample, samples);
	return true;
}

void cpu_account_count(struct cpu_account *account, const struct cpu_samples *samples)
{
	if (account->stacks)
		cpu_stacks_take(account->stacks, samples);
}

/* Only counting looks for the tally of a stack. */
static void forget_stacks(struct cpu_account *account)
{
	free(account->of_stack);
	hash_index_release(&account->of_place);
	account->of_stack = NULL;
	account->of_stack_nr = account->of_stack_alloc = 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct stack_tally *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* The same tallies in another order. */
static void set_tallies(struct cpu_account *account, struct stack_tally *sorted)
{
	free(account->v);
	account->v = sorted;
	account->alloc = account->nr + 1;
}

static bool are_sorted(const struct stack_tally *v, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (v[i].stack < v[i - 1].stack ||
		    (v[i].stack == v[i - 1].stack && v[i].place < v[i - 1].place))
			return false;
	return true;
}

/* Sort the tallies by stack, as stacks are numbered. Stacks are mostly as many as tallies. */
static void sort_by_stack(struct cpu_account *account)
{
	size_t stacks = account->machine->stacks.nodes_nr, nr = 0;
	uint32_t *last = xcalloc(stacks, sizeof(*last)); /* by stack: the tally's number + 1 */
	uint32_t *before = xcalloc(account->nr + 1, sizeof(*before)); /* by that number */
	struct stack_tally *sorted = xreallocarray(NULL, account->nr + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < account->nr; i++) {
		before[i + 1] = last[account->v[i].stack];
		last[account->v[i].stack] = i + 1;
	}
	for (size_t stack = 0; stack < stacks; stack++) {
		for (uint32_t at = last[stack]; at; at = before[at])
			sorted[nr++] = account->v[at - 1];
	}
	free(before);
	free(last);
	set_tallies(account, sorted);
}

/* The same, and those of a stack by place. */
static void sort_tallies(struct cpu_account *account)
{
	struct stack_tally *v;

	if (are_sorted(account->v, account->nr))
		return;
	sort_by_stack(account);
	v = account->v;
	for (size_t i = 0, nr; i < account->nr; i += nr) {
		for (nr = 1; i + nr < account->nr && v[i + nr].stack == v[i].stack;)
			nr++;
		if (nr > 1)
			qsort(v + i, nr, sizeof(*v), compare_places);
	}
}

/* Known stacks have their order: the index that counting used has that of the tallies. */
static void sort_known(struct cpu_account *account)
{
	struct stack_tally *sorted = xreallocarray(NULL, account->nr + 1, sizeof(*sorted));
	size_t nr = 0;

	for (size_t stack = 0; stack < account->of_stack_nr; stack++) {
		if (account->of_stack[stack])
			sorted[nr++] = account->v[account->of_stack[stack] - 1];
	}
	set_tallies(account, sorted);
}

void cpu_account_end(struct cpu_account *account)
{
	if (account->stacks)
		cpu_stacks_end(account->stacks);
	count_all_waiting(account);
	if (account->of_stack && account->known && !grouping_has_places(account->grouping))
		sort_known(account);
	forget_stacks(account);
}

void cpu_account_keep_counted(struct cpu_account *account)
{
	struct stack_table *stacks = &account->machine->stacks;
	uint32_t *numbers;

	if (!account->stacks)
		return;
	numbers = xcalloc(stacks->nodes_nr, sizeof(*numbers));
	for (size_t i = 0; i < account->nr; i++)
		numbers[account->v[i].stack] = 1;
	if (stack_table_keep(stacks, numbers)) {
		for (size_t i = 0; i < account->nr; i++)
			account->v[i].stack = numbers[account->v[i].stack];
	}
	free(numbers);
	sort_tallies(account);
}

/* Whether each frame is the root of a chain that breaks, as far as that was asked. */
struct roots {
	uint8_t *known;
	cpu_breaks_fn *breaks;
	void *data;
};

static bool breaks_at(struct roots *roots, uint32_t root)
{
	enum { UNKNOWN, BREAKS, STARTS };
	uint8_t *known = &roots->known[root];

	if (*known == UNKNOWN)
		*known = roots->breaks(roots->data, root) ? BREAKS : STARTS;
	return *known == BREAKS;
}

/* Tallies of chains that break come after the others, as their new stacks do. */
void cpu_account_mark_truncated(struct cpu_account *account, cpu_breaks_fn *breaks, void *data)
{
	struct stack_table *stacks = &account->machine->stacks;
	struct roots known = { .breaks = breaks, .data = data };
	struct stack_tally *broken = NULL;
	uint32_t *roots, *marked;
	size_t nr = 0, broken_nr = 0, alloc = 0;

	if (!grouping_by_stacks(account->grouping))
		return;
	known.known = xcalloc(stacks->frames_nr, sizeof(*known.known));
	roots = stack_roots_of_all(stacks);
	for (size_t i = 0; i < account->nr; i++) {
		const struct stack_tally *tally = &account->v[i];
		uint32_t root = roots[tally->stack];

		if (root != FRAME_TRUNCATED && tally->samples != tally->unwound &&
		    breaks_at(&known, root))
			ARRAY_ADD(broken, broken_nr, alloc, *tally);
		else
			account->v[nr++] = *tally;
	}
	free(roots);
	free(known.known);
	marked = xcalloc(broken_nr + 1, sizeof(*marked));
	for (size_t i = 0; i < broken_nr; i++)
		marked[i] = broken[i].stack;
	stack_mark_truncated(stacks, marked, broken_nr);
	for (size_t i = 0; i < broken_nr; i++) {
		account->v[nr] = broken[i];
		account->v[nr++].stack = marked[i];
	}
	free(marked);
	free(broken);
}

int64_t cpu_account_completed_ns(const struct cpu_account *account)
{
	int64_t sum = 0;

	for (size_t i = 0; i < account->nr; i++)
		wrap_add_to(&sum, account->v[i].completed_ns);
	return sum;
}

int64_t cpu_account_gap_ns(const struct cpu_account *account)
{
	const struct stack_table *stacks = &account->machine->stacks;
	bool *gaps;
	int64_t sum = 0;

	if (!grouping_by_stacks(account->grouping))
		return 0;
	gaps = xcalloc(stacks->nodes_nr, sizeof(*gaps));
	/* A caller's stack has a smaller id. */
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++)
		gaps[i] = gaps[stacks->nodes[i].parent] || stacks->nodes[i].frame == FRAME_MISSING;
	for (size_t i = 0; i < account->nr; i++) {
		if (gaps[account->v[i].stack])
			wrap_add_to(&sum, account->v[i].ns);
	}
	free(gaps);
	return sum;
}

void cpu_account_add_stacks(const struct cpu_account *account, const struct stack_end *ends,
			    struct stack_quality *quality)
{
	for (size_t i = 0; grouping_by_stacks(account->grouping) && i < account->nr; i++) {
		const struct stack_tally *tally = &account->v[i];

		stack_quality_add(quality, ends[tally->stack], tally->samples - tally->unwound,
				  tally->unwound);
	}
}

void cpu_account_filter(struct cpu_account *account)
{
	size_t nr = 0;

	if (!grouping_filters_stacks(account->grouping))
		return;
	account->total = (struct cpu_entry){ 0, 0, 0 };
	for (size_t i = 0; i < account->nr; i++) {
		const struct stack_tally *tally = &account->v[i];

		if (!grouping_passes(account->grouping, tally->stack))
			continue;
		account->total.samples += tally->samples;
		wrap_add_to(&account->total.self_ns, tally->ns);
		wrap_add_to(&account->total.total_ns, tally->ns);
		account->v[nr++] = *tally;
	}
	account->nr = nr;
}

void cpu_account_finish_early(struct cpu_account *account, size_t frames)
{
	const struct stack_table *stacks = &account->machine->stacks;
	struct dimension *inner = grouping_inner(account->grouping);

	if (!inner || grouping_filters_stacks(account->grouping))
		return;
	if (dimension_has_classes(inner)) {
		dimension_classify_frames(inner, frames);
		return;
	}
	if (dimension_kind(inner) != BY_STACK) {
		if (!account->ends && inner == grouping_only(account->grouping))
			account->ends = cpu_totals_ends(stacks, account->v, account->nr);
		return;
	}
	while (account->named < stacks->nodes_nr && stacks->nodes[account->named].frame < frames)
		account->named++;
	dimension_name_stacks(inner, account->named);
}

/* Finish an account whose keys are not found by stacks. */
static void finish_plain(struct cpu_account *account)
{
	size_t nr = grouping_nr(account->grouping);

	account->entries = xcalloc(nr + 1, sizeof(*account->entries));
	for (size_t i = 0; i < account->nr && i < nr; i++) {
		const struct stack_tally *tally = &account->v[i];

		account->entries[i] = (struct cpu_entry){ tally->samples, tally->ns, tally->ns };
	}
}

const struct cpu_entry *cpu_account_finish(struct cpu_account *account, size_t *nr)
{
	struct dimension *inner = grouping_inner(account->grouping);

	if (!grouping_by_stacks(account->grouping))
		finish_plain(account);
	else if (!inner)
		finish_places(account);
	else if (inner != grouping_only(account->grouping))
		account->entries =
			cpu_joined_entries(account->machine, account->grouping, account->v,
					   account->nr, &account->entries_nr);
	else if (dimension_kind(inner) != BY_STACK)
		finish_frames(account);
	else
		finish_stacks(account);
	*nr = grouping_nr(account->grouping);
	return account->entries;
}

const struct stack_tally *cpu_account_tallies(struct cpu_account *account, size_t *nr)
{
	for (size_t i = 0; i < account->nr; i++) {
		if (account->v[i].stack == STACK_EMPTY)
			account->v[i].stack = stack_table_push(&account->machine->stacks,
							       STACK_EMPTY, FRAME_TRUNCATED);
	}
	*nr = account->nr;
	return account->v;
}

void cpu_account_give_samples(struct cpu_account *account, const struct cpu_sink *sink)
{
	for (size_t i = 0; i < account->nr; i++) {
		const struct stack_tally *tally = &account->v[i];
		const struct kept *kept = &account->kept[tally->place];

		sink->add(sink->data,
			  &(struct cpu_moment){
				  .time_ns = kept->time_ns,
				  .ns = tally->ns,
				  .key = grouping_key(account->grouping, kept->place, tally->stack),
				  .cpu = kept->cpu,
			  });
	}
}

void cpu_account_trim(struct cpu_account *account)
{
	free(account->v);
	free(account->ends);
	forget_stacks(account);
	account->v = NULL;
	account->ends = NULL;
	account->nr = 0;
}

struct cpu_entry cpu_account_total(const struct cpu_account *account)
{
	return account->total;
}

struct cpu_exact cpu_account_exact(const struct cpu_account *account, uint32_t key)
{
	return key < account->exact_nr ? account->exact[key] : (struct cpu_exact){ 0, 0, 0, 0 };
}

struct cpu_exact cpu_account_exact_total(const struct cpu_account *account)
{
	return account->exact_total;
}

struct cpu_exact cpu_account_exact_gaps(const struct cpu_account *account)
{
	return account->gaps;
}
