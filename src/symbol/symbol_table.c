#include "symbol/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/compare.h"

#define NO_OUTER UINT32_MAX
#define PAGE     UINT64_C(4096)

void symbol_table_init(struct symbol_table *table)
{
	memset(table, 0, sizeof(*table));
}

void symbol_table_release(struct symbol_table *table)
{
	free(table->entries);
	free(table->starts);
	free(table->ranges);
	free(table->names);
	symbol_table_init(table);
}

void symbol_table_add(struct symbol_table *table, struct symbol_entry entry)
{
	if (table->entries_nr >= NO_OUTER)
		return;
	entry.order = (uint32_t)table->entries_nr;
	ARRAY_ADD(table->entries, table->entries_nr, table->entries_alloc, entry);
}

static int compare_entries(const void *a, const void *b)
{
	const struct symbol_entry *x = a, *y = b;
	int order = compare_u64(x->start, y->start);

	return order ? order : compare_u64(x->order, y->order);
}

/* The address of the next page; the last page for an address in it. */
static uint64_t next_page(uint64_t address)
{
	return address > UINT64_MAX - 2 * PAGE ? UINT64_MAX : (address / PAGE + 1) * PAGE;
}

static void set_missing_ends(struct symbol_entry *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (v[i].end > v[i].start)
			continue;
		v[i].end = i + 1 < nr && v[i + 1].area == v[i].area ? v[i + 1].start
								    : next_page(v[i].start);
		if (v[i].limit > v[i].start && v[i].limit < v[i].end)
			v[i].end = v[i].limit;
	}
}

static size_t count_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Whether `b` is preferred to `a`, which has the same address. */
static bool is_better(const struct symbol_entry *b, const struct symbol_entry *a)
{
	size_t x, y;

	if ((a->end > a->start) != (b->end > b->start))
		return b->end > b->start;
	if ((a->binding == SYMBOL_WEAK) != (b->binding == SYMBOL_WEAK))
		return a->binding == SYMBOL_WEAK;
	if ((a->binding == SYMBOL_GLOBAL) != (b->binding == SYMBOL_GLOBAL))
		return b->binding == SYMBOL_GLOBAL;
	x = count_underscores(a->name);
	y = count_underscores(b->name);
	if (x != y)
		return y < x;
	x = strlen(a->name);
	y = strlen(b->name);
	if (x != y)
		return y > x;
	/* System calls of the kernel have these aliases; names such as __x64_sys_read are preferred. */
	return !strncmp(a->name, "SyS", 3) || !strncmp(a->name, "compat_SyS", 10);
}

static bool has_name(const char *const *names, size_t nr, const char *name)
{
	/* Hundreds of names come from identical code folding: these are all different. */
	for (size_t i = 0; i < nr && i < 64; i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

/* Add one range, with all names, for the entries of one address. */
static void add_range(struct symbol_table *table, const struct symbol_entry *v, size_t nr,
		      size_t *names_nr)
{
	const struct symbol_entry *best = v;
	struct symbol_range *range = &table->ranges[table->nr];
	size_t first = *names_nr;

	for (size_t i = 1; i < nr; i++) {
		if (is_better(&v[i], best))
			best = &v[i];
	}
	table->names[(*names_nr)++] = best->name;
	for (size_t i = 0; i < nr; i++) {
		if (!has_name(table->names + first, *names_nr - first, v[i].name))
			table->names[(*names_nr)++] = v[i].name;
	}
	table->starts[table->nr++] = best->start;
	range->end = best->end;
	range->names = (uint32_t)first;
	range->names_nr = (uint32_t)(*names_nr - first);
}

static void link_outer(struct symbol_table *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		uint32_t outer = i ? (uint32_t)(i - 1) : NO_OUTER;

		while (outer != NO_OUTER && table->ranges[outer].end <= table->ranges[i].end)
			outer = table->ranges[outer].outer;
		table->ranges[i].outer = outer;
	}
}

void symbol_table_ready(struct symbol_table *table)
{
	struct symbol_entry *v = table->entries;
	size_t nr = table->entries_nr, names_nr = 0, end;

	if (nr)
		qsort(v, nr, sizeof(*v), compare_entries);
	set_missing_ends(v, nr);
	table->starts = xreallocarray(NULL, nr + 1, sizeof(*table->starts));
	table->ranges = xreallocarray(NULL, nr + 1, sizeof(*table->ranges));
	table->names = xreallocarray(NULL, nr + 1, sizeof(*table->names));
	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && v[end].start == v[i].start;)
			end++;
		add_range(table, &v[i], end - i, &names_nr);
	}
	link_outer(table);
	free(table->entries);
	table->entries = NULL;
	table->entries_nr = table->entries_alloc = 0;
}

bool symbol_table_find(const struct symbol_table *table, uint64_t address, struct symbol *symbol)
{
	size_t low;
	uint32_t at;

	ARRAY_SEARCH(low, table->nr, i, table->starts[i] <= address);
	at = low ? (uint32_t)(low - 1) : NO_OUTER;
	while (at != NO_OUTER && table->ranges[at].end <= address)
		at = table->ranges[at].outer;
	if (at == NO_OUTER)
		return false;
	symbol->start = table->starts[at];
	symbol->end = table->ranges[at].end;
	symbol->name = table->names[table->ranges[at].names];
	symbol->also = table->names + table->ranges[at].names + 1;
	symbol->also_nr = table->ranges[at].names_nr - 1;
	return true;
}
