#include "report/page_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/cpu_entry.h"
#include "platform/program.h"
#include "report/frame_merge.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/wrap.h"

struct collector {
	struct page_stacks *stacks;
	const struct results *results;
	struct dimension *dimension; /* BY_STACK */
	const struct stack_table *names;
	struct page_columns *columns;
	struct intmap places;
	uint32_t unknown; /* the place of a process that is not in the list */
	uint32_t *nodes;  /* by stack of names: of the tree */
	bool *merged;     /* the same: it is [other] there */
	uint32_t *sites;  /* by key of BY_STACK, or by counted stack of CPU time: plus one */
	size_t sites_nr, sites_alloc;
	struct hash_index of_site;
};

/* A memory estimate may be negative: what counts is how much it is. */
static int64_t amount(int64_t value)
{
	return value >= 0 ? value : value == INT64_MIN ? INT64_MAX : -value;
}

static const struct ledger_entry *memory_of(const struct results *results, size_t key)
{
	return results_entry(results, key);
}

/* What stacks weigh, by stack of names; sums are those with all stacks that continue them. */
struct weights {
	int64_t *sums; /* CPU time, or committed */
	int64_t *held; /* at the peak; NULL: CPU time is not held */
};

static void sum_up(const struct stack_table *names, int64_t *sums)
{
	for (size_t i = names->nodes_nr; sums && i-- > STACK_EMPTY + 1;)
		wrap_add_to(&sums[names->nodes[i].parent], sums[i]);
}

static struct weights weigh_cpu(struct collector *collector)
{
	const struct results *results = collector->results;
	struct weights weights = { .held = NULL };

	dimension_name_stacks(collector->dimension, results->counted->nodes_nr);
	weights.sums = xcalloc(collector->names->nodes_nr, sizeof(*weights.sums));
	for (size_t i = 0; i < results->tallies_nr; i++) {
		const struct stack_tally *tally = &results->tallies[i];
		uint32_t name = dimension_stack_name(collector->dimension, tally->stack);

		wrap_add_to(&weights.sums[name], amount(tally->ns));
	}
	return weights;
}

static struct weights weigh_memory(const struct collector *collector)
{
	const struct results *results = collector->results;
	struct weights weights = {
		xcalloc(collector->names->nodes_nr, sizeof(*weights.sums)),
		xcalloc(collector->names->nodes_nr, sizeof(*weights.held)),
	};

	for (size_t key = 0; key < results->nr; key++) {
		uint32_t stack = grouping_part(results->grouping, (uint32_t)key, BY_STACK)->stack;

		wrap_add_to(&weights.sums[stack], amount(memory_of(results, key)->size));
		wrap_add_to(&weights.held[stack], amount(memory_of(results, key)->at_peak));
	}
	return weights;
}

static uint32_t tree_name(struct collector *collector, uint32_t *known, uint32_t name)
{
	if (!known[name]) {
		const char *text = results_function_name(collector->results, name);

		known[name] = frame_tree_name(&collector->stacks->tree, text, strlen(text)) + 1;
	}
	return known[name] - 1;
}

/* Names that are short are equal more often: stacks with equal ones are one node. */
static void make_tree(struct collector *collector, double share)
{
	struct frame_tree *tree = &collector->stacks->tree;
	struct weights weights =
		collector->results->account->cpu ? weigh_cpu(collector) : weigh_memory(collector);
	const struct stack_node *nodes = collector->names->nodes;
	uint32_t *known = xcalloc(collector->results->functions->names_nr + 1, sizeof(*known));
	bool *merged = xcalloc(collector->names->nodes_nr, sizeof(*merged));
	uint32_t other = frame_tree_name(tree, FRAME_MERGED, strlen(FRAME_MERGED));
	int64_t *sums = weights.sums, *held = weights.held, least, least_held = 0;

	sum_up(collector->names, sums);
	sum_up(collector->names, held);
	least = frame_merge_least(sums[STACK_EMPTY], share);
	if (held)
		least_held = frame_merge_least(held[STACK_EMPTY], share);
	collector->merged = merged;
	collector->nodes = xcalloc(collector->names->nodes_nr, sizeof(*collector->nodes));
	for (size_t i = STACK_EMPTY + 1; i < collector->names->nodes_nr; i++) {
		uint32_t parent = nodes[i].parent;

		if (!sums[i] && !(held && held[i]))
			continue;
		merged[i] = merged[parent] || (sums[i] < least && !(held && held[i] >= least_held));
		collector->stacks->merged += merged[i];
		collector->nodes[i] =
			merged[parent] ? collector->nodes[parent]
				       : frame_tree_child(tree, collector->nodes[parent],
							  merged[i] ? other
								    : tree_name(collector, known,
										nodes[i].frame));
	}
	free(known);
	free(sums);
	free(held);
}

