#include "report/account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine.h"
#include "model/process.h"
#include "report/short_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

static const struct account *const accounts[] = { &account_cpu, &account_memory };

const char *const memory_kind_names[] = { "commit", "touched", "heap", NULL };

const struct account *memory_kind_account(int kind)
{
	static const struct account *const kinds[] = { &account_memory, &account_touched,
						       &account_heap };

	return kinds[kind];
}

/* The part of the key that is of a kind; NULL: it has none. */
static const struct group *part_of(const void *data, enum group_by by)
{
	const struct result_row *row = data;

	return grouping_part(row->results->grouping, row->key, by);
}

static const struct process *process_of(const void *row)
{
	const struct group *group = part_of(row, BY_PROCESS);

	if (!group)
		group = part_of(row, BY_THREAD);
	if (!group)
		group = part_of(row, BY_HEAP);
	return group ? group->process : NULL;
}

static const struct trace_thread *thread_of(const void *row)
{
	return part_of(row, BY_THREAD)->thread;
}

/* The key that has a module. */
static const struct group *group_of(const void *row)
{
	const struct group *group = part_of(row, BY_MODULE);

	return group ? group : part_of(row, BY_FUNCTION);
}

static const struct results *results_of(const void *row)
{
	return ((const struct result_row *)row)->results;
}

static void get_pid(const void *row, struct cell *cell)
{
	const struct process *process = process_of(row);

	if (process && process->pid != PROCESS_UNKNOWN)
		cell_set_number(cell, process->pid);
}

static void get_tid(const void *row, struct cell *cell)
{
	if (thread_of(row))
		cell_set_number(cell, thread_of(row)->tid);
}

static void get_thread(const void *row, struct cell *cell)
{
	const struct trace_thread *thread = thread_of(row);

	cell_set_text(cell, thread && thread->name && *thread->name ? thread->name : NULL);
}

static void get_image(const void *row, struct cell *cell)
{
	const struct process *process = process_of(row);

	cell_set_text(cell, process ? process_image(process) : NULL);
}

/* By crate the key itself, by process the crate of the process. */
static void get_crate(const void *row, struct cell *cell)
{
	const struct group *group = part_of(row, BY_CRATE);
	const struct process *process = process_of(row);

	if (group)
		cell_set_text(cell, group->text);
	else
		cell_set_text(cell, process ? process->tag.crate : NULL);
}

static void get_role(const void *row, struct cell *cell)
{
	cell_set_text(cell, part_of(row, BY_ROLE)->text);
}

static void get_part(const void *row, struct cell *cell)
{
	cell_set_text(cell, part_of(row, BY_PART)->text);
}

static void get_phase(const void *row, struct cell *cell)
{
	cell_set_text(cell, part_of(row, BY_PHASE)->text);
}

static void get_query(const void *row, struct cell *cell)
{
	cell_set_text(cell, part_of(row, BY_QUERY)->text);
}

static void get_lifetime(const void *row, struct cell *cell)
{
	cell_set_text(cell, part_of(row, BY_LIFETIME)->text);
}

static void get_heap(const void *row, struct cell *cell)
{
	strbuf_addf(&cell->scratch, "0x%" PRIx64, part_of(row, BY_HEAP)->heap);
	cell_set_text(cell, cell->scratch.buf);
}

/* [truncated] and [not sampled] have no module: their text is shown as one. */
static void get_module(const void *row, struct cell *cell)
{
	if (group_of(row)->text) {
		cell_set_text(cell, group_of(row)->text);
		return;
	}
	cell_set_text(cell, results_of(row)->modules->v[group_of(row)->module].name);
}

/* The label if other modules have the name; NULL. */
static const char *label_of(const void *row)
{
	return group_of(row)->text
		       ? NULL
		       : module_labels_get(&results_of(row)->labels, group_of(row)->module);
}

static void get_labelled_module(const void *row, struct cell *cell)
{
	const char *label = label_of(row);

	get_module(row, cell);
	if (label)
		cell_set_text(cell, label);
}

static const struct module *module_of(const void *row)
{
	return group_of(row)->text ? NULL : &results_of(row)->modules->v[group_of(row)->module];
}

/* Only files have a path. */
static void get_path(const void *row, struct cell *cell)
{
	const struct module *module = module_of(row);

	cell_set_text(cell, module && module->kind == MODULE_FILE ? module->path : NULL);
}

static void get_build_id(const void *row, struct cell *cell)
{
	const struct module *module = module_of(row);

	if (!module || !module->id_length)
		return;
	text_add_hex(&cell->scratch, module->id, module->id_length);
	cell_set_text(cell, cell->scratch.buf);
}

