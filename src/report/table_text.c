#include "report/table_output.h"

#include <stdlib.h>

#include "report/fit_name.h"
#include "report/head.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/print.h"
#include "util/text.h"
#include "util/utf8.h"

#define GAP       2
#define NARROWEST 10

/* The widths to which texts are shortened, step by step while lines are too long. */
static const struct cut {
	bool flexible; /* the columns to shorten */
	size_t width;
} cuts[] = { { true, 40 },  { false, 24 },       { true, 36 },
	     { false, 16 }, { true, NARROWEST }, { false, NARROWEST } };

/*
 * Add strings joined by ';', until they fill a line of `width` (0: unlimited): a stack may have 10 KB, and there may
 * be half a million stacks.
 */
static void add_strings(struct strbuf *sb, const struct strvec *strings, size_t width)
{
	for (size_t i = 0; i < strings->nr; i++) {
		if (i)
			strbuf_addc(sb, ';');
		utf8_add_printable(sb, strings->v[i]);
		if (width && sb->len > UTF8_BYTES_MAX * width)
			return;
	}
}

/* Add the cell as text. Strings may end early if they are wider than `width`. */
static void add_text(struct strbuf *sb, const struct column *column, const struct cell *cell,
		     size_t width)
{
	if (!cell->known) {
		strbuf_addc(sb, '-');
		return;
	}
	switch (column_content(column, cell)) {
	case CONTENT_TEXT:
		utf8_add_printable(sb, cell->text);
		break;
	case CONTENT_NUMBER:
		table_add_number(sb, column->type, cell->number);
		break;
	case CONTENT_PERCENT:
		text_add_fixed(sb, cell->percent, 1);
		strbuf_addc(sb, '%');
		break;
	case CONTENT_STRINGS:
		add_strings(sb, cell->strings, width);
		break;
	}
}

static void add_text_cell(struct strbuf *sb, const struct column *column, const void *row,
			  struct cell *cell, size_t width)
{
	cell_get(cell, column->get_text ? column->get_text : column->get, row);
	add_text(sb, column, cell, width);
}

/* Columns wider than the line are shortened anyway, so their exact width does not matter. */
static bool is_too_wide(const struct table_output *output, size_t j, size_t width)
{
	return output->width && column_is_text(output->columns[j]) && width > output->width &&
	       width > NARROWEST;
}

static void measure(const struct table_output *output, size_t *widths)
{
	struct cell cell = CELL_INIT;
	struct strbuf sb = STRBUF_INIT;

	for (size_t j = 0; j < output->columns_nr; j++)
		widths[j] = utf8_length(output->columns[j]->heading);
	for (size_t i = 0; i < output->rows_nr; i++) {
		for (size_t j = 0; j < output->columns_nr; j++) {
			size_t width;

			if (is_too_wide(output, j, widths[j]))
				continue;
			strbuf_clear(&sb);
			add_text_cell(&sb, output->columns[j], output->rows[i], &cell,
				      output->width);
			width = utf8_length(sb.buf);
			if (width > widths[j])
				widths[j] = width;
		}
	}
	strbuf_release(&sb);
	cell_release(&cell);
}

/* The widest column that the step may still shorten; columns_nr: there is none. */
static size_t widest(const struct table_output *output, const size_t *widths, const struct cut *cut)
{
	size_t found = output->columns_nr, width = cut->width;

	for (size_t j = 0; j < output->columns_nr; j++) {
		const struct column *column = output->columns[j];

		if (column_is_text(column) && column->flexible == cut->flexible &&
		    widths[j] > width) {
			found = j;
			width = widths[j];
		}
	}
	return found;
}

/* The second widest width of those columns, at least that of the step: the widest column is shortened to it. */
static size_t next_width(const struct table_output *output, const size_t *widths, size_t of,
			 const struct cut *cut)
{
	size_t width = cut->width;

	for (size_t j = 0; j < output->columns_nr; j++) {
		const struct column *column = output->columns[j];

		if (column_is_text(column) && column->flexible == cut->flexible &&
		    widths[j] < widths[of] && widths[j] > width)
			width = widths[j];
	}
	return width;
}

