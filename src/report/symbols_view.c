#include "report/symbols_view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cpu_entry.h"
#include "model/module.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

/* What the functions of a module have, and those of them that have a name. */
struct share {
	int64_t value, named;
};

struct symbols_row {
	const struct symbols_rows *rows;
	char *module; /* with the end of its path if others have the name; "[not sampled]" */
	char *path;   /* NULL: no module */
	char *build_id, *symbol_id;
	int64_t samples;
	struct share cpu, memory;
	size_t functions, named_functions; /* that took time or asked for memory */
	bool kept, has_names;              /* some, wherever they are from */
	char *from, *why;
	enum symbol_flaw flaw;
	const char *word;
	bool recorded;      /* that is what the recording has found */
	struct module copy; /* of what identifies its file: paths, id and kind */
};

/* What text says, by enum symbol_flaw. */
static const char *const reasons[] = {
	[SYMBOL_FLAW_NONE] = "some of its code has no symbol",
	[SYMBOL_ID_MISSING] = "no build id in the trace: may be another file",
	[SYMBOL_PDB_MISSING] = "no PDB found",
	[SYMBOL_PDB_OTHER] = "PDB has another GUID or age, or is unreadable",
	[SYMBOL_PDB_ID_MISSING] = "no GUID of its PDB in the trace",
	[SYMBOL_PDB_EMPTY] = "no symbols in its PDB",
	[SYMBOL_FILE_MISSING] = "file is gone",
	[SYMBOL_FILE_OTHER] = "file has another build id",
	[SYMBOL_FILE_STRIPPED] = "stripped, no debug file found",
	[SYMBOL_FILE_UNREADABLE] = "file cannot be read",
	[SYMBOL_FILE_REFUSED] = "its path is not opened",
	[SYMBOL_KERNEL_OTHER] = "not the running kernel, or not readable",
	[SYMBOL_NOT_KEPT] = "not among the symbols of the run",
};

#define NO_FILE "no-module"

enum naming { NAMING_NONE, NAMING_PARTLY, NAMING_ALL };

static const char *const naming_words[] = { "none", "partly", "all" };

/* "[not sampled]" and "[truncated]" are no code. */
static bool is_code(const struct symbols_row *row)
{
	return row->path != NULL;
}

static enum naming naming(const struct symbols_row *row)
{
	if (!row->functions)
		return row->has_names ? NAMING_ALL : NAMING_NONE;
	if (!row->named_functions)
		return NAMING_NONE;
	return row->named_functions == row->functions ? NAMING_ALL : NAMING_PARTLY;
}

static const char *reason(const struct symbols_row *row, const char **text)
{
	*text = NULL;
	if (!is_code(row))
		return NULL;
	/* Doubt concerns names that there are. */
	if (naming(row) == NAMING_ALL && row->flaw != SYMBOL_ID_MISSING)
		return NULL;
	if (row->copy.kind == MODULE_ANON || row->copy.kind == MODULE_UNKNOWN) {
		*text = "code that is in no file";
		return NO_FILE;
	}
	*text = reasons[row->flaw];
	return row->word;
}

static void get_module(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct symbols_row *)row)->module);
}

static void get_path(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct symbols_row *)row)->path);
}

static void get_build_id(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct symbols_row *)row)->build_id);
}

static void get_symbol_id(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct symbols_row *)row)->symbol_id);
}

static void get_names(const void *row, struct cell *cell)
{
	if (is_code(row))
		cell_set_text(cell, naming_words[naming(row)]);
}

static void get_reason(const void *row, struct cell *cell)
{
	const char *text;

	cell_set_text(cell, reason(row, &text));
}

static void get_why(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;
	const char *text;

	if (reason(row, &text))
		cell_set_text(cell, row->why ? row->why : text);
}

static void get_short_why(const void *row, struct cell *cell)
{
	const char *text;

	reason(row, &text);
	cell_set_text(cell, text ? text : "");
}

static void get_from(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;

	cell_set_text(cell, row->kept && row->named_functions ? "run" : row->from);
}

static void get_samples(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;

	if (row->rows->cpu_ns >= 0)
		cell_set_number(cell, row->samples);
}

static void get_cpu(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;

	if (row->rows->cpu_ns >= 0)
		cell_set_number(cell, row->cpu.value);
}

static void get_size(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;

	if (row->rows->size >= 0)
		cell_set_number(cell, row->memory.value);
}

static void set_share(struct cell *cell, int64_t part, int64_t all)
{
	if (all > 0)
		cell_set_percent(cell, 100.0 * (double)part / (double)all);
}

static void get_cpu_percent(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;

	set_share(cell, row->cpu.value, row->rows->cpu_ns);
}

static void get_size_percent(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;

	set_share(cell, row->memory.value, row->rows->size);
}

static void get_cpu_named(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;

	if (is_code(row))
		set_share(cell, row->cpu.named, row->cpu.value);
}

static void get_size_named(const void *data, struct cell *cell)
{
	const struct symbols_row *row = data;

	if (is_code(row))
		set_share(cell, row->memory.named, row->memory.value);
}

