#include "cli/view_calls.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/view_regions.h"
#include "report/call_hint.h"
#include "report/call_tree.h"
#include "report/fit_name.h"
#include "replay/replay.h"
#include "util/alloc.h"
#include "util/text.h"
#include "util/wrap.h"

#define MIN_SHARE 1.0

const struct opt calls_options[] = {
	{ 0, "inverted", OPT_FLAG, NULL, "callers below their callees: who called it",
	  offsetof(struct results_values, inverted), NULL },
	{ 0, "focus", OPT_LIST, "FUNCTION",
	  "only stacks through this function, or query ('query typeck'), from there on: what it "
	  "called; with --inverted who called it",
	  offsetof(struct results_values, focus), NULL },
	{ 0, "ignore", OPT_LIST, "FUNCTION", "leave this function out of all stacks",
	  offsetof(struct results_values, ignore), NULL },
	{ 0, "min-share", OPT_STRING, "PERCENT",
	  "callees with less than this share of the whole are grouped (1)",
	  offsetof(struct results_values, min_share), NULL },
	{ 0, "plumbing", OPT_FLAG, NULL,
	  "show what is left out: the allocator, the query system, core, closures",
	  offsetof(struct results_values, plumbing), NULL },
	OPT_END,
};

static int check_options(const struct results_values *values, bool by_calls, struct err *err)
{
	double share = MIN_SHARE;

	if (!by_calls && (values->inverted || values->focus.nr || values->ignore.nr ||
			  values->min_share || values->plumbing))
		return err_set(err, ERR_USAGE,
			       "--inverted, --focus, --ignore, --min-share and --plumbing are for "
			       "--by calls");
	if (by_calls && values->by.nr > 1)
		return err_set(err, ERR_USAGE, "--by calls is a tree: give it alone");
	if (by_calls && values->view.sort)
		return err_set(err, ERR_USAGE,
			       "--by calls has an order of its own: callers before callees, the "
			       "largest first; --sort is for the other keys");
	return results_min_share(values, &share, err);
}

struct calls_row {
	const struct call_tree *tree;
	const struct call_tree_row *row;
	const struct call_tree_options *options;
};

static const struct call_tree_row *row_of(const void *data)
{
	return ((const struct calls_row *)data)->row;
}

static void get_total(const void *data, struct cell *cell)
{
	cell_set_number(cell, row_of(data)->total);
}

/* In an inverted tree functions have a value of their own where they are not called by a row: at the start. */
static void get_self(const void *data, struct cell *cell)
{
	const struct call_tree_options *options = ((const struct calls_row *)data)->options;

	if (!options->inverted)
		cell_set_number(cell, row_of(data)->self);
	else if (!row_of(data)->depth && !options->focus->nr)
		cell_set_number(cell, row_of(data)->total);
}

static uint32_t caller_of(const void *data)
{
	return row_of(data)->caller;
}

static void get_depth(const void *data, struct cell *cell)
{
	cell_set_number(cell, row_of(data)->depth);
}

static void get_percent(const void *data, struct cell *cell)
{
	const struct call_tree *tree = ((const struct calls_row *)data)->tree;

	cell_set_percent(
		cell, tree->total ? 100.0 * (double)row_of(data)->total / (double)tree->total : 0);
}

static void get_function(const void *data, struct cell *cell)
{
	cell_set_text(cell, row_of(data)->name);
}

/* In text the minor callees have no row. */
static void get_below(const void *data, struct cell *cell)
{
	if (row_of(data)->below)
		cell_set_number(cell, row_of(data)->below);
}

static void get_group(const void *data, struct cell *cell)
{
	cell_set_text(cell, row_of(data)->group);
}

static void get_calls(const void *data, struct cell *cell)
{
	if (row_of(data)->name)
		cell_set_number(cell, row_of(data)->calls);
}

static void get_others(const void *data, struct cell *cell)
{
	cell_set_number(cell, (int64_t)row_of(data)->others);
}

