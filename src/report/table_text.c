#include "report/table_output.h"

#include <stdlib.h>
#include <string.h>

#include "report/distinct.h"
#include "report/fit_name.h"
#include "report/head.h"
#include "report/short_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/fnv.h"
#include "util/hash_index.h"
#include "util/print.h"
#include "util/text.h"
#include "util/utf8.h"

#define ELLIPSIS "…"

enum cut_columns {
	CUT_REMAINDER, /* SHOW_REMAINDER */
	CUT_FLEXIBLE,  /* these, too */
	CUT_OTHERS,
};

/* The widths to which texts are shortened, step by step while lines are too long. */
static const struct cut {
	enum cut_columns columns;
	size_t width;
} cuts[] = { { CUT_FLEXIBLE, 40 },
	     { CUT_REMAINDER, 16 },
	     { CUT_OTHERS, 24 },
	     { CUT_FLEXIBLE, 36 },
	     { CUT_OTHERS, 16 },
	     { CUT_FLEXIBLE, NARROWEST },
	     { CUT_OTHERS, NARROWEST },
	     /* where no column may be left out any more */
	     { CUT_FLEXIBLE, 6 },
	     { CUT_OTHERS, 6 } };

/*
 * Add strings joined by ';', until they fill a line of `width` (0: unlimited): a stack may have 10 KB, and there may
 * be half a million stacks.
 */
static void add_strings(struct strbuf *sb, const struct column *column,
			const struct strvec *strings, size_t width)
{
	for (size_t i = 0; i < strings->nr; i++) {
		size_t at;

		if (i)
			strbuf_addc(sb, ';');
		at = sb->len;
		utf8_add_printable(sb, strings->v[i]);
		if (column->type == COLUMN_STACK)
			column_hide_separators(sb, at);
		if (width && sb->len > UTF8_BYTES_MAX * width)
			return;
	}
}

