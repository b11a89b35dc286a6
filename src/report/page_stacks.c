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
	bool *merged;     /* the same: it is [other] there */
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
	int64_t least = frame_merge_least(sums[STACK_EMPTY], share);
	int64_t least_held = frame_merge_least(held[STACK_EMPTY], share);
	uint32_t *known = xcalloc(collector->results->functions->names_nr + 1, sizeof(*known));
	bool *merged = xcalloc(collector->names->nodes_nr, sizeof(*merged));
	uint32_t other = frame_tree_name(tree, FRAME_MERGED, strlen(FRAME_MERGED));

	collector->merged = merged;
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
			.allocator = collector->merged[group->stack] ? 0 : group->allocator_frames,
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
	const struct results *results = collector->results;
	const struct ledger_steps *steps = results->ledger->steps;
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
	if (results->account->cpu)
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
	page_columns_add_fields(columns, prefix, record_fields, ARRAY_SIZE(record_fields),
				stacks->records, stacks->records_nr, sizeof(*stacks->records));
	for (int i = 0; i < PAGE_HELD_KINDS; i++)
		page_columns_add_fields(columns, prefix, held_fields[i], ARRAY_SIZE(held_fields[i]),
					stacks->held[i].v, stacks->held[i].nr,
					sizeof(*stacks->held[i].v));
}
