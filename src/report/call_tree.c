#include "report/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "report/call_maker.h"
#include "report/namespaces.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

/* Where a value is on its way from a row to the root: its caller is next. */
struct climber {
	uint32_t row; /* of the plain tree */
	int64_t value;
};

/* Climbers that have come to one row of the inverted tree. */
struct crowd {
	size_t first, nr;
	uint32_t row;
};

struct inverter {
	struct call_maker *maker;
	const uint32_t *calls; /* by row of the plain tree */
	const struct frame_tree *plain;
	struct frame_tree *tree;
	struct climber *climbers;
	size_t nr, alloc;
	struct crowd *crowds;
	size_t crowds_nr, crowds_alloc;
	int64_t least; /* rows below it are not expanded */
};

static int compare_climbers(const void *a, const void *b, const struct frame_tree *plain)
{
	uint32_t x = plain->nodes[((const struct climber *)a)->row].name;
	uint32_t y = plain->nodes[((const struct climber *)b)->row].name;

	return (x > y) - (x < y);
}

/* Sort by the names of rows, in place: a heap needs no memory of its own and no recursion. */
static void sort_climbers(struct climber *v, size_t nr, const struct frame_tree *plain)
{
	for (size_t start = nr / 2, end = nr; end > 1;) {
		size_t root, child;
		struct climber moved;

		if (start) {
			start--;
		} else {
			end--;
			moved = v[end];
			v[end] = v[0];
			v[0] = moved;
		}
		for (root = start; (child = 2 * root + 1) < end; root = child) {
			if (child + 1 < end &&
			    compare_climbers(&v[child], &v[child + 1], plain) < 0)
				child++;
			if (compare_climbers(&v[root], &v[child], plain) >= 0)
				break;
			moved = v[root];
			v[root] = v[child];
			v[child] = moved;
		}
	}
}

/* Each name of a row at which climbers are becomes a row below `below`. */
static void split_crowd(struct inverter *inverter, struct crowd crowd)
{
	struct climber *v = inverter->climbers + crowd.first;
	size_t end;

	sort_climbers(v, crowd.nr, inverter->plain);
	for (size_t i = 0; i < crowd.nr; i = end) {
		uint32_t name = inverter->plain->nodes[v[i].row].name, row;
		int64_t total = 0;

		row = frame_tree_append(inverter->tree, crowd.row, name);
		for (end = i; end < crowd.nr && inverter->plain->nodes[v[end].row].name == name;
		     end++) {
			total = wrap_add(total, v[end].value);
			call_maker_note_calls(inverter->maker, row, inverter->calls[v[end].row]);
		}
		if (total < inverter->least)
			frame_tree_add(inverter->tree, row, total);
		else
			ARRAY_ADD(inverter->crowds, inverter->crowds_nr, inverter->crowds_alloc,
				  (struct crowd){ crowd.first + i, end - i, row });
	}
}

/* Send the climbers of a row to their callers; those that have none stay. */
static void climb(struct inverter *inverter, struct crowd crowd)
{
	struct climber *v = inverter->climbers + crowd.first;
	size_t nr = 0;

	for (size_t i = 0; i < crowd.nr; i++) {
		uint32_t caller = inverter->plain->nodes[v[i].row].parent;

		if (caller == FRAME_TREE_ROOT)
			frame_tree_add(inverter->tree, crowd.row, v[i].value);
		else
			v[nr++] = (struct climber){ caller, v[i].value };
	}
	split_crowd(inverter, (struct crowd){ crowd.first, nr, crowd.row });
}

/* Values start at their rows. */
static void add_climbers(struct inverter *inverter)
{
	const struct frame_tree *plain = inverter->plain;

	for (uint32_t i = FRAME_TREE_ROOT + 1; i < plain->nodes_nr; i++) {
		if (plain->nodes[i].self > 0)
			ARRAY_ADD(inverter->climbers, inverter->nr, inverter->alloc,
				  (struct climber){ i, plain->nodes[i].self });
	}
}