/* Add the cell as text. Strings may end early if they are wider than `width`. */
static void add_text(struct strbuf *sb, const struct column *column, struct cell *cell,
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
		text_add_percent(sb, cell->percent);
		strbuf_addc(sb, '%');
		break;
	case CONTENT_STRINGS:
		add_strings(sb, column, cell_strings(cell), width);
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

/* Whether the step shortens the column. */
static bool is_cut(const struct column *column, const struct cut *cut)
{
	if (!column_is_text(column) || column->show & SHOW_WHOLE)
		return false;
	if (cut->columns == CUT_REMAINDER)
		return column->show & SHOW_REMAINDER;
	return column->flexible == (cut->columns == CUT_FLEXIBLE);
}

/* The widest column that the step may still shorten; columns_nr: there is none. */
static size_t widest(const struct table_output *output, const size_t *widths, const struct cut *cut)
{
	size_t found = output->columns_nr, width = cut->width;

	for (size_t j = 0; j < output->columns_nr; j++) {
		const struct column *column = output->columns[j];

		if (is_cut(column, cut) && widths[j] > width) {
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

		if (is_cut(column, cut) && widths[j] < widths[of] && widths[j] > width)
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

/* What a cell keeps of its text; `part.to` 0: nothing special. */
struct mark {
	struct text_part part;
	bool exact; /* of the exact text, not of the one that text shows */
};

/* A number at the end of a cell. */
struct row_number {
	uint32_t value; /* 0: none */
	uint32_t column;
};

struct text_table {
	const struct table_output *output;
	size_t *natural, *widths;   /* by column: what it needs; what it has */
	struct mark **marks;        /* by column, by row; NULL: none */
	struct row_number *numbers; /* by row; NULL: none */
	size_t compared;            /* rows that must not look equal */
	/* Buffers */
	struct strbuf line, text, cut;
	struct cell cell;
};

/* The whole text of a cell, unless `width` (0: unlimited) ends it. */
static void add_cell(struct text_table *table, struct strbuf *sb, size_t row, size_t j, bool exact,
		     size_t width)
{
	struct column column = *table->output->columns[j];

	if (exact)
		column.get_text = NULL;
	add_text_cell(sb, &column, table->output->rows[row], &table->cell, width);
}

/* Add the part that fits of a cell that is too wide; `text` is the whole cell. */
static void cut_cell(struct strbuf *sb, const struct column *column, const char *text, size_t width)
{
	if (column->type == COLUMN_NAME) {
		fit_name(sb, text, width);
	} else {
		strbuf_add(sb, text, utf8_prefix(text, width - 1));
		strbuf_adds(sb, ELLIPSIS);
	}
}

/* Append the short form of a name, which begins at `at`, but for the part. False: the name does not have it. */
static bool add_short(struct strbuf *sb, const char *name, size_t at, struct text_part *part)
{
	size_t len = strlen(name), from = part->from - at, to = part->to - at;
	uint32_t lead = part->at - part->from;

	if (part->from < at || from >= len) {
		short_name(sb, name);
		return false;
	}
	to = to < len ? to : len;
	short_name_keep(sb, name, &from, &to);
	*part = (struct text_part){ (uint32_t)from, (uint32_t)to, (uint32_t)from + lead };
	return true;
}

/* Append the short forms of the frames of a stack, but for the part. */
static void add_short_frames(struct strbuf *sb, const char *stack, struct text_part *part)
{
	struct text_part moved = { 0, 0, 0 };
	size_t at = 0;

	for (;;) {
		size_t len = strcspn(stack + at, ";");
		char *frame = xstrndup(stack + at, len);
		struct text_part here = *part;

		if (add_short(sb, frame, at, &here))
			moved = here;
		free(frame);
		at += len;
		if (!stack[at])
			break;
		strbuf_addc(sb, ';');
		at++;
	}
	*part = moved;
}

/* Append a cell with what tells it apart, in at most `width`. */
static void add_marked(struct text_table *table, struct strbuf *sb, size_t row, size_t j,
		       const struct mark *mark, size_t width)
{
	enum column_type type = table->output->columns[j]->type;
	struct text_part part = mark->part;
	struct strbuf text = STRBUF_INIT, brief = STRBUF_INIT;
	const char *shown;

	add_cell(table, &text, row, j, mark->exact, 0);
	if (mark->exact && type == COLUMN_NAME)
		add_short(&brief, text.buf, 0, &part);
	else if (mark->exact && type == COLUMN_STACK)
		add_short_frames(&brief, text.buf, &part);
	shown = brief.len ? brief.buf : text.buf;
	distinct_fit(sb, shown, part, type == COLUMN_STACK, width);
	strbuf_release(&text);
	strbuf_release(&brief);
}

/* Append a cell without its number, in at most `width`. */
static void add_fitting(struct text_table *table, struct strbuf *sb, size_t row, size_t j,
			size_t width)
{
	const struct mark *mark = table->marks[j] ? &table->marks[j][row] : NULL;
	const struct column *column = table->output->columns[j];
	struct cell *cell = &table->cell;

	if (mark && mark->part.to) {
		add_marked(table, sb, row, j, mark, width);
		return;
	}
	cell_get(cell, column->get_text ? column->get_text : column->get, table->output->rows[row]);
	if (column->type == COLUMN_STACK && cell->known && table->output->width &&
	    column_content(column, cell) == CONTENT_STRINGS) {
		fit_stack(sb, cell_frames(cell), width);
		return;
	}
	strbuf_clear(&table->text);
	add_text(&table->text, column, cell, table->output->width);
	if (utf8_length(table->text.buf) > width)
		cut_cell(sb, column, table->text.buf, width);
	else
		strbuf_add(sb, table->text.buf, table->text.len);
}

/* Returns the length. */
static size_t format_number(char number[24], size_t value)
{
	snprintf(number, 24, " #%zu", value);
	return strlen(number);
}

/* Append a cell as it is shown, without padding. */
static void add_shown(struct text_table *table, struct strbuf *sb, size_t row, size_t j)
{
	char number[24] = "";
	size_t width = table->widths[j], len = 0;

	if (table->numbers && table->numbers[row].value && table->numbers[row].column == j)
		len = format_number(number, table->numbers[row].value);
	add_fitting(table, sb, row, j, width > len ? width - len : 1);
	strbuf_adds(sb, number);
}

/* Rows with equal hashes look equal in their keys. */
struct look {
	uint64_t hash;
	uint32_t row;
};

static uint64_t hash_row(struct text_table *table, size_t row)
{
	const struct table_output *output = table->output;
	uint64_t hash = FNV_FIRST;

	if (output->parent) {
		uint32_t parent = output->parent(output->rows[row]);

		hash = fnv_add(hash, &parent, sizeof(parent));
	}
	for (size_t j = 0; j < output->columns_nr; j++) {
		if (!output->identity[j])
			continue;
		strbuf_clear(&table->cut);
		add_shown(table, &table->cut, row, j);
		hash = fnv_add(hash, table->cut.buf, table->cut.len + 1);
	}
	return hash;
}

static int compare_looks(const void *a, const void *b)
{
	const struct look *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The number of looks from this one on that are equal. */
static size_t count_alike(const struct look *looks, size_t nr, size_t first)
{
	size_t end = first + 1;

	while (end < nr && looks[end].hash == looks[first].hash)
		end++;
	return end - first;
}

static bool has_alike(const struct look *looks, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (looks[i].hash == looks[i - 1].hash)
			return true;
	}
	return false;
}

/* Texts of rows that look equal: a thousand of the longest stacks of a compiler. */
#define TEXTS_MAX ((size_t)64 << 20)

/* Mark in a column what tells rows apart that look equal. */
static void mark_rows(struct text_table *table, struct look *looks, size_t nr, size_t j, bool exact)
{
	bool stack = table->output->columns[j]->type == COLUMN_STACK;
	struct text_part *parts = xcalloc(nr, sizeof(*parts));
	char **texts = xcalloc(nr, sizeof(*texts));
	size_t made = 0, bytes = 0;

	for (; made < nr && bytes < TEXTS_MAX; made++) {
		struct strbuf sb = STRBUF_INIT;

		add_cell(table, &sb, looks[made].row, j, exact, 0);
		bytes += sb.len;
		texts[made] = strbuf_detach(&sb);
	}
	distinct_find((const char *const *)texts, made, stack, parts);
	if (!table->marks[j])
		table->marks[j] = xcalloc(table->output->rows_nr, sizeof(**table->marks));
	for (size_t i = 0; i < made; i++) {
		if (parts[i].to)
			table->marks[j][looks[i].row] = (struct mark){ parts[i], exact };
		free(texts[i]);
		looks[i].hash = hash_row(table, looks[i].row);
	}
	free(texts);
	free(parts);
}

static bool may_be_marked(const struct text_table *table, size_t j)
{
	return column_is_text(table->output->columns[j]) && table->output->identity[j];
}

/* Mark in this column all rows that look equal. `looks` stay sorted. */
static void mark_column(struct text_table *table, struct look *looks, size_t j, bool exact)
{
	size_t nr = table->compared;
	bool any = false;

	for (size_t i = 0, alike; i < nr; i += alike) {
		alike = count_alike(looks, nr, i);
		if (alike > 1)
			mark_rows(table, looks + i, alike, j, exact);
		any |= alike > 1;
	}
	if (any)
		qsort(looks, nr, sizeof(*looks), compare_looks);
}

/* The column of a row's number: the last text that says what the row is of. columns_nr: nothing known does. */
static size_t numbered_column(struct text_table *table, size_t row)
{
	const struct table_output *output = table->output;

	for (int flexible = 0; flexible <= 1; flexible++) {
		for (size_t j = output->columns_nr; j-- > 0;) {
			const struct column *column = output->columns[j];

			if (!may_be_marked(table, j) || column->flexible != flexible)
				continue;
			cell_get(&table->cell, column->get_text ? column->get_text : column->get,
				 output->rows[row]);
			if (table->cell.known)
				return j;
		}
	}
	return output->columns_nr;
}

/* Make room for the numbers of rows that look equal. False: there is enough. */
static bool widen_numbered(struct text_table *table, const struct look *looks)
{
	const struct table_output *output = table->output;
	bool widened = false;

	for (size_t i = 0, alike; i < table->compared; i += alike) {
		char number[24];
		size_t len;

		alike = count_alike(looks, table->compared, i);
		len = format_number(number, alike);
		for (size_t k = 1; k < alike; k++) {
			size_t row = looks[i + k].row, j = numbered_column(table, row), width;

			if (j == output->columns_nr || is_too_wide(output, j, table->natural[j]))
				continue;
			strbuf_clear(&table->text);
			add_cell(table, &table->text, row, j, false, output->width);
			width = utf8_length(table->text.buf) + len;
			if (width <= table->natural[j])
				continue;
			table->natural[j] = width;
			widened = true;
		}
	}
	return widened;
}

/* Rows that still look equal, as nothing that is shown differs, are numbered: no row looks like another then. */
static void number_rows(struct text_table *table, struct look *looks)
{
	size_t nr = table->compared;
	struct hash_index index = HASH_INDEX_INIT;
	uint32_t least = 1; /* groups share numbers until a number made rows of two groups equal */
	uint64_t *hashes;

	if (!has_alike(looks, nr))
		return;
	hashes = xcalloc(nr, sizeof(*hashes));
	table->numbers = xcalloc(table->output->rows_nr, sizeof(*table->numbers));
	/* The first row of a group keeps its look. */
	for (size_t i = 0; i < nr; i += count_alike(looks, nr, i)) {
		hashes[looks[i].row] = looks[i].hash;
		hash_index_add(&index, looks[i].hash, looks[i].row);
	}
	for (size_t i = 0, alike; i < nr; i += alike) {
		uint32_t number = least;

		alike = count_alike(looks, nr, i);
		for (size_t k = 1; k < alike; k++) {
			uint32_t row = looks[i + k].row, found, first = number + 1;
			size_t j = numbered_column(table, row);

			if (j == table->output->columns_nr)
				continue;
			do {
				table->numbers[row] = (struct row_number){ ++number, (uint32_t)j };
				hashes[row] = hash_row(table, row);
				HASH_INDEX_FIND(found, &index, hashes[row], at,
						at != row && hashes[at] == hashes[row]);
			} while (found != HASH_INDEX_NONE && number < UINT32_MAX);
			hash_index_add(&index, hashes[row], row);
			if (number > first)
				least = number;
		}
	}
	hash_index_release(&index);
	free(hashes);
}

/* A list of more stacks is not read to its end, and stacks are long. */
#define STACKS_COMPARED 10000

static size_t count_compared(const struct table_output *output)
{
	for (size_t j = 0; j < output->columns_nr; j++) {
		if (output->columns[j]->type == COLUMN_STACK && output->rows_nr > STACKS_COMPARED)
			return STACKS_COMPARED;
	}
	return output->rows_nr;
}

static struct look *find_looks(struct text_table *table)
{
	struct look *looks = xcalloc(table->compared + 1, sizeof(*looks));

	for (size_t i = 0; i < table->compared; i++)
		looks[i] = (struct look){ hash_row(table, i), (uint32_t)i };
	if (table->compared)
		qsort(looks, table->compared, sizeof(*looks), compare_looks);
	return looks;
}

/*
 * Rows that look equal in what they are of show what tells them apart: first what text shows of a column, then what it
 * leaves out. Returns the looks of the rows then; NULL: no text says what they are of.
 */
static struct look *mark_looks(struct text_table *table)
{
	const struct table_output *output = table->output;
	struct look *looks = NULL;

	for (int flexible = 1; flexible >= 0; flexible--) {
		for (size_t j = 0; j < output->columns_nr; j++) {
			if (!may_be_marked(table, j) || output->columns[j]->flexible != flexible)
				continue;
			if (!looks)
				looks = find_looks(table);
			mark_column(table, looks, j, false);
			if (output->columns[j]->get_text && !output->parent)
				mark_column(table, looks, j, true);
		}
	}
	return looks;
}

/* Add `text`, padded to `width`. */
static void add_padded(struct strbuf *line, const struct column *column, const char *text,
		       size_t width, bool last)
{
	size_t length = utf8_length(text), pad = length < width ? width - length : 0;
	bool right = !column_is_text(column);

	if (right) {
		strbuf_pad(line, ' ', line->len + pad);
		strbuf_adds(line, text);
	} else {
		strbuf_adds(line, text);
	}
	if (last)
		return;
	strbuf_pad(line, ' ', line->len + (right ? 0 : pad) + GAP);
}

static void add_heading(struct strbuf *sb, const struct column *column, size_t width)
{
	const char *heading = column->heading;

	if (utf8_length(heading) <= width) {
		strbuf_adds(sb, heading);
		return;
	}
	strbuf_add(sb, heading, utf8_prefix(heading, width - 1));
	strbuf_adds(sb, ELLIPSIS);
}

/* Write a row; the headings if it is beyond the last one. */
static void write_line(struct text_table *table, size_t row)
{
	const struct table_output *output = table->output;
	struct strbuf *line = &table->line, *cut = &table->cut;

	strbuf_clear(line);
	if (row >= output->rows_nr && output->bold)
		strbuf_adds(line, PRINT_BOLD);
	for (size_t j = 0; j < output->columns_nr; j++) {
		strbuf_clear(cut);
		if (row < output->rows_nr)
			add_shown(table, cut, row, j);
		else
			add_heading(cut, output->columns[j], table->widths[j]);
		add_padded(line, output->columns[j], cut->buf, table->widths[j],
			   j + 1 == output->columns_nr);
	}
	while (line->len && line->buf[line->len - 1] == ' ')
		strbuf_set_len(line, line->len - 1);
	if (row >= output->rows_nr && output->bold)
		strbuf_adds(line, PRINT_PLAIN);
	strbuf_addc(line, '\n');
	fwrite(line->buf, 1, line->len, output->out);
}

/* What tells rows apart may need more room than their texts: the last column has what is left of the line. */
static void widen_last(const struct table_output *output, size_t *widths)
{
	size_t last = output->columns_nr - 1, total = last * GAP;

	if (!column_is_text(output->columns[last]))
		return;
	for (size_t j = 0; j < output->columns_nr; j++)
		total += widths[j];
	if (!output->width)
		widths[last] = UINT32_MAX;
	else if (total < output->width)
		widths[last] += output->width - total;
}

static void set_widths(struct text_table *table)
{
	const struct table_output *output = table->output;

	memcpy(table->widths, table->natural, output->columns_nr * sizeof(*table->widths));
	if (output->width)
		fit(output, table->widths);
	if (output->columns_nr)
		widen_last(output, table->widths);
}

static void clear_marks(struct text_table *table)
{
	for (size_t j = 0; j < table->output->columns_nr; j++) {
		free(table->marks[j]);
		table->marks[j] = NULL;
	}
}

/* Set the widths, and tell rows apart that look equal. Numbers take their room from all that may be shortened. */
static void lay_out(struct text_table *table)
{
	struct look *looks;

	table->compared = count_compared(table->output);
	set_widths(table);
	looks = mark_looks(table);
	if (looks && widen_numbered(table, looks)) {
		free(looks);
		clear_marks(table);
		set_widths(table);
		looks = mark_looks(table);
	}
	if (looks)
		number_rows(table, looks);
	free(looks);
}

static void text_table_release(struct text_table *table)
{
	clear_marks(table);
	free(table->marks);
	free(table->natural);
	free(table->numbers);
	free(table->widths);
	strbuf_release(&table->line);
	strbuf_release(&table->text);
	strbuf_release(&table->cut);
	cell_release(&table->cell);
}

static void *copy(const void *array, size_t nr, size_t size)
{
	void *v = xcalloc(nr + 1, size);

	if (nr)
		memcpy(v, array, nr * size);
	return v;
}

void table_write_text(const struct table_output *all)
{
	const struct column **columns = copy(all->columns, all->columns_nr, sizeof(*columns));
	bool *identity = copy(all->identity, all->columns_nr, sizeof(*identity));
	struct table_output shown = *all, *output = &shown;
	struct strbuf dropped = STRBUF_INIT;
	struct text_table table = {
		.output = output,
		.natural = xcalloc(output->columns_nr + 1, sizeof(*table.natural)),
		.widths = xcalloc(output->columns_nr + 1, sizeof(*table.widths)),
		.marks = xcalloc(output->columns_nr + 1, sizeof(*table.marks)),
		.line = STRBUF_INIT,
		.text = STRBUF_INIT,
		.cut = STRBUF_INIT,
		.cell = CELL_INIT,
	};

	if (output->head) {
		print_wrapped(output->out, output->head->lines.buf, output->width, HEAD_INDENT);
		fputc('\n', output->out);
	}
	output->columns = columns;
	output->identity = identity;
	measure(output, table.natural);
	table_drop_columns(output, columns, identity, table.natural, &dropped);
	lay_out(&table);
	write_line(&table, output->rows_nr);
	for (size_t i = 0; i < output->rows_nr; i++)
		write_line(&table, i);
	if (output->more)
		fprintf(output->out, "and %zu more\n", output->more);
	if (output->zeros)
		fprintf(output->out, "and %zu that %s\n", output->zeros, output->zeros_what);
	print_wrapped(output->out, dropped.buf, output->width, 0);
	text_table_release(&table);
	strbuf_release(&dropped);
	free(columns);
	free(identity);
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
