#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table_writer.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

static const struct table_writer *const writers[] = {
	[TABLE_TEXT] = &text_writer,
	[TABLE_JSON] = &json_writer,
	[TABLE_CSV] = &csv_writer,
};

const char *const table_format_names[] = {
	[TABLE_TEXT] = "text",
	[TABLE_JSON] = "json",
	[TABLE_CSV] = "csv",
	NULL,
};

void cell_set_number(struct cell *cell, int64_t number)
{
	cell->known = true;
	cell->number = number;
}

void cell_set_percent(struct cell *cell, double percent)
{
	cell->known = isfinite(percent);
	cell->percent = percent;
}

void cell_set_text(struct cell *cell, const char *text)
{
	cell->known = text;
	cell->text = text;
}

void cell_set_strings(struct cell *cell, const struct strvec *strings)
{
	cell->known = strings;
	cell->strings = strings;
}

void cell_get(struct cell *cell, void (*get)(const void *row, struct cell *cell), const void *row)
{
	cell->known = false;
	cell->text = NULL;
	cell->strings = NULL;
	strbuf_clear(&cell->scratch);
	strvec_clear(&cell->list);
	get(row, cell);
}

void cell_release(struct cell *cell)
{
	strbuf_release(&cell->scratch);
	strvec_release(&cell->list);
}

static bool is_list(const struct column *column)
{
	return column->type == COLUMN_STRINGS || column->type == COLUMN_STACK;
}

bool column_is_text(const struct column *column)
{
	return column->type == COLUMN_TEXT || column->type == COLUMN_NAME ||
	       column->type == COLUMN_MIXED || is_list(column);
}

void cell_add_joined(struct strbuf *sb, const struct strvec *strings)
{
	for (size_t i = 0; i < strings->nr; i++) {
		if (i)
			strbuf_addc(sb, ';');
		strbuf_adds(sb, strings->v[i]);
	}
}

const struct column *table_column(const struct table *table, size_t i)
{
	size_t keys_nr = 0;

	while (table->keys && table->keys[keys_nr]) {
		if (keys_nr == i)
			return table->keys[i];
		keys_nr++;
	}
	return i - keys_nr < table->columns_nr ? &table->columns[i - keys_nr] : NULL;
}

static size_t count_columns(const struct table *table)
{
	size_t nr = 0;

	while (table_column(table, nr))
		nr++;
	return nr;
}

/* Which there are: they are not those of --help in all views. */
static void refuse_column(const char *const *keys, size_t nr, const char *key, struct err *err)
{
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&list, "%s%s", i ? ", " : "", keys[i]);
	err_set(err, ERR_USAGE, "unknown column '%s'; this view has %s", key, list.buf);
	strbuf_release(&list);
}

static const struct column *find_column(const struct table *table, const char *key, struct err *err)
{
	size_t nr = count_columns(table);
	const char **keys = xcalloc(nr, sizeof(*keys));
	const struct column *found = NULL;
	const char *near;

	for (size_t i = 0; i < nr && !found; i++) {
		const struct column *column = table_column(table, i);

		keys[i] = column->key;
		if (!strcmp(keys[i], key))
			found = column;
	}
	if (!found) {
		near = text_nearest(key, keys, nr);
		if (near)
			err_set(err, ERR_USAGE, "unknown column '%s' (did you mean '%s'?)", key,
				near);
		else
			refuse_column(keys, nr, key, err);
	}
	free(keys);
	return found;
}

struct column_list {
	const struct column **v;
	size_t nr, alloc;
};

static void add_column(struct column_list *list, const struct column *column)
{
	ARRAY_GROW(list->v, list->nr + 1, list->alloc);
	list->v[list->nr++] = column;
}

static int choose_columns(const struct table *table, const struct table_options *options,
			  unsigned int show, struct column_list *list, struct err *err)
{
	const char *keys = options->columns;

	if (!keys && !show)
		keys = !options->width && table->wide_columns ? table->wide_columns
							      : table->text_columns;
	if (!keys) {
		const struct column *column;

		for (size_t i = 0; (column = table_column(table, i)); i++) {
			if (column->show & show)
				add_column(list, column);
		}
		return 0;
	}
	for (;;) {
		size_t len = strcspn(keys, ",");
		char *key = xstrndup(keys, len);
		const struct column *column = find_column(table, key, err);

		free(key);
		if (!column)
			return -1;
		add_column(list, column);
		if (!keys[len])
			return 0;
		keys += len + 1;
	}
}

/* What a row is sorted by. */
struct sort_key {
	const void *row;
	size_t index;
	bool known;
	double percent;
	int64_t number;
	char *text;
};

/* "KEY:asc" taken apart. */
static int parse_sort(const struct table *table, const char *sort, const struct column **column,
		      bool *descending, struct err *err)
{
	const char *colon = strrchr(sort, ':');
	char *key = colon ? xstrndup(sort, (size_t)(colon - sort)) : xstrdup(sort);

	*column = find_column(table, key, err);
	free(key);
	if (!*column)
		return -1;
	if (!colon)
		*descending = !column_is_text(*column);
	else if (!strcmp(colon, ":asc") || !strcmp(colon, ":desc"))
		*descending = colon[1] == 'd';
	else
		return err_set(err, ERR_USAGE, "'%s' is no direction to sort in: asc or desc",
			       colon + 1);
	return 0;
}