static void get_tree_text(const void *data, struct cell *cell)
{
	const struct call_tree_row *row = row_of(data);

	strbuf_pad(&cell->scratch, ' ', (size_t)row->indent * 2);
	strbuf_adds(&cell->scratch, row->chained ? FIT_MARK : "");
	if (row->name && row->calls > 1)
		strbuf_addf(&cell->scratch, "%s (%u deep)", row->name, row->calls);
	else if (row->name)
		strbuf_adds(&cell->scratch, row->name);
	else if (row->group)
		strbuf_addf(&cell->scratch, "(%s: %zu more)", row->group, row->others);
	else
		strbuf_addf(&cell->scratch, "(%zu more, %sbelow %g%%)", row->others,
			    row->others > 1 ? "each " : "",
			    ((const struct calls_row *)data)->options->min_share);
	cell_set_text(cell, cell->scratch.buf);
}

/* clang-format off */
#define COLUMNS(unit, type, what) \
	{ \
		{ "total_" unit, "TOTAL", what " of the row and of all rows that it calls", type, \
		  SHOW_DATA, false, get_total, NULL }, \
		{ "percent", "PERCENT", "total as a share of the whole tree", COLUMN_PERCENT, \
		  SHOW_DATA, false, get_percent, NULL }, \
		{ "self_" unit, "SELF", what " of the row itself", type, SHOW_DATA, false, \
		  get_self, NULL }, \
		{ "others_" unit, "OTHERS", \
		  what " of the row's callees that have no row in text", type, SHOW_IF_KNOWN, false, \
		  get_below, NULL }, \
		{ "depth", "DEPTH", "number of callers", COLUMN_INT, SHOW_DATA, false, get_depth, \
		  NULL }, \
		{ "others", "OTHERS", \
		  "number of callees that the row stands for, as they are too small", COLUMN_INT, \
		  SHOW_DATA, false, get_others, NULL }, \
		{ "group", "GROUP", "what these callees belong to", COLUMN_TEXT, SHOW_DATA, false, \
		  get_group, NULL }, \
		{ "calls", "CALLS", \
		  "the most calls of the function on one stack; above 1 it calls itself", \
		  COLUMN_INT, SHOW_DATA, false, get_calls, NULL }, \
		{ "function", "FUNCTION", "short name of the function", COLUMN_NAME, SHOW_DATA, \
		  true, get_function, get_tree_text }, \
	}
/* clang-format on */

static const struct column time_columns[] = COLUMNS("ns", COLUMN_DURATION, "CPU time");
static const struct column memory_columns[] = COLUMNS("bytes", COLUMN_BYTES, "memory");

/* The number that the tree adds up: of memory what was held at the peak of the build, or at the moment of --at. */
static const struct metric *choose_metric(const struct account *account, const char *at)
{
	if (!account->memory)
		return &account->metrics[0];
	return metric_of(account, at && strcmp(at, "peak") != 0 ? "outstanding" : "at-peak");
}

static void make_head(const struct results_view *view, const struct call_tree *tree, double share,
		      struct head *head)
{
	const struct view_head facts = results_view_head(view);
	const struct results_values *values = view->values;
	bool memory = view->account->memory;
	char *share_text = xasprintf("%g%%", share);

	view_head_begin(&facts, head);
	head_label(head, "calls");
	head_number(head, memory ? "total_bytes" : "total_ns",
		    memory ? COLUMN_BYTES : COLUMN_DURATION, tree->total);
	head_wordsf(head, "%s; callees below ",
		    values->focus.nr ? " through the functions of --focus" : "");
	head_text(head, "min_share", share_text);
	head_words(head, " of it are grouped\n");
	if (!values->plumbing) {
		head_label(head, "");
		head_words(head, "plumbing counts for its callers (docs/calls.md)\n");
	}
	free(share_text);
	view_head_end(&facts, head);
}