/* The tree with callers below their callees. Names are those of `maker->tree`, which it replaces. */
static void invert(struct call_maker *maker)
{
	struct frame_tree *plain = maker->tree, tree;
	uint32_t *calls = maker->calls;
	struct inverter inverter = {
		.maker = maker, .calls = calls, .plain = plain, .tree = &tree
	};
	int64_t all = 0;

	maker->calls = NULL;
	maker->calls_alloc = 0;

	frame_tree_init(&tree);
	add_climbers(&inverter);
	for (size_t i = 0; i < inverter.nr; i++)
		all = wrap_add(all, inverter.climbers[i].value);
	inverter.least = (int64_t)((double)all * maker->options->min_share / 100);
	split_crowd(&inverter, (struct crowd){ 0, inverter.nr, FRAME_TREE_ROOT });
	while (inverter.crowds_nr)
		climb(&inverter, inverter.crowds[--inverter.crowds_nr]);
	frame_tree_add(&tree, FRAME_TREE_ROOT, plain->nodes[FRAME_TREE_ROOT].self);
	free(calls);
	free(inverter.climbers);
	free(inverter.crowds);
	frame_tree_take_names(&tree, plain);
	frame_tree_release(plain);
	*plain = tree;
}

/* The first callee and the next sibling of each row, the largest total first. */
struct family {
	uint32_t child, sibling;
};

static void add_first(struct family *families, uint32_t parent, uint32_t node)
{
	families[node].sibling = families[parent].child;
	families[parent].child = node;
}

struct sorted {
	int64_t total;
	uint32_t node;
};

static int compare_totals(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Only those of at least `least` are in order; the others come after them, without those that have nothing. */
static struct family *find_families(const struct frame_tree *tree, const int64_t *totals,
				    int64_t least)
{
	struct family *families = xcalloc(tree->nodes_nr, sizeof(*families));
	struct sorted *sorted = NULL;
	size_t nr = 0, alloc = 0;

	for (uint32_t node = 1; node < tree->nodes_nr; node++) {
		if (totals[node] > 0 && totals[node] >= least)
			ARRAY_ADD(sorted, nr, alloc, (struct sorted){ totals[node], node });
		else if (totals[node] > 0)
			add_first(families, tree->nodes[node].parent, node);
	}
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), compare_totals);
	while (nr-- > 0)
		add_first(families, tree->nodes[sorted[nr].node].parent, sorted[nr].node);
	free(sorted);
	return families;
}

/* A row whose callees are to be added. */
struct open_row {
	uint32_t next;          /* callee; 0: none */
	uint32_t depth, indent; /* of its callees */
	uint32_t caller;        /* the row, counted from 1; 0: none */
};

struct lister {
	const struct call_maker *maker;
	struct call_tree *result;
	const struct family *families;
	const int64_t *totals;
	int64_t least; /* total of a row of its own */
	struct open_row *open;
	size_t nr, alloc;
};

static void add_row(struct lister *lister, struct call_tree_row row)
{
	row.chained = row.caller && lister->result->rows[row.caller - 1].indent == row.indent;
	ARRAY_ADD(lister->result->rows, lister->result->nr, lister->result->alloc, row);
}

/* The total of this callee and of those after it, which are smaller. */
static int64_t total_from(const struct lister *lister, uint32_t node)
{
	int64_t total = 0;

	for (; node; node = lister->families[node].sibling)
		total += lister->totals[node];
	return total;
}

/* Whether a caller has several rows below it that are not minor. */
static bool has_several(const struct lister *lister, uint32_t first)
{
	uint32_t second = first ? lister->families[first].sibling : 0;

	if (!second || lister->totals[first] < lister->least)
		return second;
	return lister->totals[second] >= lister->least ||
	       total_from(lister, second) >= lister->least;
}

/* Open the callees of the last row, whose number decides whether they are indented. */
static void open_callees(struct lister *lister, uint32_t node, uint32_t depth, uint32_t indent)
{
	uint32_t first = lister->families[node].child;
	struct open_row row = { first, depth, indent, (uint32_t)lister->result->nr };

	row.indent += depth && has_several(lister, first);
	if (first)
		ARRAY_ADD(lister->open, lister->nr, lister->alloc, row);
}

static const char *module_of(const struct call_maker *maker, uint32_t name)
{
	const struct call_tree_stacks *stacks = maker->stacks;

	if (text_starts_with(maker->tree->names[name].text, "query "))
		return "queries";
	return stacks->module && name < maker->origins_alloc && maker->origins[name]
		       ? stacks->module(stacks->data, maker->origins[name] - 1)
		       : NULL;
}

static int compare_rows(const void *a, const void *b)
{
	const struct call_tree_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->group, y->group);
}

/* Add a row for each namespace that is large enough. The sum of the others stays at the root of `spaces`. */
static void add_groups(struct lister *lister, const struct open_row *open,
		       struct namespaces *spaces)
{
	struct call_tree *tree = lister->result;
	size_t first = tree->nr;
	struct strbuf name = STRBUF_INIT;

