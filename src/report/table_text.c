#include "report/table_writer.h"

#include <stdlib.h>
#include <string.h>

#include "report/fit_name.h"

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

#define GAP       2
#define NARROWEST 10

/* How far texts are cut, one step after the other where lines are still too long. */
static const struct cut {
	bool flexible; /* those that are, else the others */
	size_t width;
} cuts[] = { { true, 40 },  { false, 24 },       { true, 36 },
	     { false, 16 }, { true, NARROWEST }, { false, NARROWEST } };

/*
 * Strings with ';' between, as far as lines of `width` (0: of any) can show them: a stack may have 10 KB, and
 * there may be half a million of them.
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

/* The cell as people read it; of strings at least what is wider than `width`, else whole. */
static void add_cell(struct strbuf *sb, const struct column *column, const void *row,
		     struct cell *cell, size_t width)
{
	cell_get(cell, column->get_text ? column->get_text : column->get, row);
	if (!cell->known) {
		strbuf_addc(sb, '-');
		return;
	}
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_NAME:
		utf8_add_printable(sb, cell->text);
		break;
	case COLUMN_INT:
		strbuf_addf(sb, "%lld", (long long)cell->number);
		break;
	case COLUMN_BYTES:
		text_add_bytes(sb, cell->number);
		break;
	case COLUMN_DURATION:
	case COLUMN_TIME:
		text_add_duration(sb, cell->number);
		break;
	case COLUMN_PERCENT:
		strbuf_addf(sb, "%.1f%%", cell->percent);
		break;
	case COLUMN_MIXED:
		if (cell->text)
			utf8_add_printable(sb, cell->text);
		else
			strbuf_addf(sb, "%lld", (long long)cell->number);
		break;
	case COLUMN_STRINGS:
	case COLUMN_STACK:
		if (cell->text)
			utf8_add_printable(sb, cell->text);
		else
			add_strings(sb, cell->strings, width);
		break;
	}
}

/* What is wider than the line is cut to what others leave of it, however wide it is. */
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
			add_cell(&sb, output->columns[j], output->rows[i], &cell, output->width);
			width = utf8_length(sb.buf);
			if (width > widths[j])
				widths[j] = width;
		}
	}
	strbuf_release(&sb);
	cell_release(&cell);
}

/* The widest column that the step may still cut; columns_nr where there is none. */
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

/* The second widest width among those, at least the step's: how far the widest one is cut at a time. */
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

/* Take from the widest texts first. */
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

/* What fits of a cell that is too wide; `text` is all of it. */
static void cut_cell(struct strbuf *sb, const struct column *column, const struct cell *cell,
		     const char *text, size_t width)
{
	if (column->type == COLUMN_STACK && cell->strings) {
		fit_stack(sb, cell->strings, width);
	} else if (column->type == COLUMN_NAME) {
		fit_name(sb, text, width);
	} else {
		strbuf_add(sb, text, utf8_prefix(text, width - 1));
		strbuf_adds(sb, "…");
	}
}

/* `text`, which is no wider than `width`, in its place on the line. */
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

/* Room for a line and its cells. */
struct line_room {
	struct strbuf line, text, cut;
	struct cell cell;
};

/* The heading where `row` is NULL. */
static void write_line(const struct table_output *output, const size_t *widths, const void *row,
		       struct line_room *room)
{
	struct strbuf *line = &room->line, *text = &room->text, *cut = &room->cut;

	strbuf_clear(line);
	for (size_t j = 0; j < output->columns_nr; j++) {
		const struct column *column = output->columns[j];

		strbuf_clear(text);
		if (row)
			add_cell(text, column, row, &room->cell, output->width);
		else
			strbuf_adds(text, column->heading);
		strbuf_clear(cut);
		if (utf8_length(text->buf) > widths[j])
			cut_cell(cut, column, &room->cell, text->buf, widths[j]);
		add_padded(line, column, cut->len ? cut->buf : text->buf, widths[j],
			   j + 1 == output->columns_nr);
	}
	while (line->len && line->buf[line->len - 1] == ' ')
		strbuf_set_len(line, line->len - 1);
	strbuf_addc(line, '\n');
	fwrite(line->buf, 1, line->len, output->out);
}

static void text_write(const struct table_output *output)
{
	struct line_room room = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, CELL_INIT };
	size_t *widths = xcalloc(output->columns_nr, sizeof(*widths));

	measure(output, widths);
	if (output->width)
		fit(output, widths);
	write_line(output, widths, NULL, &room);
	for (size_t i = 0; i < output->rows_nr; i++)
		write_line(output, widths, output->rows[i], &room);
	strbuf_release(&room.line);
	strbuf_release(&room.text);
	strbuf_release(&room.cut);
	cell_release(&room.cell);
	free(widths);
}

const struct table_writer text_writer = {
	.write = text_write,
};