/* Shorten the widest texts first. */
static void fit(const struct table_output *output, size_t *widths)
{
	size_t total = output->columns_nr ? (output->columns_nr - 1) * GAP : 0;
	size_t step = 0;

	for (size_t j = 0; j < output->columns_nr; j++)
		total += widths[j];
	while (total > output->width && step < ARRAY_SIZE(cuts)) {
		size_t j = widest(output, widths, &cuts[step]), much;

		if (j == output->columns_nr) {
			step++;
			continue;
		}
		much = widths[j] - next_width(output, widths, j, &cuts[step]);
		if (much > total - output->width)
			much = total - output->width;
		widths[j] -= much;
		total -= much;
	}
}

/* Add the part that fits of a cell that is too wide; `text` is the whole cell. */
static void cut_cell(struct strbuf *sb, const struct column *column, const char *text, size_t width)
{
	if (column->type == COLUMN_NAME) {
		fit_name(sb, text, width);
	} else {
		strbuf_add(sb, text, utf8_prefix(text, width - 1));
		strbuf_adds(sb, "…");
	}
}

/* Add `text`, not wider than `width`, padded to it. */
static void add_padded(struct strbuf *line, const struct column *column, const char *text,
		       size_t width, bool last)
{
	size_t length = utf8_length(text);
	bool right = !column_is_text(column);

	if (right) {
		strbuf_pad(line, ' ', line->len + width - length);
		strbuf_adds(line, text);
	} else {
		strbuf_adds(line, text);
	}
	if (last)
		return;
	strbuf_pad(line, ' ', line->len + (right ? 0 : width - length) + GAP);
}

/* Buffers for a line and its cells. */
struct line_room {
	struct strbuf line, text, cut;
	struct cell cell;
};

/* The same as add_text_cell(), but of a stack only what fits. */
static void add_fitting_cell(struct strbuf *sb, const struct table_output *output,
			     const struct column *column, const void *row, struct cell *cell,
			     size_t width)
{
	if (column->type != COLUMN_STACK || !output->width) {
		add_text_cell(sb, column, row, cell, output->width);
		return;
	}
	cell_get(cell, column->get_text ? column->get_text : column->get, row);
	if (cell->strings)
		fit_stack(sb, cell->strings, width);
	else
		add_text(sb, column, cell, output->width);
}

/* Write a row; the headings if it is NULL. */
static void write_line(const struct table_output *output, const size_t *widths, const void *row,
		       struct line_room *room)
{
	struct strbuf *line = &room->line, *text = &room->text, *cut = &room->cut;

	strbuf_clear(line);
	if (!row && output->bold)
		strbuf_adds(line, PRINT_BOLD);
	for (size_t j = 0; j < output->columns_nr; j++) {
		const struct column *column = output->columns[j];

		strbuf_clear(text);
		if (row)
			add_fitting_cell(text, output, column, row, &room->cell, widths[j]);
		else
			strbuf_adds(text, column->heading);
		strbuf_clear(cut);
		if (utf8_length(text->buf) > widths[j])
			cut_cell(cut, column, text->buf, widths[j]);
		add_padded(line, column, cut->len ? cut->buf : text->buf, widths[j],
			   j + 1 == output->columns_nr);
	}
	while (line->len && line->buf[line->len - 1] == ' ')
		strbuf_set_len(line, line->len - 1);
	if (!row && output->bold)
		strbuf_adds(line, PRINT_PLAIN);
	strbuf_addc(line, '\n');
	fwrite(line->buf, 1, line->len, output->out);
}

void table_write_text(const struct table_output *output)
{
	struct line_room room = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, CELL_INIT };
	size_t *widths = xcalloc(output->columns_nr, sizeof(*widths));

	if (output->head) {
		print_text(output->out, output->head->lines.buf);
		fputc('\n', output->out);
	}
	measure(output, widths);
	if (output->width)
		fit(output, widths);
	write_line(output, widths, NULL, &room);
	for (size_t i = 0; i < output->rows_nr; i++)
		write_line(output, widths, output->rows[i], &room);
	if (output->more)
		fprintf(output->out, "and %zu more\n", output->more);
	if (output->zeros)
		fprintf(output->out, "and %zu that %s\n", output->zeros, output->zeros_what);
	strbuf_release(&room.line);
	strbuf_release(&room.text);
	strbuf_release(&room.cut);
	cell_release(&room.cell);
	free(widths);
}

size_t table_measure_text(const struct table_output *output)
{
	size_t *widths = xcalloc(output->columns_nr, sizeof(*widths)), total = 0;

	measure(output, widths);
	for (size_t j = 0; j < output->columns_nr; j++)
		total += widths[j] + (j ? GAP : 0);
	free(widths);
	return total;
}