	namespaces_merge(spaces, lister->least);
	for (uint32_t i = FRAME_TREE_ROOT + 1; i < spaces->tree.nodes_nr; i++) {
		const struct namespace_sum *sum = &spaces->sums[i];
		uint32_t id;

		if (!sum->functions)
			continue;
		strbuf_clear(&name);
		namespaces_name(spaces, i, &name);
		id = frame_tree_name(&tree->names, name.buf, name.len);
		add_row(lister, (struct call_tree_row){ .depth = open->depth,
							.caller = open->caller,
							.indent = open->indent,
							.total = sum->value,
							.others = sum->functions,
							.group = tree->names.names[id].text });
	}
	if (tree->nr > first)
		qsort(tree->rows + first, tree->nr - first, sizeof(*tree->rows), compare_rows);
	strbuf_release(&name);
}

/* The callees from the next one on are too small. */
static void add_others(struct lister *lister, const struct open_row *open)
{
	const struct call_maker *maker = lister->maker;
	struct call_tree_row row = { .depth = open->depth,
				     .caller = open->caller,
				     .indent = open->indent };
	struct namespaces spaces;

	namespaces_init(&spaces);
	for (uint32_t at = open->next; at; at = lister->families[at].sibling) {
		uint32_t name = maker->tree->nodes[at].name;

		namespaces_add(&spaces, maker->tree->names[name].text, module_of(maker, name),
			       lister->totals[at]);
	}
	add_groups(lister, open, &spaces);
	row.others = spaces.sums[FRAME_TREE_ROOT].functions;
	row.total = spaces.sums[FRAME_TREE_ROOT].value;
	namespaces_release(&spaces);
	if (!row.others)
		return;
	row.minor = open->depth && row.total < lister->least;
	if (row.minor)
		lister->result->rows[open->caller - 1].below = row.total;
	add_row(lister, row);
}

static void list_rows(struct lister *lister)
{
	const struct frame_tree *tree = lister->maker->tree;

	open_callees(lister, FRAME_TREE_ROOT, 0, 0);
	while (lister->nr) {
		struct open_row *open = &lister->open[lister->nr - 1], at = *open;
		uint32_t node = at.next;

		if (!node || lister->totals[node] < lister->least) {
			if (node)
				add_others(lister, &at);
			lister->nr--;
			continue;
		}
		open->next = lister->families[node].sibling;
		add_row(lister,
			(struct call_tree_row){ .depth = at.depth,
						.caller = at.caller,
						.indent = at.indent,
						.total = lister->totals[node],
						.self = tree->nodes[node].self,
						.name = frame_tree_text(tree, node),
						.calls = node < lister->maker->calls_alloc
								 ? lister->maker->calls[node]
								 : 0 });
		open_callees(lister, node, at.depth + 1, at.indent);
	}
}

static bool *new_flags(const struct strvec *patterns)
{
	return xcalloc(patterns ? patterns->nr + 1 : 1, sizeof(bool));
}

void call_tree_init(struct call_tree *tree, const struct call_tree_stacks *stacks,
		    const struct call_tree_options *options)
{
	struct call_maker maker = { .stacks = stacks, .options = options, .tree = &tree->names };
	struct lister lister = { .maker = &maker, .result = tree };
	struct family *families;
	int64_t *totals;

	*tree = (struct call_tree){ .focus_used = new_flags(options->focus),
				    .ignore_used = new_flags(options->ignore) };
	maker.focus_used = tree->focus_used;
	maker.ignore_used = tree->ignore_used;
	frame_tree_init(&tree->names);
	call_maker_make_plain(&maker);
	if (options->inverted)
		invert(&maker);
	totals = frame_tree_totals(&tree->names);
	tree->total = totals[FRAME_TREE_ROOT];
	lister.least = (int64_t)((double)tree->total * options->min_share / 100);
	families = find_families(&tree->names, totals, lister.least);
	lister.families = families;
	lister.totals = totals;
	list_rows(&lister);
	/* All of the stack was left out. */
	if (tree->names.nodes[FRAME_TREE_ROOT].self > 0)
		add_row(&lister, (struct call_tree_row){
					 .total = tree->names.nodes[FRAME_TREE_ROOT].self,
					 .self = tree->names.nodes[FRAME_TREE_ROOT].self,
					 .name = "[plumbing]",
				 });
	free(lister.open);
	free(families);
	free(totals);
	call_maker_release(&maker);
}

void call_tree_release(struct call_tree *tree)
{
	free(tree->rows);
	free(tree->focus_used);
	free(tree->ignore_used);
	frame_tree_release(&tree->names);
}