/* Only modules with a PDB have one. */
static void get_symbol_id(const void *row, struct cell *cell)
{
	const struct module *module = module_of(row);
	char *id;

	if (!module || !module->debug_path || !module->id_length)
		return;
	id = module_symbol_id(module->id);
	strbuf_adds(&cell->scratch, id);
	cell_set_text(cell, cell->scratch.buf);
	free(id);
}

static void cut_cell(struct cell *cell)
{
	strbuf_add(&cell->scratch, cell->text, module_brief_length(cell->text));
	cell_set_text(cell, cell->scratch.buf);
}

/* A short name, to leave space for the name of the function. */
static void get_short_module(const void *row, struct cell *cell)
{
	const char *brief = NULL;

	get_labelled_module(row, cell);
	if (label_of(row))
		return;
	if (!group_of(row)->text)
		brief = module_labels_brief(&results_of(row)->labels, group_of(row)->module);
	if (brief)
		cell_set_text(cell, brief);
	else
		cut_cell(cell);
}

static const struct function *function_of(const void *row)
{
	return &results_of(row)->functions->v[group_of(row)->function];
}

static void get_function(const void *row, struct cell *cell)
{
	cell_set_text(cell,
		      function_table_name(results_of(row)->functions, function_of(row)->name));
}

static void get_function_text(const void *row, struct cell *cell)
{
	cell_set_text(cell, results_function_name(results_of(row), function_of(row)->name));
}

static const struct strvec *also_of(const void *row)
{
	return function_table_also(results_of(row)->functions, group_of(row)->function);
}

static void get_also(const void *row, struct cell *cell)
{
	cell_set_strings(cell, also_of(row));
}

