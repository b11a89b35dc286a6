#include "report/page_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/cpu_entry.h"
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
	uint32_t *sites;  /* by key of BY_STACK: plus one */
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

/* What a key weighs: its CPU time or what it committed; and what it held at the peak. */
static void weigh(const struct results *results, size_t key, int64_t *weight, int64_t *held)
{
	if (results->account->cpu) {
		*weight = amount(((const struct cpu_entry *)results_entry(results, key))->self_ns);
		*held = 0;
	} else {
		*weight = amount(memory_of(results, key)->size);
		*held = amount(memory_of(results, key)->at_peak);
	}
}

static int64_t *sum_stacks(const struct collector *collector, bool held)
{
	const struct results *results = collector->results;
	int64_t *sums = xcalloc(collector->names->nodes_nr, sizeof(*sums));

	for (size_t key = 0; key < results->nr; key++) {
		uint32_t stack = grouping_part(results->grouping, (uint32_t)key, BY_STACK)->stack;
		int64_t values[2];

		weigh(results, key, &values[0], &values[1]);
		wrap_add_to(&sums[stack], values[held]);
	}
	for (size_t i = collector->names->nodes_nr; i-- > STACK_EMPTY + 1;)
		wrap_add_to(&sums[collector->names->nodes[i].parent], sums[i]);
	return sums;
}

static int64_t least_of(int64_t sum, double share)
{
	double least = (double)sum * share / 100;

	return least < 1 ? 1 : (int64_t)least;
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
	const struct stack_node *nodes = collector->names->nodes;
	int64_t *sums = sum_stacks(collector, false), *held = sum_stacks(collector, true);
	int64_t least = least_of(sums[STACK_EMPTY], share);
	int64_t least_held = least_of(held[STACK_EMPTY], share);
	uint32_t *known = xcalloc(collector->results->functions->names_nr + 1, sizeof(*known));
	bool *merged = xcalloc(collector->names->nodes_nr, sizeof(*merged));
	uint32_t other = frame_tree_name(tree, FRAME_MERGED, strlen(FRAME_MERGED));

	collector->nodes = xcalloc(collector->names->nodes_nr, sizeof(*collector->nodes));
	for (size_t i = STACK_EMPTY + 1; i < collector->names->nodes_nr; i++) {
		uint32_t parent = nodes[i].parent;

		if (!sums[i] && !held[i])
			continue;
		merged[i] = merged[parent] || (sums[i] < least && held[i] < least_held);
		collector->stacks->merged += merged[i];
		collector->nodes[i] =
			merged[parent] ? collector->nodes[parent]
				       : frame_tree_child(tree, collector->nodes[parent],
							  merged[i] ? other
								    : tree_name(collector, known,
										nodes[i].frame));
	}
	free(merged);
	free(known);
	free(sums);
	free(held);
}

static uint32_t find_site(struct collector *collector, const struct page_site *site)
{
	struct page_stacks *stacks = collector->stacks;
	uint64_t key = (uint64_t)site->node << 32 ^ (uint64_t)site->phase << 16 ^ site->query;
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

/* The site of a key of the results. Those of different processes and steps often have one stack. */
static uint32_t site_of(struct collector *collector, size_t key)
{
	const struct group *group =
		grouping_part(collector->results->grouping, (uint32_t)key, BY_STACK);
	size_t number = (size_t)(group - dimension_get(collector->dimension, 0));

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
		};

		collector->sites[number] = find_site(collector, &site) + 1;
	}
	return collector->sites[number] - 1;
}

static const struct group *process_group(const struct results *results, size_t key)
{
	return grouping_part(results->grouping, (uint32_t)key,
			     results->account->cpu ? BY_PROCESS_STEP : BY_PROCESS);
}

static uint32_t place_of(const struct collector *collector, size_t key)
{
	size_t place = process_list_place(&collector->places,
					  process_group(collector->results, key)->process);

	return place == PROCESS_NO_PLACE ? collector->unknown : (uint32_t)place;
}