static uint32_t find_site(struct collector *collector, const struct page_site *site)
{
	struct page_stacks *stacks = collector->stacks;
	uint64_t key = (uint64_t)site->node << 32 ^ (uint64_t)site->phase << 16 ^ site->query ^
		       (uint64_t)site->allocator << 8;
	uint32_t at;

	HASH_INDEX_FIND(at, &collector->of_site, key, i,
			!memcmp(&stacks->sites[i], site, sizeof(*site)));
	if (at != HASH_INDEX_NONE)
		return at;
	at = (uint32_t)stacks->sites_nr;
	hash_index_add(&collector->of_site, key, at);
	ARRAY_ADD(stacks->sites, stacks->sites_nr, stacks->sites_alloc, *site);
	return at;
}

/* The site of what is at `number` of `sites`, a group of BY_STACK. */
static uint32_t site_of_group(struct collector *collector, size_t number, const struct group *group)
{
	ARRAY_REACH(collector->sites, number + 1, collector->sites_nr, collector->sites_alloc);
	if (!collector->sites[number]) {
		const struct page_site site = {
			.node = collector->nodes[group->stack],
			.phase = page_columns_text(collector->columns,
						   dimension_class_name(collector->dimension,
									STACK_PHASE, group->phase)),
			.query = page_columns_text(collector->columns,
						   dimension_class_name(collector->dimension,
									STACK_QUERY, group->query)),
			.allocator = collector->merged[group->stack] ? 0 : group->allocator_frames,
		};

		collector->sites[number] = find_site(collector, &site) + 1;
	}
	return collector->sites[number] - 1;
}

/* The site of a key of the results. Those of different processes often have one stack. */
static uint32_t site_of(struct collector *collector, size_t key)
{
	const struct group *group =
		grouping_part(collector->results->grouping, (uint32_t)key, BY_STACK);

	return site_of_group(collector, (size_t)(group - dimension_get(collector->dimension, 0)),
			     group);
}

/* The same of a counted stack. */
static uint32_t site_of_stack(struct collector *collector, uint32_t stack)
{
	struct dimension *dimension = collector->dimension;

	if (stack < collector->sites_nr && collector->sites[stack])
		return collector->sites[stack] - 1;
	return site_of_group(
		collector, stack,
		&(struct group){ .stack = dimension_stack_name(dimension, stack),
				 .phase = dimension_stack_class(dimension, STACK_PHASE, stack),
				 .query = dimension_stack_class(dimension, STACK_QUERY, stack) });
}

static uint32_t place_of_process(const struct collector *collector, const struct process *process)
{
	size_t place = process_list_place(&collector->places, process);

	return place == PROCESS_NO_PLACE ? collector->unknown : (uint32_t)place;
}

static uint32_t place_of(const struct collector *collector, size_t key)
{
	return place_of_process(
		collector,
		grouping_part(collector->results->grouping, (uint32_t)key, BY_PROCESS)->process);
}

/* A place of the grouping, and what records of it have. */
struct place {
	uint32_t step, process, number;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The first `nr` places by step and process. The caller frees the result. */
static struct place *sort_places(const struct collector *collector, uint32_t nr)
{
	struct place *places = xcalloc((size_t)nr + 1, sizeof(*places));