static void get_also_nr(const void *row, struct cell *cell)
{
	const struct strvec *also = also_of(row);

	if (!also)
		return;
	strbuf_addf(&cell->scratch, "+%zu", also->nr);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_source(const void *row, struct cell *cell)
{
	const struct function *function = function_of(row);

	if (!function->file)
		return;
	strbuf_adds(&cell->scratch, function->file);
	if (function->line)
		strbuf_addf(&cell->scratch, ":%u", function->line);
	cell_set_text(cell, cell->scratch.buf);
}

static const struct dimension *stacks_of(const struct results *results)
{
	return grouping_dimension(results->grouping, BY_STACK);
}

static void get_stack(const void *row, struct cell *cell)
{
	dimension_add_frames(stacks_of(results_of(row)), part_of(row, BY_STACK), &cell->list);
	cell_set_strings(cell, &cell->list);
}

const char *results_asker_text(const struct results *results, const struct group *stack)
{
	const struct dimension *stacks = stacks_of(results);
	uint32_t asker = dimension_asker(stacks, stack);

	return results_function_name(results, dimension_names(stacks)->nodes[asker].frame);
}

static const char *next_frame(const void *data, uint32_t *at)
{
	const struct results *results = data;
	const struct stack_node *node = &dimension_names(stacks_of(results))->nodes[*at];

	*at = node->parent;
	return results_function_name(results, node->frame);
}

void results_stack_text(const struct results *results, const struct group *stack, struct cell *cell)
{
	uint32_t asker = dimension_asker(stacks_of(results), stack);

	cell_set_frames(cell, (struct frame_names){ next_frame, results, asker });
}

static void get_stack_text(const void *row, struct cell *cell)
{
	results_stack_text(results_of(row), part_of(row, BY_STACK), cell);
}

enum {
	PID,
	TID,
	THREAD,
	IMAGE,
	ROLE,
	PART,
	CRATE,
	PHASE,
	QUERY,
	MODULE,
	SHORT_MODULE,
	PATH,
	BUILD_ID,
	SYMBOL_ID,
	FUNCTION,
	ALSO,
	SOURCE,
	STACK,
	LIFETIME,
	HEAP,
};

static const struct column all[] = {
	[PID] = { "pid", "PID", "process id; ids are reused", COLUMN_INT, SHOW_DATA, false, get_pid,
		  NULL },
	[TID] = { "tid", "TID", "thread id; ids are reused", COLUMN_INT, SHOW_DATA, false, get_tid,
		  NULL },
	[THREAD] = { "thread", "THREAD", "name of the thread", COLUMN_TEXT, SHOW_DATA, false,
		     get_thread, NULL },
	[IMAGE] = { "image", "IMAGE", "file name of the program", COLUMN_TEXT, SHOW_DATA, true,
		    get_image, NULL },
	[ROLE] = { "role", "ROLE", "what the process is for: rustc, link, build-script, ...",
		   COLUMN_TEXT, SHOW_DATA, false, get_role, NULL },
	[PART] = { "part", "PART", "what is being built: bootstrap, stage1-std, stage2-rustc, ...",
		   COLUMN_TEXT, SHOW_DATA, false, get_part, NULL },
	[CRATE] = { "crate", "CRATE", "crate or package that the process works on", COLUMN_TEXT,
		    SHOW_DATA, false, get_crate, NULL },
	[PHASE] = { "phase", "PHASE",
		    "what the stack is about, by stack tags: rustc: type check, LLVM: ..., "
		    "linking: "
		    "...; [untagged]",
		    COLUMN_TEXT, SHOW_DATA, true, get_phase, NULL },
	[QUERY] = { "query", "QUERY", "the innermost query of rustc on the stack, or [no query]",
		    COLUMN_TEXT, SHOW_DATA, true, get_query, NULL },
	[MODULE] = { "module", "MODULE",
		     "file name of the library, the program, or [kernel.kallsyms]", COLUMN_TEXT,
		     SHOW_DATA, false, get_module, get_labelled_module },
	[SHORT_MODULE] = { "module", "MODULE", "see above", COLUMN_TEXT, SHOW_DATA, false,
			   get_module, get_short_module },
	[PATH] = { "path", "PATH",
		   "path of the module if it is a file; text shows its end for modules with "
		   "equal names, the whole path only with --columns",
		   COLUMN_TEXT, SHOW_DATA, true, get_path, NULL },
	[BUILD_ID] = { "build_id", "BUILD ID",
		       "build id of the module; only in JSON, or with --columns", COLUMN_TEXT,
		       SHOW_JSON, false, get_build_id, NULL },
	[SYMBOL_ID] = { "symbol_id", "SYMBOL ID",
			"id of the module's PDB as symbol servers write it: GUID and age; only "
			"with --columns",
			COLUMN_TEXT, 0, false, get_symbol_id, NULL },
	[FUNCTION] = { "function", "FUNCTION", "name of the function; module!0x1234 if it has none",
		       COLUMN_NAME, SHOW_DATA, true, get_function, get_function_text },
	[ALSO] = { "also", "ALSO",
		   "other names of the same code: aliases, folded identical code; in JSON, or with "
		   "--columns; text shows their number if a row has any",
		   COLUMN_STRINGS, SHOW_JSON | SHOW_IF_KNOWN, false, get_also, get_also_nr },
	[SOURCE] = { "source", "SOURCE",
		     "file and line of the first address seen in the function; known with "
		     "--inlines; only in JSON, or with --columns",
		     COLUMN_TEXT, SHOW_JSON, true, get_source, NULL },
	[STACK] = { "stack", "STACK", "functions of the stack, root first", COLUMN_STACK, SHOW_DATA,
		    true, get_stack, get_stack_text },
	[LIFETIME] = { "lifetime", "LIFETIME",
		       "how long it was held until it was freed: <1ms ... <1min, >=1min; [exit], "
		       "until the process ended, or [held], until the recording did",
		       COLUMN_TEXT, SHOW_DATA, false, get_lifetime, NULL },
	[HEAP] = { "heap", "HEAP", "handle of the heap, with --by heap and --by region",
		   COLUMN_TEXT, SHOW_DATA, false, get_heap, NULL },
};

/* The columns of a kind of key; those of text, which stand after the numbers if names are long. */
static const struct key_columns {
	const struct column *v[8];
	const char *text;
	bool last;
} key_columns[] = {
	[BY_PROCESS] = { { &all[PID], &all[IMAGE], &all[CRATE] }, "pid,image,crate", false },
	[BY_ROLE] = { { &all[ROLE] }, "role", false },
	[BY_PART] = { { &all[PART] }, "part", false },
	[BY_CRATE] = { { &all[CRATE] }, "crate", false },
	[BY_MODULE] = { { &all[MODULE], &all[PATH], &all[BUILD_ID], &all[SYMBOL_ID] },
			"module",
			false },
	[BY_FUNCTION] = { { &all[FUNCTION], &all[SHORT_MODULE], &all[PATH], &all[BUILD_ID],
			    &all[SYMBOL_ID], &all[ALSO], &all[SOURCE] },
			  "also,module,function",
			  true },
	[BY_THREAD] = { { &all[PID], &all[TID], &all[THREAD], &all[IMAGE] },
			"pid,tid,thread,image",
			false },
	[BY_PHASE] = { { &all[PHASE] }, "phase", false },
	[BY_QUERY] = { { &all[QUERY] }, "query", false },
	[BY_STACK] = { { &all[STACK] }, "stack", true },
	[BY_LIFETIME] = { { &all[LIFETIME] }, "lifetime", false },
	[BY_HEAP] = { { &all[PID], &all[IMAGE], &all[CRATE], &all[HEAP] },
		      "pid,image,crate,heap",
		      false },
};

const struct column *const key_columns_cpu[] = {
	&all[PID],       &all[TID],      &all[THREAD], &all[IMAGE],  &all[ROLE],  &all[PART],
	&all[CRATE],     &all[PHASE],    &all[QUERY],  &all[MODULE], &all[PATH],  &all[BUILD_ID],
	&all[SYMBOL_ID], &all[FUNCTION], &all[ALSO],   &all[SOURCE], &all[STACK], NULL,
};

const struct column *const key_columns_memory[] = {
	&all[PID],    &all[TID],      &all[THREAD],    &all[IMAGE],    &all[ROLE],
	&all[PART],   &all[CRATE],    &all[PHASE],     &all[QUERY],    &all[MODULE],
	&all[PATH],   &all[BUILD_ID], &all[SYMBOL_ID], &all[FUNCTION], &all[ALSO],
	&all[SOURCE], &all[STACK],    &all[LIFETIME],  &all[HEAP],     NULL,
};

int account_key(const struct account *account, size_t i)
{
	for (int by = 0; by <= BY_REGION; by++) {
		if (account->text.columns[by] && !i--)
			return by;
	}
	return -1;
}

const char *account_key_name(const struct account *account, size_t i)
{
	int by = account_key(account, i);

	return by < 0 ? NULL : group_by_names[by];
}

/* A key that says all that the other says. */
static bool determines(enum group_by by, enum group_by other)
{
	return (by == BY_THREAD && other == BY_PROCESS) ||
	       (by == BY_FUNCTION && other == BY_MODULE) ||
	       (by == BY_PROCESS && other == BY_CRATE) ||
	       (by == BY_HEAP && (other == BY_PROCESS || other == BY_CRATE));
}

static bool is_alone(enum group_by by)
{
	return by == BY_CALLS || by == BY_REGION;
}

bool account_keys_pair(const struct account *account, size_t i, size_t other)
{
	enum group_by a = (enum group_by)account_key(account, i);
	enum group_by b = (enum group_by)account_key(account, other);

	return a != b && !is_alone(a) && !is_alone(b) && !determines(a, b) && !determines(b, a);
}

static int check_keys(const enum group_by *by, size_t nr, struct err *err)
{
	for (size_t i = 0; nr > 1 && i < nr; i++) {
		enum group_by one = by[i], other = by[1 - i];

		if (determines(one, other))
			return err_set(err, ERR_USAGE,
				       "--by %s shows the %s of each row too: give it alone",
				       group_by_names[one], group_by_names[other]);
	}
	return 0;
}

static bool has_column(const struct account_table *table, size_t nr, const struct column *column)
{
	for (size_t i = 0; i < nr; i++) {
		if (table->keys[i] == column)
			return true;
	}
	return false;
}

static void add_text(struct strbuf *sb, const char *columns)
{
	strbuf_addf(sb, "%s%s", sb->len ? "," : "", columns);
}

static bool is_by_lifetime(const enum group_by *by, size_t nr)
{
	return by[0] == BY_LIFETIME || (nr > 1 && by[1] == BY_LIFETIME);
}

/* Lifetimes alone have an order of their own. */
static const char *sort_of(const struct account_text *text, const enum group_by *by, size_t nr)
{
	return nr == 1 && by[0] == BY_LIFETIME ? NULL : text->sort;
}

int account_table_init(struct account_table *table, const struct account *account,
		       const enum group_by *by, size_t nr, bool moment, struct err *err)
{
	const struct account_text *text = moment ? &account->text_at : &account->text;
	struct strbuf columns = STRBUF_INIT, identity = STRBUF_INIT;
	size_t keys = 0;

	*table = (struct account_table){ .table = account->table };
	if (check_keys(by, nr, err))
		return -1;
	for (size_t i = 0; i < nr; i++) {
		for (const struct column *const *v = key_columns[by[i]].v; *v; v++) {
			if (!has_column(table, keys, *v))
				table->keys[keys++] = *v;
		}
	}
	for (size_t i = 0; i < nr; i++) {
		if (!key_columns[by[i]].last)
			add_text(&columns, key_columns[by[i]].text);
	}
	add_text(&columns,
		 text->columns[is_by_lifetime(by, nr) ? BY_LIFETIME : group_by_inner(by, nr)]);
	for (size_t i = 0; i < nr; i++) {
		if (key_columns[by[i]].last)
			add_text(&columns, key_columns[by[i]].text);
	}
	/* Other names of a function do not name it. */
	for (size_t i = 0; i < keys; i++) {
		if (table->keys[i]->type != COLUMN_STRINGS)
			add_text(&identity, table->keys[i]->key);
	}
	table->text = strbuf_detach(&columns);
	table->identity = strbuf_detach(&identity);
	table->table.text_columns = table->text;
	table->table.sort = sort_of(text, by, nr);
	table->table.keys = table->keys;
	table->table.identity = table->identity;
	return 0;
}

void account_table_release(struct account_table *table)
{
	free(table->text);
	free(table->identity);
}

const struct metric *metric_get(size_t i, const struct account **account)
{
	for (size_t k = 0; k < ARRAY_SIZE(accounts); k++) {
		for (const struct metric *metric = accounts[k]->metrics; metric->name; metric++) {
			if (i--)
				continue;
			*account = accounts[k];
			return metric;
		}
	}
	return NULL;
}

const char *metric_name(size_t i)
{
	const struct account *account;
	const struct metric *metric = metric_get(i, &account);

	return metric ? metric->name : NULL;
}

const char *metric_help(size_t i)
{
	const struct account *account;

	return metric_get(i, &account)->help;
}

const struct metric *metric_of(const struct account *account, const char *name)
{
	for (const struct metric *metric = account->metrics; metric->name; metric++) {
		if (!strcmp(metric->name, name))
			return metric;
	}
	return NULL;
}

int64_t metric_value(const struct metric *metric, const struct results *results, const void *entry)
{
	const struct result_row row = { .results = results, .entry = entry };
	struct cell cell = CELL_INIT;

	metric->column->get(&row, &cell);
	return cell.number;
}

void results_begin(struct results *results, const struct account *account, struct replay *replay,
		   const struct account_request *request)
{
	*results = (struct results){
		.account = account,
		.request = *request,
		.modules = &replay->machine.modules,
		.functions = &replay->functions,
	};
	results->grouping = grouping_new(
		&(struct grouping_spec){
			.by = { request->by[0], request->by[1] },
			.nr = request->by_nr,
			.allocation = account->memory,
			.tags = request->tags,
			.processes = request->filter,
			.stacks = request->stacks,
			.split = request->split,
		},
		&replay->machine, &replay->functions);
	results->state = account->begin(results, replay);
}

bool results_take(struct results *results, const struct trace_event *event)
{
	return results->account->take(results->state, event);
}

int results_finish(struct results *results, struct replay *replay, struct err *err)
{
	if (results->account->finish(results, replay, err))
		return -1;
	if (results_are_by(results, BY_MODULE) || results_are_by(results, BY_FUNCTION))
		module_labels_make(&results->labels, results->modules);
	results->briefs_nr = results->functions->names_nr;
	results->briefs = xcalloc(results->briefs_nr + 1, sizeof(*results->briefs));
	return 0;
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct results *results = data;
	const struct process_filter *filter = results->request.filter;
	bool more = results_take(results, event);

	if (event->time_ns < filter->from_ns)
		results->truncated_before = replay->machine.stacks_truncated;
	if (event->time_ns < filter->to_ns || filter->to_ns == INT64_MAX)
		results->truncated_until = replay->machine.stacks_truncated;
	return more;
}

int results_play(struct results *results, const struct account *account, struct replay *replay,
		 const struct account_request *request, struct err *err)
{
	results_begin(results, account, replay, request);
	if (results->state && replay_play(replay, take, results, err))
		return -1;
	return results_finish(results, replay, err);
}

void results_release(struct results *results)
{
	if (!results->account)
		return;
	module_labels_release(&results->labels);
	for (size_t i = 0; i < results->briefs_nr; i++)
		free(results->briefs[i]);
	free(results->briefs);
	results->account->free(results->state);
	grouping_free(results->grouping);
}

bool results_are_by(const struct results *results, enum group_by by)
{
	return grouping_dimension(results->grouping, by);
}

const void *results_entry(const struct results *results, size_t key)
{
	return (const char *)results->entries + key * results->account->entry_size;
}

const char *results_function_name(const struct results *results, uint32_t name)
{
	const char *full = function_table_name(results->functions, name);
	struct strbuf sb = STRBUF_INIT;

	if (results->request.full_names || name >= results->briefs_nr)
		return full;
	if (!results->briefs[name]) {
		short_name(&sb, full);
		results->briefs[name] = strbuf_detach(&sb);
	}
	return results->briefs[name];
}
