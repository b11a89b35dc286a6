#include "report/group_columns.h"

#include <stdlib.h>
#include <string.h>

#include "model/machine.h"
#include "model/process.h"

static const struct group *group_of(const void *row)
{
	return ((const struct group_row *)row)->group;
}

static const struct group_names *names_of(const void *row)
{
	return ((const struct group_row *)row)->names;
}

static void get_pid(const void *row, struct cell *cell)
{
	const struct process *process = group_of(row)->process;

	if (process && process->pid != PROCESS_UNKNOWN)
		cell_set_number(cell, process->pid);
}

static void get_tid(const void *row, struct cell *cell)
{
	if (group_of(row)->thread)
		cell_set_number(cell, group_of(row)->thread->tid);
}

static void get_thread(const void *row, struct cell *cell)
{
	const struct trace_thread *thread = group_of(row)->thread;

	cell_set_text(cell, thread && thread->name && *thread->name ? thread->name : NULL);
}

static void get_image(const void *row, struct cell *cell)
{
	const struct process *process = group_of(row)->process;

	cell_set_text(cell, process ? process_image(process) : NULL);
}

/* Of the process where it is the key, else it is the key itself. */
static void get_crate(const void *row, struct cell *cell)
{
	const struct group *group = group_of(row);

	cell_set_text(cell, names_of(row)->by == BY_PROCESS && group->process
				    ? group->process->tag.crate
				    : group->text);
}

static void get_text(const void *row, struct cell *cell)
{
	cell_set_text(cell, group_of(row)->text);
}

/* [truncated] and [not sampled] are of no module: they are in its place where it is the key. */
static void get_module(const void *row, struct cell *cell)
{
	if (group_of(row)->text) {
		cell_set_text(cell, group_of(row)->text);
		return;
	}
	cell_set_text(cell, names_of(row)->modules->v[group_of(row)->module].name);
}

/* What no other module has. */
static const char *label_of(const void *row)
{
	return group_of(row)->text
		       ? NULL
		       : module_labels_get(&names_of(row)->labels, group_of(row)->module);
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
	return group_of(row)->text ? NULL : &names_of(row)->modules->v[group_of(row)->module];
}

/* Of what is a file; others have no more than their name. */
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
	for (size_t i = 0; i < module->id_length; i++)
		strbuf_addf(&cell->scratch, "%02x", module->id[i]);
	cell_set_text(cell, cell->scratch.buf);
}

static void cut_cell(struct cell *cell)
{
	strbuf_add(&cell->scratch, cell->text, module_brief_length(cell->text));
	cell_set_text(cell, cell->scratch.buf);
}

/* Beside a function, whose name is what people look for. */
static void get_short_module(const void *row, struct cell *cell)
{
	const char *brief = NULL;

	get_labelled_module(row, cell);
	if (label_of(row))
		return;
	if (!group_of(row)->text)
		brief = module_labels_brief(&names_of(row)->labels, group_of(row)->module);
	if (brief)
		cell_set_text(cell, brief);
	else
		cut_cell(cell);
}

static const struct function *function_of(const void *row)
{
	return &names_of(row)->functions->v[group_of(row)->function];
}

static void get_function(const void *row, struct cell *cell)
{
	cell_set_text(cell, function_table_name(names_of(row)->functions, function_of(row)->name));
}

static const struct strvec *also_of(const void *row)
{
	return function_table_also(names_of(row)->functions, group_of(row)->function);
}