	for (uint32_t i = 0; i < nr; i++) {
		const struct group *group =
			grouping_place_part(collector->results->grouping, i, BY_PROCESS_STEP);

		places[i] = (struct place){ group->step,
					    place_of_process(collector, group->process), i };
	}
	if (nr)
		qsort(places, nr, sizeof(*places), compare_places);
	return places;
}

/* The numbers of the tallies, by step and process; those of a place in their order. The caller frees the result. */
static uint32_t *order_tallies(const struct collector *collector)
{
	const struct stack_tally *tallies = collector->results->tallies;
	size_t nr = collector->results->tallies_nr, sum = 0;
	uint32_t *order = xcalloc(nr + 1, sizeof(*order)), places_nr = 0;
	struct place *places;
	size_t *ends;

	for (size_t i = 0; i < nr; i++)
		places_nr = tallies[i].place >= places_nr ? tallies[i].place + 1 : places_nr;
	places = sort_places(collector, places_nr);
	ends = xcalloc((size_t)places_nr + 1, sizeof(*ends));
	for (size_t i = 0; i < nr; i++)
		ends[tallies[i].place]++;
	for (uint32_t i = 0; i < places_nr; i++) {
		size_t *end = &ends[places[i].number], here = *end;

		*end = sum;
		sum += here;
	}
	for (size_t i = 0; i < nr; i++)
		order[ends[tallies[i].place]++] = (uint32_t)i;
	free(places);
	free(ends);
	return order;
}

/* Records, as they are made. */
struct recorder {
	struct page_stacks *stacks;
	size_t alloc;
	size_t *last; /* by site: its last record, plus one */
	size_t last_nr, last_alloc;
};

static bool is_same_time(const struct page_record *a, const struct page_record *b)
{
	return a->step == b->step && a->process == b->process;
}

/* Add to the last record of the site if it is of the same step and process: most that are equal are found so. */
static void add_record(struct recorder *recorder, const struct page_record *record)
{
	struct page_stacks *stacks = recorder->stacks;
	struct page_record *at;
	size_t *last;

	ARRAY_REACH(recorder->last, (size_t)record->site + 1, recorder->last_nr,
		    recorder->last_alloc);
	last = &recorder->last[record->site];
	at = *last ? &stacks->records[*last - 1] : NULL;
	if (!at || !is_same_time(at, record)) {
		ARRAY_ADD(stacks->records, stacks->records_nr, recorder->alloc, *record);
		*last = stacks->records_nr;
		return;
	}
	for (int k = 0; k < PAGE_VALUES; k++)
		wrap_add_to(&at->v[k], record->v[k]);
}

/* Find the sites of all tallies, and forget what sites are found by: it is larger than the records. */
static void find_sites(struct collector *collector, const uint32_t *order)
{
	const struct stack_tally *tallies = collector->results->tallies;

	for (size_t i = 0; i < collector->results->tallies_nr; i++)
		site_of_stack(collector, tallies[order[i]].stack);
	free(collector->nodes);
	free(collector->merged);
	collector->nodes = NULL;
	collector->merged = NULL;
	dimension_trim(collector->dimension);
	memory_trim();
}

static void take_cpu(struct collector *collector)
{
	const struct results *results = collector->results;
	const struct stack_tally *tallies = results->tallies;
	uint32_t *order = order_tallies(collector);
	struct recorder recorder = { .stacks = collector->stacks };

	find_sites(collector, order);
	for (size_t i = 0; i < results->tallies_nr; i++) {
		const struct stack_tally *tally = &tallies[order[i]];
		const struct group *group =
			grouping_place_part(results->grouping, tally->place, BY_PROCESS_STEP);

		add_record(&recorder,
			   &(struct page_record){ group->step,
						  place_of_process(collector, group->process),
						  collector->sites[tally->stack] - 1,
						  { tally->samples, tally->ns, 0 } });
	}
	free(order);
	free(recorder.last);
}

static void add_held(struct page_held_list *list, const struct page_held *held)
{
	if (held->bytes)
		ARRAY_ADD(list->v, list->nr, list->alloc, *held);
}

static void take_held(struct collector *collector)
{
	const struct results *results = collector->results;
	struct page_held_list *lists = collector->stacks->held;
	uint32_t lifetimes[LIFETIMES];

	for (int i = 0; i < LIFETIMES; i++)
		lifetimes[i] = page_columns_text(collector->columns, lifetime_names[i]);
	for (uint32_t key = 0; key < results->nr; key++) {
		struct page_held held = { .process = place_of(collector, key),
					  .site = site_of(collector, key) };

		held.bytes = memory_of(results, key)->at_peak;
		add_held(&lists[PAGE_AT_PEAK], &held);
		held.bytes = ledger_held_at_owners_peak(results->ledger, key);
		add_held(&lists[PAGE_AT_OWN_PEAKS], &held);
		for (uint32_t i = 0; i < LIFETIMES; i++) {
			held.class_text = lifetimes[i];
			held.bytes = ledger_lifetime(results->ledger, key, i);
			add_held(&lists[PAGE_LIFETIMES], &held);
		}
	}
}

static void take_memory(struct collector *collector)
{
	const struct ledger_steps *steps = collector->results->ledger->steps;
	struct recorder recorder = { .stacks = collector->stacks };

	for (size_t i = 0; i < steps->nr; i++) {
		const struct ledger_step *step = &steps->v[i];

		add_record(&recorder,
			   &(struct page_record){ step->step,
						  place_of(collector, step->key),
						  site_of(collector, step->key),
						  { step->size, step->count, step->freed } });
	}
	free(recorder.last);
	take_held(collector);
}

static int compare_records(const void *a, const void *b)
{
	const struct page_record *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

/* Those of CPU time are in the order of their steps and processes: to sort all of them takes as much room again. */
static void sort_records(struct page_stacks *stacks)
{
	struct page_record *v = stacks->records;
	size_t nr = stacks->records_nr;

	for (size_t i = 0, same = nr; i < nr; i += same) {
		if (stacks->cpu) {
			for (same = 1; i + same < nr && is_same_time(&v[i], &v[i + same]);)
				same++;
		}
		qsort(v + i, same, sizeof(*v), compare_records);
	}
}

static void join_records(struct page_stacks *stacks)
{
	size_t nr = 0;

	sort_records(stacks);
	for (size_t i = 0; i < stacks->records_nr; i++) {
		struct page_record *last = nr ? &stacks->records[nr - 1] : NULL;

		if (!last || compare_records(last, &stacks->records[i])) {
			stacks->records[nr++] = stacks->records[i];
			continue;
		}
		for (int k = 0; k < PAGE_VALUES; k++)
			wrap_add_to(&last->v[k], stacks->records[i].v[k]);
	}
	stacks->records_nr = nr;
}

static int compare_held(const void *a, const void *b)
{
	const struct page_held *x = a, *y = b;

	if (x->class_text != y->class_text)
		return x->class_text < y->class_text ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

static void join_held(struct page_held_list *list)
{
	size_t nr = 0;

	if (list->nr)
		qsort(list->v, list->nr, sizeof(*list->v), compare_held);
	for (size_t i = 0; i < list->nr; i++) {
		struct page_held *last = nr ? &list->v[nr - 1] : NULL;

		if (last && !compare_held(last, &list->v[i]))
			wrap_add_to(&last->bytes, list->v[i].bytes);
		else
			list->v[nr++] = list->v[i];
	}
	list->nr = nr;
}

void page_stacks_init(struct page_stacks *stacks, const struct results *results,
		      const struct process_list *processes, struct page_columns *columns,
		      double share)
{
	struct dimension *dimension = grouping_dimension(results->grouping, BY_STACK);
	struct collector collector = {
		.stacks = stacks,
		.results = results,
		.dimension = dimension,
		.names = dimension_names(dimension),
		.columns = columns,
		.places = process_list_places(processes),
		.unknown = (uint32_t)processes->nr,
	};

	memset(stacks, 0, sizeof(*stacks));
	frame_tree_init(&stacks->tree);
	make_tree(&collector, share);
	stacks->cpu = results->account->cpu;
	if (stacks->cpu)
		take_cpu(&collector);
	else
		take_memory(&collector);
	join_records(stacks);
	for (int i = 0; i < PAGE_HELD_KINDS; i++)
		join_held(&stacks->held[i]);
	free(collector.nodes);
	free(collector.merged);
	free(collector.sites);
	hash_index_release(&collector.of_site);
	intmap_release(&collector.places);
}

void page_stacks_release(struct page_stacks *stacks)
{
	frame_tree_release(&stacks->tree);
	free(stacks->sites);
	free(stacks->records);
	for (int i = 0; i < PAGE_HELD_KINDS; i++)
		free(stacks->held[i].v);
}

/* Where a node of the tree is, for a reader that goes through them in order. */
struct node_column {
	uint32_t up, name; /* its number less that of its parent; a text of the columns */
};

static void add_nodes(const struct page_stacks *stacks, const char *prefix,
		      struct page_columns *columns)
{
	static const struct page_field fields[] = {
		{ "node.up", offsetof(struct node_column, up), PAGE_UINT32, PAGE_PLAIN },
		{ "node.name", offsetof(struct node_column, name), PAGE_UINT32, PAGE_PLAIN },
	};
	const struct frame_tree *tree = &stacks->tree;
	struct node_column *nodes = xcalloc(tree->nodes_nr, sizeof(*nodes));

	for (size_t i = 1; i < tree->nodes_nr; i++)
		nodes[i] = (struct node_column){ (uint32_t)i - tree->nodes[i].parent,
						 tree->nodes[i].name };
	page_columns_add_fields(columns, prefix, fields, ARRAY_SIZE(fields), nodes, tree->nodes_nr,
				sizeof(*nodes));
	free(nodes);
}

/* A name of a frame is a text of the columns. */
static void add_names(const struct page_stacks *stacks, const char *prefix,
		      struct page_columns *columns)
{
	static const struct page_field field = { "name_text", 0, PAGE_UINT32, PAGE_PLAIN };
	const struct frame_tree *tree = &stacks->tree;
	uint32_t *names = xcalloc(tree->names_nr + 1, sizeof(*names));

	for (size_t i = 0; i < tree->names_nr; i++)
		names[i] = page_columns_text(columns, tree->names[i].text);
	page_columns_add_fields(columns, prefix, &field, 1, names, tree->names_nr, sizeof(*names));
	free(names);
}

#define FIELD(type, name, member, number, coding) \
	{ \
		name, offsetof(struct type, member), number, coding \
	}

static const struct page_field site_fields[] = {
	FIELD(page_site, "site.node", node, PAGE_UINT32, PAGE_DIFFERENCES),
	FIELD(page_site, "site.phase", phase, PAGE_UINT32, PAGE_PLAIN),
	FIELD(page_site, "site.query", query, PAGE_UINT32, PAGE_PLAIN),
	FIELD(page_site, "site.allocator", allocator, PAGE_UINT32, PAGE_PLAIN),
};

static const struct page_field record_fields[] = {
	FIELD(page_record, "record.step", step, PAGE_UINT32, PAGE_DIFFERENCES),
	FIELD(page_record, "record.process", process, PAGE_UINT32, PAGE_DIFFERENCES),
	FIELD(page_record, "record.site", site, PAGE_UINT32, PAGE_DIFFERENCES),
	FIELD(page_record, "record.first", v[0], PAGE_INT64, PAGE_SIGNED),
	FIELD(page_record, "record.second", v[1], PAGE_INT64, PAGE_SIGNED),
	FIELD(page_record, "record.third", v[2], PAGE_INT64, PAGE_SIGNED),
};

#define HELD_FIELDS(name) \
	{ \
		FIELD(page_held, name ".class", class_text, PAGE_UINT32, PAGE_PLAIN), \
			FIELD(page_held, name ".process", process, PAGE_UINT32, PAGE_DIFFERENCES), \
			FIELD(page_held, name ".site", site, PAGE_UINT32, PAGE_DIFFERENCES), \
			FIELD(page_held, name ".bytes", bytes, PAGE_INT64, PAGE_SIGNED), \
	}

static const struct page_field held_fields[PAGE_HELD_KINDS][4] = {
	[PAGE_AT_PEAK] = HELD_FIELDS("held"),
	[PAGE_AT_OWN_PEAKS] = HELD_FIELDS("own"),
	[PAGE_LIFETIMES] = HELD_FIELDS("life"),
};

void page_stacks_add(const struct page_stacks *stacks, const char *prefix,
		     struct page_columns *columns)
{
	add_names(stacks, prefix, columns);
	add_nodes(stacks, prefix, columns);
	page_columns_add_fields(columns, prefix, site_fields, ARRAY_SIZE(site_fields),
				stacks->sites, stacks->sites_nr, sizeof(*stacks->sites));
	/* Of CPU time there is no third value. */
	page_columns_add_fields(columns, prefix, record_fields,
				ARRAY_SIZE(record_fields) - stacks->cpu, stacks->records,
				stacks->records_nr, sizeof(*stacks->records));
	for (int i = 0; i < PAGE_HELD_KINDS; i++)
		page_columns_add_fields(columns, prefix, held_fields[i], ARRAY_SIZE(held_fields[i]),
					stacks->held[i].v, stacks->held[i].nr,
					sizeof(*stacks->held[i].v));
}
