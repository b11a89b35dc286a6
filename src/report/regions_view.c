#include "report/regions_view.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

static const char *const flow_names[] = { "aofo", "aofi", "aifo", "aifi", NULL };

/* A region; small, as there are many. */
struct region_row {
	const struct results *results;
	uint32_t key;
	uint8_t end;  /* enum life_end */
	uint8_t flow; /* of flow_names; NULL: it is not held in the range */
	uint64_t address, heap;
	int64_t bytes, start_ns, end_ns;
};

/* Define the getter of a column of processes. */
#define PROCESS(name) \
	static void get_##name(const void *data, struct cell *cell) \
	{ \
		const struct region_row *region = data; \
		const struct result_row row = { .results = region->results, .key = region->key }; \
\
		table_find(&account_memory.table, #name)->get(&row, cell); \
	}

PROCESS(pid)
PROCESS(image)
PROCESS(crate)

/* As text it has one width for all that a process of x86-64 or arm64 usually has, and can be sorted. */
static void get_address(const void *data, struct cell *cell)
{
	const struct region_row *region = data;

	strbuf_addf(&cell->scratch, "0x%012llx", (unsigned long long)region->address);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_heap(const void *data, struct cell *cell)
{
	const struct region_row *region = data;

	strbuf_addf(&cell->scratch, "0x%llx", (unsigned long long)region->heap);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_size(const void *data, struct cell *cell)
{
	cell_set_number(cell, ((const struct region_row *)data)->bytes);
}

static void get_commit_time(const void *data, struct cell *cell)
{
	cell_set_number(cell, ((const struct region_row *)data)->start_ns);
}

static void get_freed_time(const void *data, struct cell *cell)
{
	const struct region_row *region = data;

	if (region->end != LIFE_HELD)
		cell_set_number(cell, region->end_ns);
}

static void get_lifetime(const void *data, struct cell *cell)
{
	const struct region_row *region = data;

	if (region->end != LIFE_HELD)
		cell_set_number(cell, wrap_subtract(region->end_ns, region->start_ns));
}

static void get_ended(const void *data, struct cell *cell)
{
	cell_set_text(cell, life_end_names[((const struct region_row *)data)->end]);
}

static void get_flow(const void *data, struct cell *cell)
{
	cell_set_text(cell, flow_names[((const struct region_row *)data)->flow]);
}

static const struct group *stack_of(const struct region_row *region)
{
	return grouping_part(region->results->grouping, region->key, BY_STACK);
}

static const struct dimension *stacks_of(const struct region_row *region)
{
	return grouping_dimension(region->results->grouping, BY_STACK);
}

static void get_function(const void *data, struct cell *cell)
{
	const struct dimension *stacks = stacks_of(data);
	uint32_t asker = dimension_asker(stacks, stack_of(data));
	uint32_t name = dimension_names(stacks)->nodes[asker].frame;

	cell_set_text(cell, function_table_name(
				    ((const struct region_row *)data)->results->functions, name));
}

static void get_stack(const void *data, struct cell *cell)
{
	dimension_add_frames(stacks_of(data), stack_of(data), &cell->list);
	cell_set_strings(cell, &cell->list);
}

static void get_function_text(const void *data, struct cell *cell)
{
	cell_set_text(cell, results_asker_text(((const struct region_row *)data)->results,
					       stack_of(data)));
}

static void get_stack_text(const void *data, struct cell *cell)
{
	results_stack_text(((const struct region_row *)data)->results, stack_of(data), cell);
}

static const struct column columns[] = {
	{ "pid", "PID", "process id; ids are reused", COLUMN_INT, SHOW_DATA, false, get_pid, NULL },
	{ "image", "IMAGE", "file name of the program", COLUMN_TEXT, SHOW_DATA, true, get_image,
	  NULL },
	{ "crate", "CRATE", "crate or package that the process works on", COLUMN_TEXT, SHOW_DATA,
	  false, get_crate, NULL },
	{ "address", "ADDRESS", "first address", COLUMN_TEXT, SHOW_DATA, false, get_address, NULL },
	{ "size_bytes", "SIZE", "committed; touched: what the page stands for", COLUMN_BYTES,
	  SHOW_DATA, false, get_size, NULL },
	{ "commit_time_ns", "COMMIT AT", "when it was committed, touched or allocated", COLUMN_TIME,
	  SHOW_DATA, false, get_commit_time, NULL },
	{ "freed_time_ns", "FREED AT", "when it was freed; unknown if it never was", COLUMN_TIME,
	  SHOW_DATA, false, get_freed_time, NULL },
	{ "lifetime_ns", "LIFETIME", "the time between both", COLUMN_DURATION, SHOW_DATA, false,
	  get_lifetime, NULL },
	{ "ended", "ENDED",
	  "freed; exec, exit: with its process; held: not before the end of the recording",
	  COLUMN_TEXT, SHOW_DATA, false, get_ended, NULL },
	{ "flow", "FLOW",
	  "aifi, aifo, aofi or aofo: allocated inside or outside the range, freed inside or "
	  "outside it",
	  COLUMN_TEXT, SHOW_DATA, false, get_flow, NULL },
	{ "function", "FUNCTION", "function that asked for it", COLUMN_NAME, SHOW_DATA, true,
	  get_function, get_function_text },
	{ "stack", "STACK", "functions of the stack, root first; only with --columns", COLUMN_STACK,
	  0, true, get_stack, get_stack_text },
	{ "heap", "HEAP", "with --of heap: the handle of the block's heap", COLUMN_TEXT, SHOW_DATA,
	  false, get_heap, NULL },
};

#define TEXT "pid,image,crate,size_bytes,commit_time_ns,freed_time_ns,ended,function"
#define WIDE(place) \
	"pid,image,crate," place ",size_bytes,commit_time_ns,freed_time_ns,lifetime_ns,ended," \
	"function"
#define SORT "size_bytes"

const struct table regions_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns) - 1, /* without the heap */
	.text_columns = TEXT,
	.wide_columns = WIDE("address"),
	.sort = SORT,
};

const struct table heap_regions_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = TEXT,
	.wide_columns = WIDE("heap,address"),
	.sort = SORT,
};

