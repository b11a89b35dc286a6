#include "report/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/function_pattern.h"
#include "analysis/query_name.h"
#include "report/namespaces.h"
#include "report/short_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

const char *const call_tree_plumbing[] = {
	/* rustc's query system, its dependency graph and its context */
	"rustc_query_impl::*",
	"<rustc_query_impl::*",
	"rustc_query_system::*",
	"<rustc_query_system::*",
	"rustc_middle::query::*",
	"<rustc_middle::query::*",
	"rustc_middle::ty::query::*",
	"<rustc_middle::ty::query::*",
	"rustc_middle::ty::context::tls::*",
	"rustc_middle::dep_graph::*",
	"<rustc_middle::dep_graph::*",
	"rustc_data_structures::stack::*",
	"rustc_data_structures::profiling::*",
	"<rustc_data_structures::profiling::*",
	"stacker::*",
	"psm::*",
	"rust_psm_*",
	"measureme::*",
	"<measureme::*",
	/* functions that call closures, and what rustc does each of them through */
	"rustc_data_structures::sync::*",
	"<rustc_session::session::Session>::time*",
	"<scoped_tls::ScopedKey<*",
	"rustc_span::create_*session_globals_then*",
	"<rustc_middle::hir::map::Map>::par_*",
	"<rustc_middle::ty::context::TyCtxt>::par_*",
	"core::*",
	"<core::*",
	"<* as core::ops::function::Fn*",
	"<alloc::boxed::Box<*> as core::ops::function::Fn*",
	"alloc::*",
	"<alloc::*",
	"<* as core::iter::*",
	/* the start of a program or thread */
	"_start",
	"__libc_start_*",
	"clone",
	"clone3",
	"start_thread",
	"BaseThreadInitThunk",
	"RtlUserThreadStart",
	"std::panic*",
	"std::rt::*",
	"std::thread::*",
	"<std::thread::*",
	"std::sys::*",
	"<std::sys::*",
	"*__rust_begin_short_backtrace*",
	"*__rust_end_short_backtrace*",
	"__rust_try*",
	NULL,
};

#define LEFT_OUT UINT32_MAX

/* A cycle of calls has at most this many rows: longer ones, as typeck and type_of call each other, say who called whom. */
#define CYCLE_MAX 12

/* What becomes of a frame. */
struct verdict {
	uint32_t shown; /* the name that it has, or would have; LEFT_OUT: it is ignored */
	uint32_t name;  /* in the tree; UINT32_MAX: it is left out */
	bool focus;
	bool closure; /* its name without "::{closure}" is `function` */
	uint32_t function;
	bool query;
	uint32_t
		identity; /* equal for frames of one function, and of one query; LEFT_OUT: it is left out */
};

struct maker {
	const struct call_tree_stacks *stacks;
	const struct call_tree_options *options;
	struct call_tree *result;
	struct frame_tree *tree;  /* of the result: what is made */
	struct verdict *verdicts; /* by name of a function */
	uint32_t *calls;          /* by row: the most calls of the function on one stack */
	size_t calls_alloc;
	uint32_t *origins; /* by name in the tree: the first function that is shown so, plus one */
	size_t origins_alloc;
	/* By stack: the row of the outermost function in focus, plus one; 0: none is. NULL: there is no focus. */
	uint32_t *focus;
};

static bool matches(const struct strvec *patterns, bool *used, const char *name, const char *brief)
{
	bool found = false;

	for (size_t i = 0; patterns && i < patterns->nr; i++) {
		if (!function_pattern_matches(patterns->v[i], name) &&
		    !function_pattern_matches(patterns->v[i], brief))
			continue;
		used[i] = found = true;
	}
	return found;
}

static bool is_plumbing(const char *name)
{
	if (frame_kind_guess(name) == FRAME_ALLOCATOR)
		return true;
	for (const char *const *glob = call_tree_plumbing; *glob; glob++) {
		if ((**glob == '*' || **glob == *name) && text_glob(*glob, name, false))
			return true;
	}
	return false;
}

static uint32_t add_name(struct maker *maker, const char *text)
{
	return frame_tree_name(maker->tree, text, strlen(text));
}

/* A closure is left out below the function that it is in, unless it is in focus. */
static void see_closure(struct maker *maker, struct verdict *verdict, const char *brief)
{
	const char *closure = strstr(brief, "::{closure}");
	char *function;

	if (!closure)
		return;
	function = xstrndup(brief, (size_t)(closure - brief));
	verdict->closure = true;
	verdict->function = add_name(maker, function);
	free(function);
}

bool call_tree_name(struct strbuf *sb, const char *name, bool plumbing)
{
	size_t len;
	const char *query = plumbing ? NULL : query_name(name, &len);

	if (query)
		strbuf_addf(sb, "query %.*s", (int)len, query);
	else
		short_name(sb, name);
	return query;
}

