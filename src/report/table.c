#include "report/table.h"

#include <stdlib.h>
#include <string.h>

#include "report/table_output.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

static const struct {
	const char *name, *ending;
	/* The bit of its columns, of enum column_show; 0: its own choice of columns. */
	unsigned int show;
	void (*write)(const struct table_output *output);
} formats[] = {
	[TABLE_TEXT] = { "text", ".txt", 0, table_write_text },
	[TABLE_JSON] = { "json", ".json", SHOW_JSON, table_write_json },
	[TABLE_CSV] = { "csv", ".csv", SHOW_CSV, table_write_csv },
	[TABLE_JSONL] = { "jsonl", ".jsonl", SHOW_JSON, table_write_jsonl },
};

const char *table_format_name(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i].name : NULL;
}

const char *table_format_ending(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i].ending : NULL;
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

/* The message lists the columns, as not every view has all columns of --help. */
static void refuse_column(const char *const *keys, size_t nr, const char *key, struct err *err)
{
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&list, "%s%s", i ? ", " : "", keys[i]);
	err_set(err, ERR_USAGE, "unknown column '%s'; this view has %s", key, list.buf);
	strbuf_release(&list);
}

/* Whether a list "a,b,c" has the key. */
static bool is_listed(const char *list, const char *key)
{
	size_t len = strlen(key), nr;

	for (; list && *list; list += nr + (list[nr] == ',')) {
		nr = strcspn(list, ",");
		if (nr == len && !strncmp(list, key, len))
			return true;
	}
	return false;
}

const struct column *table_find(const struct table *table, const char *key)
{
	const struct column *column, *found = NULL;

	for (size_t i = 0; (column = table_column(table, i)); i++) {
		if (!strcmp(column->key, key))
			return column;
	}
	/* As text shows it, "AT PEAK"; of several that have the heading the one that text shows. */
	for (size_t i = 0; (column = table_column(table, i)); i++) {
		if (text_equal_fold(column->heading, key) &&
		    (!found || (!is_listed(table->text_columns, found->key) &&
				is_listed(table->text_columns, column->key))))
			found = column;
	}
	return found;
}