static void take_cpu(struct collector *collector)
{
	const struct results *results = collector->results;
	struct page_stacks *stacks = collector->stacks;

	stacks->records = xcalloc(results->nr + 1, sizeof(*stacks->records));
	for (size_t key = 0; key < results->nr; key++) {
		const struct cpu_entry *entry = results_entry(results, key);

		if (!entry->samples)
			continue;
		stacks->records[stacks->records_nr++] =
			(struct page_record){ process_group(results, key)->step,
					      place_of(collector, key),
					      site_of(collector, key),
					      { entry->samples, entry->self_ns, 0 } };
	}
}

static void take_memory(struct collector *collector)
{
	const struct results *results = collector->results;
	const struct ledger_steps *steps = results->steps;
	struct page_stacks *stacks = collector->stacks;

	stacks->records = xcalloc(steps->nr + 1, sizeof(*stacks->records));
	for (size_t i = 0; i < steps->nr; i++) {
		const struct ledger_step *step = &steps->v[i];

		stacks->records[stacks->records_nr++] =
			(struct page_record){ step->step,
					      place_of(collector, step->key),
					      site_of(collector, step->key),
					      { step->size, step->count, step->freed } };
	}
	stacks->held = xcalloc(results->nr + 1, sizeof(*stacks->held));
	for (size_t key = 0; key < results->nr; key++) {
		int64_t bytes = memory_of(results, key)->at_peak;

		if (bytes)
			stacks->held[stacks->held_nr++] =
				(struct page_held){ place_of(collector, key),
						    site_of(collector, key), bytes };
	}
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

static void join_records(struct page_stacks *stacks)
{
	size_t nr = 0;

	qsort(stacks->records, stacks->records_nr, sizeof(*stacks->records), compare_records);
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

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

static void join_held(struct page_stacks *stacks)
{
	size_t nr = 0;

	if (stacks->held_nr)
		qsort(stacks->held, stacks->held_nr, sizeof(*stacks->held), compare_held);
	for (size_t i = 0; i < stacks->held_nr; i++) {
		struct page_held *last = nr ? &stacks->held[nr - 1] : NULL;

		if (last && !compare_held(last, &stacks->held[i]))
			wrap_add_to(&last->bytes, stacks->held[i].bytes);
		else
			stacks->held[nr++] = stacks->held[i];
	}
	stacks->held_nr = nr;
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

	*stacks = (struct page_stacks){ .sites = NULL };
	frame_tree_init(&stacks->tree);
	make_tree(&collector, share);
	if (results->account->cpu)
		take_cpu(&collector);
	else
		take_memory(&collector);
	join_records(stacks);
	join_held(stacks);
	free(collector.nodes);
	free(collector.sites);
	hash_index_release(&collector.of_site);
	intmap_release(&collector.places);
}

void page_stacks_release(struct page_stacks *stacks)
{
	frame_tree_release(&stacks->tree);
	free(stacks->sites);
	free(stacks->records);
	free(stacks->held);
}

typedef int64_t number_fn(const struct page_stacks *stacks, size_t i);

static int64_t get_parent(const struct page_stacks *stacks, size_t i)
{
	return i ? (int64_t)(i - stacks->tree.nodes[i].parent) : 0;
}

static int64_t get_name(const struct page_stacks *stacks, size_t i)
{
	return i ? (int64_t)stacks->tree.nodes[i].name : 0;
}

static int64_t get_site_node(const struct page_stacks *stacks, size_t i)
{
	return stacks->sites[i].node;
}

static int64_t get_phase(const struct page_stacks *stacks, size_t i)
{
	return stacks->sites[i].phase;
}

static int64_t get_query(const struct page_stacks *stacks, size_t i)
{
	return stacks->sites[i].query;
}

static int64_t get_step(const struct page_stacks *stacks, size_t i)
{
	return stacks->records[i].step;
}

static int64_t get_process(const struct page_stacks *stacks, size_t i)
{
	return stacks->records[i].process;
}

static int64_t get_site(const struct page_stacks *stacks, size_t i)
{
	return stacks->records[i].site;
}

static int64_t get_first(const struct page_stacks *stacks, size_t i)
{
	return stacks->records[i].v[0];
}

static int64_t get_second(const struct page_stacks *stacks, size_t i)
{
	return stacks->records[i].v[1];
}

static int64_t get_third(const struct page_stacks *stacks, size_t i)
{
	return stacks->records[i].v[2];
}

static int64_t get_held_process(const struct page_stacks *stacks, size_t i)
{
	return stacks->held[i].process;
}

static int64_t get_held_site(const struct page_stacks *stacks, size_t i)
{
	return stacks->held[i].site;
}

static int64_t get_held_bytes(const struct page_stacks *stacks, size_t i)
{
	return stacks->held[i].bytes;
}

enum part { NODES, SITES, RECORDS, HELD };

/* A name of a frame is a text of the columns. */
static void add_names(const struct page_stacks *stacks, struct page_columns *columns,
		      const char *prefix)
{
	struct strbuf name = STRBUF_INIT;
	const struct frame_tree *tree = &stacks->tree;

	strbuf_addf(&name, "%s.name_text", prefix);
	page_columns_begin(columns);
	for (size_t i = 0; i < tree->names_nr; i++)
		page_columns_add(columns, page_columns_text(columns, tree->names[i].text));
	page_columns_end(columns, name.buf, tree->names_nr, PAGE_PLAIN);
	strbuf_release(&name);
}

void page_stacks_add(const struct page_stacks *stacks, const char *prefix,
		     struct page_columns *columns)
{
	static const struct {
		const char *name;
		enum part part;
		enum page_coding coding;
		number_fn *get;
	} rows[] = {
		{ "node.up", NODES, PAGE_PLAIN, get_parent },
		{ "node.name", NODES, PAGE_PLAIN, get_name },
		{ "site.node", SITES, PAGE_DIFFERENCES, get_site_node },
		{ "site.phase", SITES, PAGE_PLAIN, get_phase },
		{ "site.query", SITES, PAGE_PLAIN, get_query },
		{ "record.step", RECORDS, PAGE_DIFFERENCES, get_step },
		{ "record.process", RECORDS, PAGE_DIFFERENCES, get_process },
		{ "record.site", RECORDS, PAGE_DIFFERENCES, get_site },
		{ "record.first", RECORDS, PAGE_SIGNED, get_first },
		{ "record.second", RECORDS, PAGE_SIGNED, get_second },
		{ "record.third", RECORDS, PAGE_SIGNED, get_third },
		{ "held.process", HELD, PAGE_DIFFERENCES, get_held_process },
		{ "held.site", HELD, PAGE_DIFFERENCES, get_held_site },
		{ "held.bytes", HELD, PAGE_SIGNED, get_held_bytes },
	};
	const size_t numbers[] = { stacks->tree.nodes_nr, stacks->sites_nr, stacks->records_nr,
				   stacks->held_nr };
	struct strbuf name = STRBUF_INIT;

	add_names(stacks, columns, prefix);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t nr = numbers[rows[i].part];
		int64_t before = 0;

		page_columns_begin(columns);
		for (size_t k = 0; k < nr; k++) {
			int64_t number = rows[i].get(stacks, k);

			if (rows[i].coding == PAGE_PLAIN)
				page_columns_add(columns, (uint64_t)number);
			else
				page_columns_add_signed(columns,
							rows[i].coding == PAGE_SIGNED
								? number
								: wrap_subtract(number, before));
			before = number;
		}
		strbuf_clear(&name);
		strbuf_addf(&name, "%s.%s", prefix, rows[i].name);
		page_columns_end(columns, name.buf, nr, rows[i].coding);
	}
	strbuf_release(&name);
}