const void **regions_view_rows(const struct regions_view *view)
{
	const void **pointers = xcalloc(view->rows_nr, sizeof(*pointers));

	for (size_t i = 0; i < view->rows_nr; i++)
		pointers[i] = &view->rows[i];
	return pointers;
}

/* So many rows at least are kept, that each that comes costs little. */
#define KEPT 65536

static size_t kept(const struct regions_view *view)
{
	return (size_t)view->options.top < KEPT ? KEPT : (size_t)view->options.top;
}

/* Drop what is not among the first rows. Equal ones stay in the order in which they came. */
static void prune(struct regions_view *view)
{
	const char *sort = view->options.sort ? view->options.sort : SORT;
	size_t top = (size_t)view->options.top;
	struct region_row *rows = xcalloc(view->rows_alloc, sizeof(*rows));
	const void **pointers = regions_view_rows(view);
	struct err ignored = ERR_INIT;

	table_sort(&heap_regions_table, sort, pointers, view->rows_nr, &ignored);
	for (size_t i = 0; i < top; i++)
		rows[i] = *(const struct region_row *)pointers[i];
	view->left_out += view->rows_nr - top;
	view->rows_nr = top;
	free(view->rows);
	view->rows = rows;
	free(pointers);
	err_clear(&ignored);
}

static void add(void *data, const struct region *region)
{
	struct regions_view *view = data;
	const struct region_row row = {
		.results = view->results,
		.key = region->key,
		.end = (uint8_t)region->end,
		.flow = region->held_inside
				? (uint8_t)(region->life.inside * 2 + region->ended_inside)
				: ARRAY_SIZE(flow_names) - 1,
		.address = region->address,
		.heap = region->heap,
		.bytes = region->bytes,
		.start_ns = region->start_ns,
		.end_ns = region->end_ns,
	};

	if (view->options.top && view->rows_nr >= 2 * kept(view))
		prune(view);
	ARRAY_ADD(view->rows, view->rows_nr, view->rows_alloc, row);
}

static void clear(void *data)
{
	struct regions_view *view = data;

	view->rows_nr = 0;
	view->left_out = 0;
}

struct region_sink regions_view_sink(struct regions_view *view, bool at_moment)
{
	return (struct region_sink){
		.at_moment = at_moment, .add = add, .clear = clear, .data = view
	};
}

void regions_view_release(struct regions_view *view)
{
	free(view->rows);
}