static const struct column *find_column(const struct table *table, const char *key, struct err *err)
{
	const struct column *found = table_find(table, key), *column;
	const char **keys, *near;
	size_t nr = 0;

	if (found)
		return found;
	while (table_column(table, nr))
		nr++;
	keys = xcalloc(2 * nr + 1, sizeof(*keys));
	for (size_t i = 0; (column = table_column(table, i)); i++) {
		keys[i] = column->key;
		keys[nr + i] = column->heading;
	}
	near = text_nearest(key, keys, 2 * nr);
	if (near)
		err_set(err, ERR_USAGE, "unknown column '%s' (did you mean '%s'?)", key, near);
	else
		refuse_column(keys, nr, key, err);
	free(keys);
	return NULL;
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

/* NULL: none. */
static const struct column *sorted_column(const struct table *table, const char *sort)
{
	char *key = sort ? xstrndup(sort, strcspn(sort, ":")) : NULL;
	const struct column *column = key ? table_find(table, key) : NULL;

	free(key);
	return column;
}

/* Text shows what it is sorted by. */
static void add_sorted(const struct table *table, const char *sort, const char *keys,
		       struct column_list *list)
{
	const struct column *column = sorted_column(table, sort);

	if (column && !is_listed(keys, column->key))
		add_column(list, column);
}

static int choose_columns(const struct table *table, const struct table_options *options,
			  unsigned int show, struct column_list *list, struct err *err)
{
	const char *keys = options->columns;

	if (!keys && !show) {
		keys = !options->width && table->wide_columns ? table->wide_columns
							      : table->text_columns;
		add_sorted(table, options->sort, keys, list);
	}
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

/* The value by which a row is sorted; small, as there may be millions. */
struct sort_key {
	const void *row;
	union {
		char *text;
		int64_t number;
		double percent;
	};
	uint32_t index;
	enum { SORT_UNKNOWN, SORT_TEXT, SORT_NUMBER, SORT_PERCENT } kind;
};

/* Parse "KEY:asc". */
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
		return err_set(err, ERR_USAGE, "'%s' is not a direction to sort in: asc or desc",
			       colon + 1);
	return 0;
}

static void make_key(const struct column *column, const void *row, size_t index, struct cell *cell,
		     struct sort_key *key)
{
	cell_get(cell, column->get, row);
	*key = (struct sort_key){ .row = row, .index = (uint32_t)index };
	if (!cell->known)
		return;
	if (column_content(column, cell) == CONTENT_STRINGS) {
		column_add_joined(&cell->scratch, column, cell->strings);
		cell->text = cell->scratch.buf;
	} else if (column->type == COLUMN_MIXED && !cell->text) {
		strbuf_addf(&cell->scratch, "%lld", (long long)cell->number);
		cell->text = cell->scratch.buf;
	}
	if (column_is_text(column)) {
		key->kind = SORT_TEXT;
		key->text = xstrdup(cell->text);
	} else if (column->type == COLUMN_PERCENT) {
		key->kind = SORT_PERCENT;
		key->percent = cell->percent;
	} else {
		key->kind = SORT_NUMBER;
		key->number = cell->number;
	}
}

static int compare_values(const struct sort_key *a, const struct sort_key *b)
{
	if (a->kind == SORT_TEXT)
		return strcmp(a->text, b->text);
	if (a->kind == SORT_PERCENT)
		return (a->percent > b->percent) - (a->percent < b->percent);
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_keys(const struct sort_key *a, const struct sort_key *b, int sign)
{
	int order = 0;

	if (!a->kind != !b->kind)
		return a->kind ? -1 : 1;
	if (a->kind)
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
		if (keys[i].kind == SORT_TEXT)
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

	choose_columns(table, options, formats[options->format].show, &list, &ignored);
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
		unsigned int show = list->v[i]->show;

		if (!(show & SHOW_IF_KNOWN) || (show & SHOW_ABOVE_NOTHING && !output->rows_nr) ||
		    is_known(list->v[i], output->rows, output->rows_nr))
			list->v[list->nr++] = list->v[i];
	}
	output->columns_nr = list->nr;
}

static bool *find_identity(const struct table *table, const struct column_list *list)
{
	bool *identity = xcalloc(list->nr + 1, sizeof(*identity));

	for (size_t i = 0; i < list->nr; i++)
		identity[i] = is_listed(table->identity, list->v[i]->key);
	return identity;
}

int table_print(const struct table *table, const struct table_options *options, const void **rows,
		size_t rows_nr, FILE *out, struct err *err)
{
	unsigned int show = formats[options->format].show;
	struct column_list list = { NULL, 0, 0 };
	const char *sort = options->sort ? options->sort : table->sort;
	int ret = choose_columns(table, options, show, &list, err);

	if (!ret && sort)
		ret = table_sort(table, sort, rows, rows_nr, err);
	if (!ret) {
		bool *identity;
		struct table_output output = {
			.columns = list.v,
			.columns_nr = list.nr,
			.parent = table->parent,
			.rows = rows,
			.rows_nr = rows_nr,
			.width = options->width,
			.bold = options->bold,
			.chosen = options->columns || options->sort,
			.listed = options->columns,
			.sorted = sorted_column(table, sort),
			.head = options->head,
			.zeros = options->zeros,
			.zeros_what = options->zeros_what,
			.out = out,
		};

		if (options->top && (uint64_t)options->top < rows_nr)
			output.rows_nr = (size_t)options->top;
		output.more = rows_nr - output.rows_nr + options->left_out;
		if (!options->columns && !show)
			drop_unknown(&output, &list);
		identity = find_identity(table, &list);
		output.identity = identity;
		formats[options->format].write(&output);
		free(identity);
	}
	free(list.v);
	return ret;
}

static bool hides_numbers(const struct column *column, const void *const *rows, size_t rows_nr)
{
	struct cell cell = CELL_INIT;
	bool hidden = false;

	if (column_is_text(column) || !column->get_text)
		return false;
	for (size_t i = 0; i < rows_nr && !hidden; i++) {
		cell_get(&cell, column->get_text, rows[i]);
		if (cell.known)
			continue;
		cell_get(&cell, column->get, rows[i]);
		hidden = cell.known;
	}
	cell_release(&cell);
	return hidden;
}

bool table_hides_numbers(const struct table *table, const struct table_options *options,
			 const void **rows, size_t rows_nr)
{
	const char *sort = options->sort ? options->sort : table->sort;
	struct column_list list = { NULL, 0, 0 };
	struct err ignored = ERR_INIT;
	bool hidden = false;

	if (options->top && (uint64_t)options->top < rows_nr) {
		if (sort)
			table_sort(table, sort, rows, rows_nr, &ignored);
		rows_nr = (size_t)options->top;
	}
	choose_columns(table, options, 0, &list, &ignored);
	for (size_t i = 0; i < list.nr && !hidden; i++)
		hidden = hides_numbers(list.v[i], rows, rows_nr);
	err_clear(&ignored);
	free(list.v);
	return hidden;
}

size_t table_text_width(const struct table *table, const struct table_options *options,
			const void *const *rows, size_t rows_nr)
{
	struct column_list list = { NULL, 0, 0 };
	struct table_output output = { .rows = rows, .rows_nr = rows_nr };
	struct err ignored = ERR_INIT;
	size_t width;

	choose_columns(table, options, 0, &list, &ignored);
	output.columns = list.v;
	output.columns_nr = list.nr;
	if (!options->columns)
		drop_unknown(&output, &list);
	width = table_measure_text(&output);
	err_clear(&ignored);
	free(list.v);
	return width;
}