static int print(const struct results_view *view, const struct call_tree *tree,
		 const struct call_tree_options *calls, const struct table *table,
		 struct table_options *options, struct err *err)
{
	struct calls_row *rows = xcalloc(tree->nr + 1, sizeof(*rows));
	const void **pointers = xcalloc(tree->nr + 1, sizeof(*pointers));
	struct head head = HEAD_INIT;
	size_t nr = 0;
	int rc;

	for (size_t i = 0; i < tree->nr; i++) {
		rows[i] = (struct calls_row){ tree, &tree->rows[i], calls };
		if (options->format != TABLE_TEXT || !tree->rows[i].minor)
			pointers[nr++] = &rows[i];
	}
	if (results_view_has_head(view, options)) {
		make_head(view, tree, calls->min_share, &head);
		options->head = &head;
	} else {
		results_view_warn_stacks(view);
	}
	rc = view_print_table(&view->values->view, table, options, pointers, nr, err);
	head_release(&head);
	free(rows);
	free(pointers);
	return rc;
}

struct tree_names {
	const struct results *results;
	uint32_t *modules; /* by function.name: of the first function with the name, plus one */
};

static size_t frame_levels(const void *data, uint32_t frame, uint32_t names[CALL_TREE_LEVELS])
{
	return function_table_names(((const struct tree_names *)data)->results->functions, frame,
				    names);
}

/* Frames of a BY_STACK dimension are names. */
static size_t frame_name(const void *data, uint32_t frame, uint32_t names[CALL_TREE_LEVELS])
{
	(void)data;
	names[0] = frame;
	return 1;
}

static const char *function_name(const void *data, uint32_t name)
{
	return function_table_name(((const struct tree_names *)data)->results->functions, name);
}

static const char *module_name(const void *data, uint32_t name)
{
	const struct tree_names *names = data;

	return names->modules[name] ? names->results->modules->v[names->modules[name] - 1].name
				    : NULL;
}

static void find_modules(struct tree_names *names)
{
	const struct function_table *functions = names->results->functions;

	names->modules = xcalloc(functions->names_nr + 1, sizeof(*names->modules));
	for (size_t i = functions->nr; i-- > 0;)
		names->modules[functions->v[i].name] = functions->v[i].module + 1;
}

/* CPU time: the stacks of the machine, up to the last one that was counted. */
static void take_stacks(const struct results *results, struct call_tree_stacks *stacks,
			int64_t **values)
{
	const struct stack_table *table = results->counted;

	*values = xcalloc(table->nodes_nr, sizeof(**values));
	stacks->nodes = table->nodes;
	stacks->frames_nr = table->frames_nr;
	stacks->levels = frame_levels;
	for (size_t i = 0; i < results->tallies_nr; i++) {
		const struct stack_tally *tally = &results->tallies[i];

		wrap_add_to(&(*values)[tally->stack], tally->ns);
		if (tally->stack >= stacks->nr)
			stacks->nr = (size_t)tally->stack + 1;
	}
}

/* Memory: the stacks of the keys. Returns the sum of values below 0, as a positive number. */
static int64_t take_keys(const struct results *results, const struct metric *metric,
			 struct call_tree_stacks *stacks, int64_t **values)
{
	const struct stack_table *names = dimension_names(grouping_only(results->grouping));
	int64_t surplus = 0;

	*values = xcalloc(names->nodes_nr, sizeof(**values));
	stacks->nodes = names->nodes;
	stacks->nr = names->nodes_nr;
	stacks->frames_nr = stacks->names_nr;
	stacks->levels = frame_name;
	for (size_t i = 0; i < results->nr; i++) {
		int64_t value = metric_value(metric, results, results_entry(results, i));

		(*values)[grouping_part(results->grouping, (uint32_t)i, BY_STACK)->stack] = value;
		if (value < 0)
			surplus = wrap_subtract(surplus, value);
	}
	return surplus;
}

/*
 * The tree of the results, by stack, and notes about its options. Returns the sum of values below 0, which are left out, as
 * a positive number.
 */