static const struct column columns[] = {
	{ "module", "MODULE", "file name of the library, the program, or [kernel.kallsyms]",
	  COLUMN_TEXT, SHOW_DATA, true, get_module, NULL },
	{ "path", "PATH", "its path", COLUMN_TEXT, SHOW_DATA, true, get_path, NULL },
	{ "build_id", "BUILD ID", "its build id; of a PDB GUID and age, as they are in the trace",
	  COLUMN_TEXT, SHOW_DATA, false, get_build_id, NULL },
	{ "symbol_id", "SYMBOL ID", "id of its PDB as symbol servers write it", COLUMN_TEXT,
	  SHOW_DATA, false, get_symbol_id, NULL },
	{ "names", "NAMES",
	  "whether the functions that took time or asked for memory have names: all, partly, none",
	  COLUMN_TEXT, SHOW_DATA, false, get_names, NULL },
	{ "reason", "REASON", "why not all have one, or why names are doubtful, as a word",
	  COLUMN_TEXT, SHOW_DATA, false, get_reason, NULL },
	{ "why", "WHY", "the same in words; in JSON and CSV with all details", COLUMN_TEXT,
	  SHOW_DATA, true, get_why, get_short_why },
	{ "from", "FROM", "where names are from: run (its symbols/), or the path of a file",
	  COLUMN_TEXT, SHOW_DATA, true, get_from, NULL },
	{ "samples", "SAMPLES", "CPU samples in the module itself", COLUMN_INT, SHOW_DATA, false,
	  get_samples, NULL },
	{ "cpu_ns", "CPU", "CPU time of the module itself", COLUMN_DURATION, SHOW_DATA, false,
	  get_cpu, NULL },
	{ "cpu_percent", "CPU %", "the same as a share of all CPU time", COLUMN_PERCENT, SHOW_DATA,
	  false, get_cpu_percent, NULL },
	{ "cpu_named_percent", "NAMED", "the share of its CPU time that has names", COLUMN_PERCENT,
	  SHOW_DATA, false, get_cpu_named, NULL },
	{ "size_bytes", "SIZE", "memory that its functions asked for", COLUMN_BYTES, SHOW_DATA,
	  false, get_size, NULL },
	{ "size_percent", "SIZE %", "the same as a share of all memory", COLUMN_PERCENT, SHOW_DATA,
	  false, get_size_percent, NULL },
	{ "size_named_percent", "SIZE NAMED", "the share of that memory that has names",
	  COLUMN_PERCENT, SHOW_DATA, false, get_size_named, NULL },
};

const struct table symbols_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = "names,cpu_percent,cpu_named_percent,size_percent,module,why",
	.sort = "cpu_ns",
};

/* The row of a module, or of a text that stands for none; added if it is new. */
static struct symbols_row *find_row(struct symbols_rows *rows, const char *name, const char *path,
				    const char *build_id)
{
	char *key = xasprintf("%s\n%s", build_id, path ? path : name);
	uint32_t number = strset_add(&rows->keys, key);
	struct symbols_row *row;

	free(key);
	if (number < rows->nr)
		return (struct symbols_row *)(uintptr_t)rows->v[number];
	row = xcalloc(1, sizeof(*row));
	row->rows = rows;
	row->module = xstrdup(name);
	row->path = xstrdup_or_null(path);
	row->build_id = *build_id ? xstrdup(build_id) : NULL;
	ARRAY_ADD(rows->v, rows->nr, rows->alloc, row);
	return row;
}

static struct symbols_row *add_module(struct symbols_rows *rows, const struct module_table *modules,
				      const struct module_labels *labels, uint32_t number,
				      struct symbolizer *symbolizer)
{
	const struct module *module = &modules->v[number];
	const char *label = module_labels_get(labels, number);
	struct module_names names = symbolizer_module_names(symbolizer, module);
	struct strbuf id = STRBUF_INIT;
	struct symbols_row *row;

	text_add_hex(&id, module->id, module->id_length);
	row = find_row(rows, label ? label : module->name, module->path, id.buf ? id.buf : "");
	strbuf_release(&id);
	if (!row->copy.path) {
		row->copy = (struct module){ .kind = module->kind,
					     .path = row->path,
					     .id_length = module->id_length,
					     .debug_path = xstrdup_or_null(module->debug_path) };
		memcpy(row->copy.id, module->id, sizeof(module->id));
	}
	if (module->debug_path && module->id_length && !row->symbol_id)
		row->symbol_id = module_symbol_id(module->id);
	row->kept = names.kept;
	row->has_names = names.kept || (names.from && names.flaw <= SYMBOL_ID_MISSING);
	row->flaw = names.flaw;
	row->word = names.word;
	row->recorded = names.recorded;
	if (names.from && !row->from)
		row->from = xstrdup(names.from);
	if (names.why && !row->why)
		row->why = xstrdup(names.why);
	return row;
}

static void add_share(struct share *share, int64_t value, bool named)
{
	wrap_add_to(&share->value, value);
	if (named)
		wrap_add_to(&share->named, value);
}