static void make_key(const struct column *column, const void *row, size_t index, struct cell *cell,
		     struct sort_key *key)
{
	cell_get(cell, column->get, row);
	*key = (struct sort_key){ .row = row, .index = index, .known = cell->known };
	if (!cell->known)
		return;
	if (is_list(column)) {
		cell_add_joined(&cell->scratch, cell->strings);
		cell->text = cell->scratch.buf;
	} else if (column->type == COLUMN_MIXED && !cell->text) {
		strbuf_addf(&cell->scratch, "%lld", (long long)cell->number);
		cell->text = cell->scratch.buf;
	}
	if (column_is_text(column))
		key->text = xstrdup(cell->text);
	else if (column->type == COLUMN_PERCENT)
		key->percent = cell->percent;
	else
		key->number = cell->number;
}

static int compare_values(const struct sort_key *a, const struct sort_key *b)
{
	if (a->text)
		return strcmp(a->text, b->text);
	if (a->percent != b->percent)
		return a->percent < b->percent ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_keys(const struct sort_key *a, const struct sort_key *b, int sign)
{
	int order = 0;

	if (a->known != b->known)
		return a->known ? -1 : 1;
	if (a->known)
		order = compare_values(a, b) * sign;
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int ascending(const void *a, const void *b)
{
	return compare_keys(a, b, 1);
}

static int descending_order(const void *a, const void *b)
{
	return compare_keys(a, b, -1);
}

int table_sort(const struct table *table, const char *sort, const void **rows, size_t rows_nr,
	       struct err *err)
{
	const struct column *column;
	struct cell cell = CELL_INIT;
	struct sort_key *keys;
	bool descending = false;

	if (parse_sort(table, sort, &column, &descending, err))
		return -1;
	if (!rows_nr)
		return 0;
	keys = xcalloc(rows_nr, sizeof(*keys));
	for (size_t i = 0; i < rows_nr; i++)
		make_key(column, rows[i], i, &cell, &keys[i]);
	qsort(keys, rows_nr, sizeof(*keys), descending ? descending_order : ascending);
	for (size_t i = 0; i < rows_nr; i++) {
		rows[i] = keys[i].row;
		free(keys[i].text);
	}
	free(keys);
	cell_release(&cell);
	return 0;
}

int table_check(const struct table *table, const struct table_options *options, struct err *err)
{
	struct column_list list = { NULL, 0, 0 };
	int ret = choose_columns(table, options, 0, &list, err);

	free(list.v);
	if (!ret && options->sort)
		ret = table_sort(table, options->sort, NULL, 0, err);
	return ret;
}

bool table_uses(const struct table *table, const struct table_options *options, const char *key)
{
	const char *sort = options->sort ? options->sort : table->sort;
	struct column_list list = { NULL, 0, 0 };
	struct err ignored = ERR_INIT;
	size_t len = strlen(key);
	bool uses = sort && !strncmp(sort, key, len) && (!sort[len] || sort[len] == ':');

	choose_columns(table, options, writers[options->format]->show, &list, &ignored);
	for (size_t i = 0; i < list.nr; i++)
		uses |= !strcmp(list.v[i]->key, key);
	err_clear(&ignored);
	free(list.v);
	return uses;
}

static bool is_known(const struct column *column, const void *const *rows, size_t rows_nr)
{
	struct cell cell = CELL_INIT;
	bool known = false;

	for (size_t i = 0; i < rows_nr && !known; i++) {
		cell_get(&cell, column->get, rows[i]);
		known = cell.known;
	}
	cell_release(&cell);
	return known;
}

static void drop_unknown(struct table_output *output, struct column_list *list)
{
	list->nr = 0;
	for (size_t i = 0; i < output->columns_nr; i++) {
		if (!(list->v[i]->show & SHOW_IF_KNOWN) ||
		    is_known(list->v[i], output->rows, output->rows_nr))
			list->v[list->nr++] = list->v[i];
	}
	output->columns_nr = list->nr;
}

int table_print(const struct table *table, const struct table_options *options, const void **rows,
		size_t rows_nr, FILE *out, struct err *err)
{
	const struct table_writer *writer = writers[options->format];
	struct column_list list = { NULL, 0, 0 };
	const char *sort = options->sort ? options->sort : table->sort;
	int ret = choose_columns(table, options, writer->show, &list, err);

	if (!ret && sort)
		ret = table_sort(table, sort, rows, rows_nr, err);
	if (!ret) {
		struct table_output output = {
			.columns = list.v,
			.columns_nr = list.nr,
			.rows = rows,
			.rows_nr = rows_nr,
			.width = options->width,
			.out = out,
		};

		if (options->top && (uint64_t)options->top < rows_nr)
			output.rows_nr = (size_t)options->top;
		if (!options->columns && !writer->show)
			drop_unknown(&output, &list);
		writer->write(&output);
	}
	free(list.v);
	return ret;
}
