#include "report/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/query_name.h"
#include "report/short_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

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

/* What becomes of a frame. */
struct verdict {
	uint32_t name; /* in the tree; UINT32_MAX: it is left out */
	bool focus;
	bool closure; /* its name without "::{closure}" is `function` */
	uint32_t function;
};

#define LEFT_OUT UINT32_MAX

struct maker {
	const struct call_tree_stacks *stacks;
	const struct call_tree_options *options;
	struct frame_tree *tree;  /* what is made */
	struct verdict *verdicts; /* by name of a function */
};

static bool matches(const struct strvec *patterns, const char *name, const char *brief)
{
	for (size_t i = 0; patterns && i < patterns->nr; i++) {
		if (text_glob(patterns->v[i], name, false) ||
		    text_glob(patterns->v[i], brief, false))
			return true;
	}
	return false;
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

/* A closure is left out below the function that it is in. */
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

static struct verdict judge(struct maker *maker, const char *name)
{
	const struct call_tree_options *options = maker->options;
	struct verdict verdict = { .name = LEFT_OUT };
	struct strbuf brief = STRBUF_INIT;
	size_t len;
	const char *query = options->plumbing ? NULL : query_name(name, &len);

	if (query)
		strbuf_addf(&brief, "query %.*s", (int)len, query);
	else
		short_name(&brief, name);
	verdict.focus = matches(options->focus, name, brief.buf);
	if (!matches(options->ignore, name, brief.buf) &&
	    (query || options->plumbing || verdict.focus || !is_plumbing(name))) {
		verdict.name = add_name(maker, query || !options->full_names ? brief.buf : name);
		if (!options->plumbing && !options->full_names)
			see_closure(maker, &verdict, brief.buf);
	}
	strbuf_release(&brief);
	return verdict;
}

static void judge_all(struct maker *maker)
{
	const struct call_tree_stacks *stacks = maker->stacks;
	bool *used = xcalloc(stacks->names_nr + 1, sizeof(*used));

	maker->verdicts = xcalloc(stacks->names_nr + 1, sizeof(*maker->verdicts));
	for (size_t i = STACK_EMPTY + 1; i < stacks->nr; i++)
		used[stacks->nodes[i].frame] = true;
	for (size_t i = 0; i < stacks->names_nr; i++) {
		if (used[i])
			maker->verdicts[i] = judge(maker, stacks->name(stacks->data, (uint32_t)i));
	}
	free(used);
}

/* Whether the frame is left out below `caller`, a row: it is the same query again, or a closure of the function. */
static bool is_same(const struct maker *maker, const struct verdict *verdict, uint32_t caller)
{
	uint32_t name = caller == FRAME_TREE_ROOT ? LEFT_OUT : maker->tree->nodes[caller].name;

	if (name == LEFT_OUT)
		return false;
	if (verdict->closure && verdict->function == name)
		return true;
	return verdict->name == name && text_starts_with(maker->tree->names[name].text, "query ");
}

/* Callers first: the row of each stack, from that of its callers. */
static void make_plain(struct maker *maker)
{
	const struct call_tree_stacks *stacks = maker->stacks;
	bool focused = maker->options->focus && maker->options->focus->nr;
	/* The row of a stack, plus one; 0: it is not in focus. */
	uint32_t *rows = xcalloc(stacks->nr + 1, sizeof(*rows));

	rows[STACK_EMPTY] = focused ? 0 : FRAME_TREE_ROOT + 1;
	for (size_t i = STACK_EMPTY + 1; i < stacks->nr; i++) {
		const struct verdict *verdict = &maker->verdicts[stacks->nodes[i].frame];
		uint32_t row = rows[stacks->nodes[i].parent];

		if (!row && verdict->focus)
			row = FRAME_TREE_ROOT + 1;
		if (row && verdict->name != LEFT_OUT && !is_same(maker, verdict, row - 1))
			row = frame_tree_child(maker->tree, row - 1, verdict->name) + 1;
		rows[i] = row;
		if (row)
			frame_tree_add(maker->tree, row - 1, stacks->values[i]);
	}
	free(rows);
}

/*
 * The frames of a stack that are shown, root first, into `path`; with a focus up to its outermost frame. SIZE_MAX: the
 * stack is not in focus.
 */
static size_t read_path(const struct maker *maker, uint32_t stack, uint32_t **path, size_t *alloc)
{
	const struct stack_node *nodes = maker->stacks->nodes;
	bool focused = maker->options->focus && maker->options->focus->nr;
	size_t depth = 0, nr = 0;

	for (uint32_t at = stack; at != STACK_EMPTY; at = nodes[at].parent)
		depth++;
	ARRAY_GROW(*path, depth + 1, *alloc);
	for (uint32_t at = stack; at != STACK_EMPTY; at = nodes[at].parent)
		(*path)[--depth] = nodes[at].frame;
	for (uint32_t at = stack; at != STACK_EMPTY; at = nodes[at].parent)
		depth++;
	for (size_t i = 0; i < depth; i++) {
		const struct verdict *verdict = &maker->verdicts[(*path)[i]];

		if (verdict->name != LEFT_OUT)
			(*path)[nr++] = verdict->name;
		if (focused && verdict->focus)
			return nr;
	}
	return focused ? SIZE_MAX : nr;
}

/* Each stack from its leaf, or from the focus, outwards. */
static void make_inverted(struct maker *maker)
{
	uint32_t *path = NULL;
	size_t alloc = 0;

	for (size_t i = STACK_EMPTY + 1; i < maker->stacks->nr; i++) {
		int64_t self = maker->stacks->values[i];
		uint32_t row = FRAME_TREE_ROOT;
		size_t nr;

		if (self <= 0)
			continue;
		nr = read_path(maker, (uint32_t)i, &path, &alloc);
		if (nr == SIZE_MAX)
			continue;
		while (nr-- > 0)
			row = frame_tree_child(maker->tree, row, path[nr]);
		frame_tree_add(maker->tree, row, self);
	}
	free(path);
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
};

struct lister {
	struct call_tree *result;
	const struct frame_tree *tree;
	const struct family *families;
	const int64_t *totals;
	int64_t least; /* total of a row of its own */
	struct open_row *open;
	size_t nr, alloc;
};

static void add_row(struct lister *lister, struct call_tree_row row)
{
	ARRAY_ADD(lister->result->rows, lister->result->nr, lister->result->alloc, row);
}

/* Open the callees of a row, whose number decides whether they are indented. */
static void open_callees(struct lister *lister, uint32_t node, uint32_t depth, uint32_t indent)
{
	uint32_t first = lister->families[node].child;
	bool several = first && lister->families[first].sibling;

	if (first)
		ARRAY_ADD(lister->open, lister->nr, lister->alloc,
			  (struct open_row){ first, depth, indent + (several && depth) });
}

/* The callees from this one on are too small. */
static void add_others(struct lister *lister, const struct open_row *open)
{
	struct call_tree_row row = { open->depth, open->indent, 0, 0, NULL, 0 };

	for (uint32_t at = open->next; at; at = lister->families[at].sibling) {
		row.total += lister->totals[at];
		row.others++;
	}
	add_row(lister, row);
}

static void list_rows(struct lister *lister)
{
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
		add_row(lister, (struct call_tree_row){ at.depth, at.indent, lister->totals[node],
							lister->tree->nodes[node].self,
							frame_tree_text(lister->tree, node), 0 });
		open_callees(lister, node, at.depth + 1, at.indent);
	}
}

void call_tree_init(struct call_tree *tree, const struct call_tree_stacks *stacks,
		    const struct call_tree_options *options)
{
	struct maker maker = { .stacks = stacks, .options = options, .tree = &tree->names };
	struct lister lister = { .result = tree, .tree = &tree->names };
	struct family *families;
	int64_t *totals;

	*tree = (struct call_tree){ .nr = 0 };
	frame_tree_init(&tree->names);
	judge_all(&maker);
	(options->inverted ? make_inverted : make_plain)(&maker);
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
}

void call_tree_release(struct call_tree *tree)
{
	free(tree->rows);
	frame_tree_release(&tree->names);
}
