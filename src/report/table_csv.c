#include "report/table_writer.h"

#include <string.h>

#define LINE_END "\r\n"

static void add_field(struct strbuf *sb, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		strbuf_adds(sb, text);
		return;
	}
	strbuf_addc(sb, '"');
	for (; *text; text++) {
		if (*text == '"')
			strbuf_addc(sb, '"');
		strbuf_addc(sb, *text);
	}
	strbuf_addc(sb, '"');
}

static void add_cell(struct strbuf *sb, const struct column *column, const struct cell *cell)
{
	struct strbuf joined = STRBUF_INIT;

	if (!cell->known)
		return;
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_NAME:
		add_field(sb, cell->text);
		break;
	case COLUMN_STRINGS:
	case COLUMN_STACK:
		cell_add_joined(&joined, cell->strings);
		add_field(sb, joined.buf);
		strbuf_release(&joined);
		break;
	case COLUMN_PERCENT:
		strbuf_addf(sb, "%.17g", cell->percent);
		break;
	case COLUMN_MIXED:
		if (cell->text)
			add_field(sb, cell->text);
		else
			strbuf_addf(sb, "%lld", (long long)cell->number);
		break;
	case COLUMN_INT:
	case COLUMN_BYTES:
	case COLUMN_DURATION:
	case COLUMN_TIME:
		strbuf_addf(sb, "%lld", (long long)cell->number);
		break;
	}
}

static void csv_write(const struct table_output *output)
{
	struct cell cell = CELL_INIT;
	struct strbuf sb = STRBUF_INIT;

	for (size_t j = 0; j < output->columns_nr; j++)
		strbuf_addf(&sb, "%s%s", j ? "," : "", output->columns[j]->key);
	fprintf(output->out, "%s" LINE_END, sb.buf);
	for (size_t i = 0; i < output->rows_nr; i++) {
		strbuf_clear(&sb);
		for (size_t j = 0; j < output->columns_nr; j++) {
			if (j)
				strbuf_addc(&sb, ',');
			cell_get(&cell, output->columns[j]->get, output->rows[i]);
			add_cell(&sb, output->columns[j], &cell);
		}
		fprintf(output->out, "%s" LINE_END, sb.buf);
	}
	strbuf_release(&sb);
	cell_release(&cell);
}

const struct table_writer csv_writer = {
	.show = SHOW_CSV,
	.write = csv_write,
};
