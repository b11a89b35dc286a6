#include "report/result_rows.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/radix_sort.h"
#include "util/text.h"

static const void *total_entry(const struct results *results, size_t key)
{
	if (results->totals)
		return (const char *)results->totals + key * results->account->entry_size;
	return results->no_totals ? NULL : results_entry(results, key);
}

static bool has_value(const struct results *results, const struct result_row *row, uint32_t key)
{
	const struct account *account = results->account;

	return account->has_value(row->entry) || (row->total && account->has_value(row->total)) ||
	       (account->has_more && account->has_more(results, key));
}

struct ranked_row {
	uint64_t rank, total; /* the first has the lowest */
	struct result_row *row;
};

RADIX_SORT_DEFINE(sort_by_rank, struct ranked_row, rank)
RADIX_SORT_DEFINE(sort_by_total, struct ranked_row, total)

static uint64_t rank_of(const struct results *results, const void *entry)
{
	return (uint64_t)INT64_MAX - (uint64_t)(entry ? results->account->rank(entry) : 0);
}

/* By their own values, then by their totals, then by lifetimes, the shortest first, then by keys. */
static void sort_rows(struct result_rows *rows, const struct results *results)
{
	struct ranked_row *ranked = xcalloc(rows->nr, sizeof(*ranked)),
			  *room = xcalloc(rows->nr, sizeof(*room)), *v = ranked;

	for (size_t i = 0; i < rows->nr; i++)
		v[i].row = &rows->v[i];
	if (grouping_by_lifetime(results->grouping)) {
		for (size_t i = 0; i < rows->nr; i++)
			v[i].rank = (uint64_t)grouping_lifetime(results->grouping, v[i].row->key);
		v = sort_by_rank(v, rows->nr, room);
	}
	for (size_t i = 0; i < rows->nr; i++) {
		v[i].rank = rank_of(results, v[i].row->entry);
		v[i].total = rank_of(results, v[i].row->total);
	}
	v = sort_by_total(v, rows->nr, v == ranked ? room : ranked);
	v = sort_by_rank(v, rows->nr, v == ranked ? room : ranked);
	for (size_t i = 0; i < rows->nr; i++)
		rows->pointers[i] = v[i].row;
	free(ranked);
	free(room);
}

void result_rows_init(struct result_rows *rows, const struct results *results)
{
	rows->v = xcalloc(results->nr, sizeof(*rows->v));
	rows->pointers = xcalloc(results->nr, sizeof(*rows->pointers));
	rows->nr = 0;
	for (size_t i = 0; i < results->nr; i++) {
		struct result_row *row = &rows->v[rows->nr];

		row->entry = results_entry(results, i);
		row->total = total_entry(results, i);
		if (!has_value(results, row, (uint32_t)i))
			continue;
		row->results = results;
		row->key = (uint32_t)i;
		rows->nr++;
	}
	sort_rows(rows, results);
}

static bool is_zero(const struct column *column, const struct result_row *row)
{
	struct cell cell = CELL_INIT;
	bool zero;

	if (!column)
		return true;
	cell_get(&cell, column->get, row);
	zero = !cell.known || !cell.number;
	cell_release(&cell);
	return zero;
}

size_t result_rows_leave_out(struct result_rows *rows, const struct results *results)
{
	const struct account *account = results->account;
	const char *key = results->request.moment ? account->text_at.sort : account->text.sort;
	char *total_key = xasprintf("total_%s", key);
	const struct column *self = table_find(&account->table, key);
	const struct column *total = table_find(&account->table, total_key);
	size_t before = rows->nr;

	free(total_key);
	rows->nr = 0;
	for (size_t i = 0; i < before; i++) {
		if (!is_zero(self, rows->pointers[i]) || !is_zero(total, rows->pointers[i]))
			rows->pointers[rows->nr++] = rows->pointers[i];
	}
	return before - rows->nr;
}

void result_rows_release(struct result_rows *rows)
{
	free(rows->v);
	free(rows->pointers);
	*rows = (struct result_rows){ NULL, NULL, 0 };
}
