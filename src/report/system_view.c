#include "report/system_view.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

static void get_section(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct system_row *)row)->section);
}

static void get_key(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct system_row *)row)->key);
}

static void get_value(const void *data, struct cell *cell)
{
	const struct system_row *row = data;

	if (row->text)
		cell_set_text(cell, row->text);
	else
		cell_set_number(cell, row->number);
}

static void get_human_value(const void *data, struct cell *cell)
{
	const struct system_row *row = data;

	get_value(row, cell);
	if (row->text || row->type == COLUMN_INT)
		return;
	table_add_number(&cell->scratch, row->type, row->number);
	cell_set_text(cell, cell->scratch.buf);
}

static const struct column columns[] = {
	{ "section", "SECTION", "subject of the fact: host, run, tracker, trace, events, ...",
	  COLUMN_TEXT, SHOW_DATA, false, get_section, NULL },
	{ "key", "KEY", "what it is", COLUMN_TEXT, SHOW_DATA, false, get_key, NULL },
	{ "value", "VALUE", "a text or a number", COLUMN_MIXED, SHOW_DATA, true, get_value,
	  get_human_value },
};

const struct table system_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = "section,key,value",
};

static struct system_row *add_row(struct system_rows *rows, const char *section, const char *key)
{
	struct system_row *row = xcalloc(1, sizeof(*row));

	row->section = xstrdup(section);
	row->key = xstrdup(key);
	ARRAY_GROW(rows->v, rows->nr + 1, rows->alloc);
	rows->v[rows->nr++] = row;
	return row;
}

void system_rows_add(struct system_rows *rows, const char *section, const char *key,
		     const char *text)
{
	if (text)
		add_row(rows, section, key)->text = xstrdup(text);
}

void system_rows_add_number(struct system_rows *rows, const char *section, const char *key,
			    enum column_type type, int64_t number)
{
	struct system_row *row;

	if (number < 0)
		return;
	row = add_row(rows, section, key);
	row->number = number;
	row->type = type;
}

void system_rows_release(struct system_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		struct system_row *row = (struct system_row *)(uintptr_t)rows->v[i];

		free(row->section);
		free(row->key);
		free(row->text);
		free(row);
	}
	free(rows->v);
	*rows = (struct system_rows){ NULL, 0, 0 };
}