static void get_also(const void *row, struct cell *cell)
{
	const struct strvec *also = also_of(row);

	if (also)
		strvec_push_all(&cell->list, also);
	cell_set_strings(cell, also ? &cell->list : NULL);
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

static void get_stack(const void *row, struct cell *cell)
{
	group_frames(names_of(row)->grouping, group_of(row), &cell->list);
	cell_set_strings(cell, &cell->list);
}

/* For people: without the allocator's own frames. */
static void get_stack_text(const void *row, struct cell *cell)
{
	get_stack(row, cell);
	for (uint32_t i = group_of(row)->allocator_frames; i; i--)
		strvec_remove(&cell->list, cell->list.nr - 1);
}

enum {
	PID,
	TID,
	THREAD,
	IMAGE,
	ROLE,
	PART,
	CRATE,
	MODULE,
	SHORT_MODULE,
	PATH,
	BUILD_ID,
	FUNCTION,
	ALSO,
	SOURCE,
	STACK,
};

static const struct column all[] = {
	[PID] = { "pid", "PID", "process id; ids are used again", COLUMN_INT, SHOW_DATA, false,
		  get_pid, NULL },
	[TID] = { "tid", "TID", "thread id; ids are used again", COLUMN_INT, SHOW_DATA, false,
		  get_tid, NULL },
	[THREAD] = { "thread", "THREAD", "name of the thread", COLUMN_TEXT, SHOW_DATA, false,
		     get_thread, NULL },
	[IMAGE] = { "image", "IMAGE", "file name of the program", COLUMN_TEXT, SHOW_DATA, true,
		    get_image, NULL },
	[ROLE] = { "role", "ROLE", "what the process is for: rustc, link, build-script, ...",
		   COLUMN_TEXT, SHOW_DATA, false, get_text, NULL },
	[PART] = { "part", "PART", "what is being built: bootstrap, stage1-std, stage2-rustc, ...",
		   COLUMN_TEXT, SHOW_DATA, false, get_text, NULL },
	[CRATE] = { "crate", "CRATE", "crate or package that the process works on", COLUMN_TEXT,
		    SHOW_DATA, false, get_crate, NULL },
	[MODULE] = { "module", "MODULE",
		     "file name of the library, the program, or [kernel.kallsyms]", COLUMN_TEXT,
		     SHOW_DATA, false, get_module, get_labelled_module },
	[SHORT_MODULE] = { "module", "MODULE", "see above", COLUMN_TEXT, SHOW_DATA, false,
			   get_module, get_short_module },
	[PATH] = { "path", "PATH",
		   "path of the module, where it is a file; text tells modules of one name apart "
		   "by its end, and shows it only by --columns",
		   COLUMN_TEXT, SHOW_DATA, true, get_path, NULL },
	[BUILD_ID] = { "build_id", "BUILD ID",
		       "build id of the module; only in JSON, or by --columns", COLUMN_TEXT,
		       SHOW_JSON, false, get_build_id, NULL },
	[FUNCTION] = { "function", "FUNCTION",
		       "name of the function; module!0x1234 where it has none", COLUMN_NAME,
		       SHOW_DATA, true, get_function, NULL },
	[ALSO] = { "also", "ALSO",
		   "more names of the same code: aliases, identical code folded; in JSON, in text "
		   "their number where a row has any, else by --columns",
		   COLUMN_STRINGS, SHOW_JSON | SHOW_IF_KNOWN, false, get_also, get_also_nr },
	[SOURCE] = { "source", "SOURCE",
		     "file and line of a place in the function, the first that came up; known with "
		     "--inlines; only in JSON, or by --columns",
		     COLUMN_TEXT, SHOW_JSON, true, get_source, NULL },
	[STACK] = { "stack", "STACK", "functions of the stack, root first", COLUMN_STACK, SHOW_DATA,
		    true, get_stack, get_stack_text },
};

static const struct column *const process_columns[] = { &all[PID], &all[IMAGE], &all[CRATE], NULL };
static const struct column *const role_columns[] = { &all[ROLE], NULL };
static const struct column *const part_columns[] = { &all[PART], NULL };
static const struct column *const crate_columns[] = { &all[CRATE], NULL };
static const struct column *const module_columns[] = { &all[MODULE], &all[PATH], &all[BUILD_ID],
						       NULL };
static const struct column *const function_columns[] = {
	&all[FUNCTION], &all[SHORT_MODULE], &all[PATH], &all[BUILD_ID],
	&all[ALSO],     &all[SOURCE],       NULL
};
static const struct column *const thread_columns[] = { &all[PID], &all[TID], &all[THREAD],
						       &all[IMAGE], NULL };
static const struct column *const stack_columns[] = { &all[STACK], NULL };

static const struct column *const *const columns[] = {
	[BY_PROCESS] = process_columns, [BY_ROLE] = role_columns,
	[BY_PART] = part_columns,       [BY_CRATE] = crate_columns,
	[BY_MODULE] = module_columns,   [BY_FUNCTION] = function_columns,
	[BY_THREAD] = thread_columns,   [BY_STACK] = stack_columns,
};

const struct column *const group_columns_cpu[] = {
	&all[PID],      &all[TID],   &all[THREAD], &all[IMAGE], &all[ROLE],
	&all[PART],     &all[CRATE], &all[MODULE], &all[PATH],  &all[BUILD_ID],
	&all[FUNCTION], &all[ALSO],  &all[SOURCE], &all[STACK], NULL,
};

const struct column *const group_columns_memory[] = {
	&all[PID],    &all[IMAGE], &all[ROLE],     &all[PART],     &all[CRATE],
	&all[MODULE], &all[PATH],  &all[BUILD_ID], &all[FUNCTION], &all[ALSO],
	&all[SOURCE], &all[STACK], NULL,
};

const struct column *const *group_columns(enum group_by by)
{
	return columns[by];
}
