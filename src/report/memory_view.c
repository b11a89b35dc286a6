#include "report/memory_view.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

static const struct ledger_entry *entry_of(const void *row)
{
	return ((const struct memory_row *)row)->entry;
}

static void get_size(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->size);
}

static void get_count(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->count);
}

static void get_freed(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->freed);
}

static void get_impacting(const void *row, struct cell *cell)
{
	cell_set_number(cell, ledger_impacting(entry_of(row)));
}

static void get_outstanding(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->at);
}

static void get_peak(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->peak);
}

static void get_at_peak(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->at_peak);
}

static void get_aifi(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->aifi);
}

static void get_aifo(const void *row, struct cell *cell)
{
	cell_set_number(cell, ledger_aifo(entry_of(row)));
}

static void get_aofi(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->aofi);
}

static void get_aofo(const void *row, struct cell *cell)
{
	cell_set_number(cell, ledger_aofo(entry_of(row)));
}

static void get_purged(const void *row, struct cell *cell)
{
	cell_set_number(cell, entry_of(row)->purged);
}

static const struct column columns[] = {
	{ "size_bytes", "SIZE", "committed in the range, freed or not", COLUMN_BYTES, SHOW_DATA,
	  false, get_size, NULL },
	{ "count", "COUNT", "events that committed something", COLUMN_INT, SHOW_DATA, false,
	  get_count, NULL },
	{ "freed_bytes", "FREED", "released in the range", COLUMN_BYTES, SHOW_DATA, false,
	  get_freed, NULL },
	{ "impacting_bytes", "IMPACTING", "held at the end of the range minus held at its start",
	  COLUMN_BYTES, SHOW_DATA, false, get_impacting, NULL },
	{ "outstanding_bytes", "OUTSTANDING", "held at --at, else at the end of the range",
	  COLUMN_BYTES, SHOW_DATA, false, get_outstanding, NULL },
	{ "peak_bytes", "PEAK", "most held at a moment of the range", COLUMN_BYTES, SHOW_DATA,
	  false, get_peak, NULL },
	{ "at_peak_bytes", "AT PEAK", "held at the peak of the whole build", COLUMN_BYTES,
	  SHOW_DATA, false, get_at_peak, NULL },
	{ "aifi_bytes", "AIFI", "allocated inside the range, freed inside it", COLUMN_BYTES,
	  SHOW_DATA, false, get_aifi, NULL },
	{ "aifo_bytes", "AIFO", "allocated inside the range, not freed inside it", COLUMN_BYTES,
	  SHOW_DATA, false, get_aifo, NULL },
	{ "aofi_bytes", "AOFI", "allocated before the range, freed inside it", COLUMN_BYTES,
	  SHOW_DATA, false, get_aofi, NULL },
	{ "aofo_bytes", "AOFO", "allocated before the range, held throughout", COLUMN_BYTES,
	  SHOW_DATA, false, get_aofo, NULL },
	{ "purged_bytes", "PURGED", "given back to the system by advice, still committed",
	  COLUMN_BYTES, 0, false, get_purged, NULL },
};

/* What text shows. Long names end a line, and leave less room for values. */
#define TEXT(keys) \
	{ \
		keys ",at_peak_bytes,peak_bytes,size_bytes,freed_bytes,count", \
			keys ",outstanding_bytes,at_peak_bytes,peak_bytes,size_bytes,freed_bytes," \
			     "count" \
	}
#define TEXT_BEHIND(values, keys) \
	{ \
		"at_peak_bytes,peak_bytes,size_bytes," values keys, \
			"outstanding_bytes,peak_bytes,size_bytes," values keys \
	}

static const char *const text_columns[][2] = {
	[BY_PROCESS] = TEXT("pid,image,crate"),
	[BY_ROLE] = TEXT("role"),
	[BY_PART] = TEXT("part"),
	[BY_CRATE] = TEXT("crate"),
	[BY_MODULE] = TEXT("module"),
	[BY_FUNCTION] = TEXT_BEHIND("", "also,module,function"),
	[BY_STACK] = TEXT_BEHIND("count,", "stack"),
};

struct table memory_table(enum group_by by, bool at)
{
	return (struct table){
		.columns = columns,
		.columns_nr = ARRAY_SIZE(columns),
		.text_columns = text_columns[by][at],
		.sort = at ? "outstanding_bytes" : "at_peak_bytes",
		.keys = group_columns(by),
	};
}

const struct table memory_help_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.keys = group_columns_memory,
};

static bool has_any(const struct ledger_entry *entry)
{
	return entry->size || entry->count || entry->freed || entry->at_start || entry->at_end ||
	       entry->at || entry->peak || entry->at_peak || entry->purged;
}

/* What is equal by the column that is sorted by, say nothing at the peak, stays in this order. */
static int by_peak(const void *a, const void *b)
{
	const struct memory_row *const *ra = a, *const *rb = b;
	int64_t pa = (*ra)->entry->peak, pb = (*rb)->entry->peak;

	return pa == pb ? (*ra > *rb) - (*ra < *rb) : pa < pb ? 1 : -1;
}

void memory_rows_from_ledger(struct memory_rows *rows, const struct group_names *names,
			     const struct ledger *ledger)
{
	size_t nr = grouping_nr(names->grouping);

	if (nr > ledger->keys_nr)
		nr = ledger->keys_nr;
	rows->v = xcalloc(nr, sizeof(*rows->v));
	rows->pointers = xcalloc(nr, sizeof(*rows->pointers));
	rows->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct memory_row *row = &rows->v[rows->nr];

		if (!has_any(&ledger->keys[i]))
			continue;
		row->key.group = grouping_get(names->grouping, (uint32_t)i);
		row->key.names = names;
		row->entry = &ledger->keys[i];
		rows->pointers[rows->nr++] = row;
	}
	if (rows->nr)
		qsort(rows->pointers, rows->nr, sizeof(*rows->pointers), by_peak);
}

void memory_rows_release(struct memory_rows *rows)
{
	free(rows->v);
	free(rows->pointers);
	*rows = (struct memory_rows){ NULL, NULL, 0 };
}