static struct verdict judge(struct maker *maker, const char *name)
{
	const struct call_tree_options *options = maker->options;
	struct verdict verdict = { .name = LEFT_OUT, .shown = LEFT_OUT };
	struct strbuf brief = STRBUF_INIT;
	bool query = call_tree_name(&brief, name, options->plumbing);
	bool focus = matches(options->focus, maker->result->focus_used, name, brief.buf);

	if (!matches(options->ignore, maker->result->ignore_used, name, brief.buf)) {
		verdict.query = query;
		verdict.focus = focus;
		verdict.shown = add_name(maker, query || !options->full_names ? brief.buf : name);
		if (query || options->plumbing || verdict.focus || !is_plumbing(name))
			verdict.name = verdict.shown;
		if (!options->plumbing && !options->full_names)
			see_closure(maker, &verdict, brief.buf);
	}
	strbuf_release(&brief);
	return verdict;
}

static void note_origin(struct maker *maker, uint32_t shown, uint32_t name)
{
	ARRAY_GROW_ZERO(maker->origins, (size_t)shown + 1, maker->origins_alloc);
	if (!maker->origins[shown])
		maker->origins[shown] = name + 1;
}

static void judge_all(struct maker *maker)
{
	const struct call_tree_stacks *stacks = maker->stacks;
	bool *used = xcalloc(stacks->names_nr + 1, sizeof(*used));

	maker->verdicts = xcalloc(stacks->names_nr + 1, sizeof(*maker->verdicts));
	for (size_t i = STACK_EMPTY + 1; i < stacks->nr; i++)
		used[stacks->nodes[i].frame] = true;
	for (size_t i = 0; i < stacks->names_nr; i++) {
		struct verdict *verdict = &maker->verdicts[i];

		if (!used[i])
			continue;
		*verdict = judge(maker, stacks->name(stacks->data, (uint32_t)i));
		verdict->identity = verdict->name == LEFT_OUT ? LEFT_OUT
				    : verdict->query ? (uint32_t)stacks->names_nr + verdict->shown
						     : (uint32_t)i;
		if (verdict->shown != LEFT_OUT)
			note_origin(maker, verdict->shown, (uint32_t)i);
	}
	free(used);
}

static const char *row_name(const struct maker *maker, uint32_t row)
{
	return row == FRAME_TREE_ROOT ? "" : frame_tree_text(maker->tree, row);
}

/* Whether the frame is left out below `caller`, a row: it is the same query again, or a closure of the function. */
static bool is_same(const struct maker *maker, const struct verdict *verdict, uint32_t caller)
{
	uint32_t name = caller == FRAME_TREE_ROOT ? LEFT_OUT : maker->tree->nodes[caller].name;

	if (name == LEFT_OUT)
		return false;
	if (verdict->closure && !verdict->focus && verdict->function == name)
		return true;
	return verdict->name == name && text_starts_with(row_name(maker, caller), "query ");
}

/* The row of a frame below `caller`. What is left out counts for its caller, unless that stands for missing ones. */
static uint32_t row_below(struct maker *maker, const struct verdict *verdict, uint32_t caller)
{
	if (verdict->name != LEFT_OUT)
		return is_same(maker, verdict, caller)
			       ? caller
			       : frame_tree_child(maker->tree, caller, verdict->name);
	if (*row_name(maker, caller) != '[' || verdict->shown == LEFT_OUT)
		return caller;
	return frame_tree_child(maker->tree, caller, verdict->shown);
}

/* A stack whose row was found; small, as there are millions. */
struct placed {
	uint32_t row;        /* plus one; 0: it is not in the tree */
	uint32_t above;      /* the next caller's stack whose leaf has a row; STACK_EMPTY: none */
	uint32_t calls : 31; /* of the leaf that are on the stack, as far as they were found */
	uint32_t counts : 1; /* it is in the tree, and through the focus or a caller of it */
};

/* What the leaf of a stack is; LEFT_OUT: it has no row. */
static uint32_t identity_of(const struct maker *maker, const struct placed *placed, uint32_t stack)
{
	return stack == STACK_EMPTY || !placed[stack].row
		       ? LEFT_OUT
		       : maker->verdicts[maker->stacks->nodes[stack].frame].identity;
}

/* The stack at which the leaf of one below `above` called itself, through a few rows at most; STACK_EMPTY: none. */
static uint32_t find_recursion(const struct maker *maker, const struct placed *placed,
			       uint32_t above, uint32_t identity)
{
	uint32_t row = placed[above].row;

	for (uint32_t at = above, rows = 0; at != STACK_EMPTY; at = placed[at].above) {
		if (placed[at].row != row) {
			row = placed[at].row;
			if (++rows == CYCLE_MAX)
				break;
		}
		if (identity_of(maker, placed, at) == identity)
			return at;
	}
	return STACK_EMPTY;
}

