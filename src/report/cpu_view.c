#include "report/cpu_view.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

static const struct cpu_entry *entry_of(const void *row)
{
	return ((const struct cpu_row *)row)->entry;
}

static void get_samples(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->samples);
}

static void get_self(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->self_ns);
}

static void get_total(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->total_ns);
}

static void get_percent(const void *row, struct cell *cell)
{
	cell_set_percent(cell, ((const struct cpu_row *)row)->percent);
}

static const struct column columns[] = {
	{ "samples", "SAMPLES", "samples of the key itself", COLUMN_INT, SHOW_DATA, false,
	  get_samples, NULL },
	{ "self_ns", "SELF", "CPU time of the key itself", COLUMN_DURATION, SHOW_DATA, false,
	  get_self, NULL },
	{ "total_ns", "TOTAL", "CPU time with the key anywhere on the stack", COLUMN_DURATION,
	  SHOW_DATA, false, get_total, NULL },
	{ "percent", "PERCENT", "self, of all that passed the filters", COLUMN_PERCENT, SHOW_DATA,
	  false, get_percent, NULL },
};

/* Of a process, and all that is made of processes, the total is the self. */
#define VALUES "percent,self_ns,samples"
#define TOTALS "percent,self_ns,total_ns"

static const char *const text_columns[] = {
	[BY_PROCESS] = "pid,image,crate," VALUES,
	[BY_ROLE] = "role," VALUES,
	[BY_PART] = "part," VALUES,
	[BY_CRATE] = "crate," VALUES,
	[BY_MODULE] = "module," TOTALS ",samples",
	[BY_FUNCTION] = TOTALS ",also,module,function",
	[BY_THREAD] = "pid,tid,thread,image," VALUES,
	[BY_STACK] = TOTALS ",stack",
};

struct table cpu_table(enum group_by by)
{
	return (struct table){
		.columns = columns,
		.columns_nr = ARRAY_SIZE(columns),
		.text_columns = text_columns[by],
		.sort = "self_ns",
		.keys = group_columns(by),
	};
}

const struct table cpu_help_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.keys = group_columns_cpu,
};

/* What is equal by the column that is sorted by, say no leaf of any sample, stays in this order. */
static int by_total(const void *a, const void *b)
{
	const struct cpu_row *const *ra = a, *const *rb = b;
	int64_t ta = (*ra)->entry->total_ns, tb = (*rb)->entry->total_ns;

	return ta == tb ? (*ra > *rb) - (*ra < *rb) : ta < tb ? 1 : -1;
}

void cpu_rows_from_entries(struct cpu_rows *rows, const struct group_names *names,
			   const struct cpu_entry *entries, size_t nr, struct cpu_entry total)
{
	rows->v = xcalloc(nr, sizeof(*rows->v));
	rows->pointers = xcalloc(nr, sizeof(*rows->pointers));
	rows->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct cpu_row *row = &rows->v[rows->nr];

		if (!entries[i].samples && !entries[i].self_ns && !entries[i].total_ns)
			continue;
		row->key.group = grouping_get(names->grouping, (uint32_t)i);
		row->key.names = names;
		row->entry = &entries[i];
		if (total.self_ns)
			row->percent = 100.0 * (double)entries[i].self_ns / (double)total.self_ns;
		rows->pointers[rows->nr++] = row;
	}
	if (rows->nr)
		qsort(rows->pointers, rows->nr, sizeof(*rows->pointers), by_total);
}

void cpu_rows_release(struct cpu_rows *rows)
{
	free(rows->v);
	free(rows->pointers);
	*rows = (struct cpu_rows){ NULL, NULL, 0 };
}
