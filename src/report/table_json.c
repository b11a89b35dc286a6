#include "report/table_writer.h"

#include <stdlib.h>

#include "util/json.h"

static void put_cell(json_t *object, const struct column *column, const struct cell *cell)
{
	if (!cell->known) {
		json_object_set_new(object, column->key, json_null());
		return;
	}
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_NAME:
		json_put_bytes(object, column->key, cell->text);
		break;
	case COLUMN_STRINGS:
	case COLUMN_STACK:
		json_put_strings(object, column->key, cell->strings);
		break;
	case COLUMN_PERCENT:
		json_object_set_new(object, column->key, json_real(cell->percent));
		break;
	case COLUMN_MIXED:
		if (cell->text)
			json_put_bytes(object, column->key, cell->text);
		else
			json_put_int(object, column->key, cell->number);
		break;
	case COLUMN_INT:
	case COLUMN_BYTES:
	case COLUMN_DURATION:
	case COLUMN_TIME:
		json_put_int(object, column->key, cell->number);
		break;
	}
}

static void json_write(const struct table_output *output)
{
	struct cell cell = CELL_INIT;

	fputc('[', output->out);
	for (size_t i = 0; i < output->rows_nr; i++) {
		json_t *object = json_object();
		char *line;

		for (size_t j = 0; j < output->columns_nr; j++) {
			cell_get(&cell, output->columns[j]->get, output->rows[i]);
			put_cell(object, output->columns[j], &cell);
		}
		line = json_line(object);
		fprintf(output->out, "%s\n%s", i ? "," : "", line);
		free(line);
		json_decref(object);
	}
	fputs(output->rows_nr ? "\n]\n" : "]\n", output->out);
	cell_release(&cell);
}

const struct table_writer json_writer = {
	.show = SHOW_JSON,
	.write = json_write,
};