static void add_entry(struct symbols_row *row, const struct results *results, const void *data,
		      bool named)
{
	row->functions++;
	row->named_functions += named;
	if (results->account == &account_cpu) {
		const struct cpu_entry *entry = data;

		row->samples += entry->samples;
		add_share(&row->cpu, entry->self_ns, named);
	} else {
		add_share(&row->memory, ((const struct ledger_entry *)data)->size, named);
	}
}

static bool has_own(const struct results *results, const void *data)
{
	if (results->account == &account_cpu)
		return ((const struct cpu_entry *)data)->samples;
	return ((const struct ledger_entry *)data)->size;
}

void symbols_rows_add(struct symbols_rows *rows, const struct results *results,
		      struct symbolizer *symbolizer)
{
	struct symbols_row **by_module = xcalloc(results->modules->nr + 1, sizeof(*by_module));
	int64_t *sum = results->account == &account_cpu ? &rows->cpu_ns : &rows->size;

	*sum = results->account == &account_cpu
		       ? ((const struct cpu_entry *)results->total)->self_ns
		       : ((const struct ledger_entry *)results->total)->size;
	for (size_t i = 0; i < results->nr; i++) {
		const void *entry = results_entry(results, i);
		const struct group *group =
			grouping_part(results->grouping, (uint32_t)i, BY_FUNCTION);
		const struct function *function = &results->functions->v[group->function];
		const char *name = function_table_name(results->functions, function->name);
		struct symbols_row *row;

		if (!has_own(results, entry))
			continue;
		if (group->module == MODULE_ID_UNKNOWN && strcmp(name, "[unknown]") != 0) {
			row = find_row(rows, name, NULL, "");
		} else {
			if (!by_module[group->module])
				by_module[group->module] =
					add_module(rows, results->modules, &results->labels,
						   group->module, symbolizer);
			row = by_module[group->module];
		}
		add_entry(row, results, entry, function->linkage != NULL);
	}
	free(by_module);
}

void symbols_rows_add_loaded(struct symbols_rows *rows, const struct module_table *modules,
			     const bool *which, size_t nr, struct symbolizer *symbolizer)
{
	struct module_labels labels = MODULE_LABELS_INIT;

	module_labels_make(&labels, modules);
	for (size_t i = 0; i < nr; i++) {
		if (which[i])
			add_module(rows, modules, &labels, (uint32_t)i, symbolizer);
	}
	module_labels_release(&labels);
}

/* A PDB, or the debug file of a program that is here: without the program its places in the code are not known. */
static bool may_be_fetched(const struct symbols_row *row)
{
	if (!is_code(row) || naming(row) == NAMING_ALL || !row->copy.id_length ||
	    row->copy.kind != MODULE_FILE)
		return false;
	/* It may have been searched elsewhere. */
	if (row->recorded)
		return !row->kept || !row->copy.debug_path;
	switch (row->flaw) {
	case SYMBOL_PDB_MISSING:
	case SYMBOL_PDB_OTHER:
	case SYMBOL_FILE_STRIPPED:
		return true;
	case SYMBOL_NOT_KEPT:
	case SYMBOL_FLAW_NONE:
		return row->copy.debug_path ? row->flaw == SYMBOL_NOT_KEPT : row->kept || row->flaw;
	default:
		return false;
	}
}

static int by_cpu(const void *a, const void *b)
{
	const struct symbols_row *x = *(const void *const *)a, *y = *(const void *const *)b;

	if (x->cpu.value != y->cpu.value)
		return x->cpu.value < y->cpu.value ? 1 : -1;
	return strcmp(x->path, y->path);
}

void symbols_rows_missing(const struct symbols_rows *rows,
			  bool (*take)(void *data, const struct module *module), void *data)
{
	const void **missing = xcalloc(rows->nr + 1, sizeof(*missing));
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		if (may_be_fetched(rows->v[i]))
			missing[nr++] = rows->v[i];
	}
	if (nr)
		qsort(missing, nr, sizeof(*missing), by_cpu);
	for (size_t i = 0; i < nr; i++) {
		if (!take(data, &((const struct symbols_row *)missing[i])->copy))
			break;
	}
	free(missing);
}

static int by_size(const void *a, const void *b)
{
	const struct symbols_row *x = *(const void *const *)a, *y = *(const void *const *)b;

	if (x->memory.value != y->memory.value)
		return x->memory.value < y->memory.value ? 1 : -1;
	return strcmp(x->module, y->module);
}

void symbols_rows_finish(struct symbols_rows *rows)
{
	if (rows->nr)
		qsort(rows->v, rows->nr, sizeof(*rows->v), by_size);
}

void symbols_rows_release(struct symbols_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		struct symbols_row *row = (struct symbols_row *)(uintptr_t)rows->v[i];

		free(row->module);
		free(row->path);
		free(row->build_id);
		free(row->symbol_id);
		free(row->copy.debug_path);
		free(row->from);
		free(row->why);
		free(row);
	}
	free(rows->v);
	strset_release(&rows->keys);
	*rows = (struct symbols_rows)SYMBOLS_ROWS_INIT;
}