static int64_t make_tree(struct call_tree *tree, const struct results *results,
			 const struct metric *metric, const struct call_tree_options *options,
			 struct strbuf *notes)
{
	struct tree_names tree_names = { .results = results };
	struct call_tree_stacks stacks = {
		.names_nr = results->functions->names_nr,
		.name = function_name,
		.module = module_name,
		.data = &tree_names,
		.threads = replay_threads(),
	};
	int64_t surplus = 0, *values;

	if (results->counted)
		take_stacks(results, &stacks, &values);
	else
		surplus = take_keys(results, metric, &stacks, &values);
	stacks.values = values;
	find_modules(&tree_names);
	call_tree_init(tree, &stacks, options);
	call_hint_add(tree, &stacks, options, notes);
	free(tree_names.modules);
	free(values);
	return surplus;
}

static int show(struct results_view *view, double share, const struct table *table,
		struct table_options *options, struct err *err)
{
	const struct results_values *values = view->values;
	const struct call_tree_options calls = {
		.inverted = values->inverted,
		.full_names = values->full_names,
		.plumbing = values->plumbing,
		.min_share = share,
		.focus = &values->focus,
		.ignore = &values->ignore,
	};
	const struct metric *metric = choose_metric(view->account, view->at);
	struct strbuf notes = STRBUF_INIT;
	struct call_tree tree;
	int rc;

	results_view_note_surplus(view, metric,
				  make_tree(&tree, &view->results, metric, &calls, &notes));
	if (notes.len)
		message_print_buf("note: ", &notes);
	else if (!tree.nr && metric->nothing && !view->account->is_empty(&view->results))
		message_print("note: ", metric->nothing);
	rc = print(view, &tree, &calls, table, options, err);
	call_tree_release(&tree);
	return rc;
}

static int show_calls(const struct account *account, const struct results_values *values,
		      struct err *err)
{
	struct results_view view = {
		.values = values,
		.account = account,
		.at = values->at,
		.by = { BY_STACK },
		.by_nr = 1,
		.counts = account->cpu ? COUNTS_OF_STACKS : COUNTS_OF_KEYS,
	};
	const struct table table = {
		.columns = account->memory ? memory_columns : time_columns,
		.columns_nr = sizeof(time_columns) / sizeof(*time_columns),
		.text_columns = account->memory
					? "total_bytes,percent,self_bytes,others_bytes,function"
					: "total_ns,percent,self_ns,others_ns,function",
		.identity = "function",
		.parent = caller_of,
	};
	struct table_options options;
	double share = MIN_SHARE;
	int rc;

	if (results_min_share(values, &share, err) ||
	    view_get_table_options(&values->view, &table, &options, err))
		return -1;
	rc = results_view_open(&view, err);
	if (!rc) {
		replay_forget_names(&view.replay);
		rc = show(&view, share, &table, &options, err);
	}
	results_view_close(&view);
	return rc ? -1 : EXIT_CODE_DONE;
}

static bool is_by(const struct account *account, const struct results_values *values,
		  enum group_by by)
{
	for (size_t i = 0; i < values->by.nr; i++) {
		if (account_key(account, (size_t)values->by.v[i]) == (int)by)
			return true;
	}
	return false;
}

int calls_or_results_run(const struct account *account, const struct results_values *values,
			 struct err *err)
{
	bool calls = is_by(account, values, BY_CALLS);
	bool regions = is_by(account, values, BY_REGION);

	if (check_options(values, calls, err))
		return -1;
	if (is_by(account, values, BY_HEAP) && !account->heap)
		return err_set(err, ERR_USAGE, "--by heap is a key of --of heap");
	if (regions && values->by.nr > 1)
		return err_set(err, ERR_USAGE,
			       "--by region has a row for each range: give it alone");
	if (regions)
		return regions_run(account, values, err);
	return calls ? show_calls(account, values, err) : results_view_run(account, values, err);
}