/* Place a stack below the row of its callers. A function that calls itself keeps its row. */
static void place(struct maker *maker, struct placed *placed, uint32_t stack, uint32_t caller)
{
	const struct stack_node *node = &maker->stacks->nodes[stack];
	const struct verdict *verdict = &maker->verdicts[node->frame];
	const struct placed *parent = &placed[node->parent];
	bool left_out = identity_of(maker, placed, node->parent) == LEFT_OUT;
	uint32_t above = left_out ? parent->above : node->parent, outer = STACK_EMPTY;
	struct placed *new = &placed[stack];

	*new = (struct placed){ .above = above, .calls = 1 };
	if (verdict->identity != LEFT_OUT)
		outer = find_recursion(maker, placed, above, verdict->identity);
	if (outer == STACK_EMPTY) {
		new->row = row_below(maker, verdict, caller) + 1;
	} else {
		new->row = placed[outer].row;
		/* A query is several frames. */
		new->calls = placed[outer].calls + !(verdict->query && new->row == caller + 1);
	}
	if (maker->focus && maker->focus[node->parent])
		maker->focus[stack] = maker->focus[node->parent];
	else if (verdict->focus)
		maker->focus[stack] = new->row;
}

static void note_calls(struct maker *maker, uint32_t row, uint32_t calls)
{
	ARRAY_GROW_ZERO(maker->calls, (size_t)row + 1, maker->calls_alloc);
	if (calls > maker->calls[row])
		maker->calls[row] = calls;
}

/* Note the calls of all stacks that count: callees first, as callers of a focus are known by them. */
static void note_all_calls(struct maker *maker, struct placed *placed)
{
	const struct call_tree_stacks *stacks = maker->stacks;

	for (size_t i = stacks->nr; i-- > STACK_EMPTY + 1;) {
		struct placed *parent = &placed[stacks->nodes[i].parent];

		if (!placed[i].counts)
			continue;
		parent->counts |= parent->row != 0;
		note_calls(maker, placed[i].row - 1, placed[i].calls);
	}
}

/*
 * Callers first: the row of each stack, from that of its callers. With a focus only stacks through it count. The tree
 * begins at the focus, or, if it is to be inverted, all that such a stack has is of the row where the focus begins. The
 * stacks say where: in the tree a function that calls itself has one row, and functions whose names are equal share rows.
 */
static void make_plain(struct maker *maker)
{
	const struct call_tree_stacks *stacks = maker->stacks;
	const struct call_tree_options *options = maker->options;
	bool focused = options->focus && options->focus->nr;
	bool callers = focused && options->inverted; /* of the focus */
	struct placed *placed = xcalloc(stacks->nr + 1, sizeof(*placed));

	placed[STACK_EMPTY] = (struct placed){ .row = focused && !callers ? 0 : FRAME_TREE_ROOT + 1,
					       .above = STACK_EMPTY };
	maker->focus = focused ? xcalloc(stacks->nr + 1, sizeof(*maker->focus)) : NULL;
	for (uint32_t i = STACK_EMPTY + 1; i < stacks->nr; i++) {
		const struct stack_node *node = &stacks->nodes[i];
		uint32_t row = placed[node->parent].row;

		if (!row && maker->verdicts[node->frame].focus)
			row = FRAME_TREE_ROOT + 1;
		placed[i] = placed[STACK_EMPTY];
		if (!row)
			continue;
		place(maker, placed, i, row - 1);
		row = callers ? maker->focus[i] : placed[i].row;
		placed[i].counts = row != 0;
		if (row)
			frame_tree_add(maker->tree, row - 1, stacks->values[i]);
	}
	note_all_calls(maker, placed);
	free(maker->focus);
	free(placed);
}

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
	struct maker *maker;
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
			note_calls(inverter->maker, row, inverter->calls[v[end].row]);
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
static void invert(struct maker *maker)
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
	const struct maker *maker;
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

static const char *module_of(const struct maker *maker, uint32_t name)
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
	const struct maker *maker = lister->maker;
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
	struct maker maker = {
		.stacks = stacks, .options = options, .result = tree, .tree = &tree->names
	};
	struct lister lister = { .maker = &maker, .result = tree };
	struct family *families;
	int64_t *totals;

	*tree = (struct call_tree){ .focus_used = new_flags(options->focus),
				    .ignore_used = new_flags(options->ignore) };
	frame_tree_init(&tree->names);
	judge_all(&maker);
	make_plain(&maker);
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
	free(maker.verdicts);
	free(maker.calls);
	free(maker.origins);
}

void call_tree_release(struct call_tree *tree)
{
	free(tree->rows);
	free(tree->focus_used);
	free(tree->ignore_used);
	frame_tree_release(&tree->names);
}
