#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platform/terminal.h"
#include "report/fit_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/json.h"
#include "util/text.h"
#include "util/utf8.h"

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

static void cell_get(struct cell *cell, void (*get)(const void *row, struct cell *cell),
		     const void *row)
{
	cell->known = false;
	cell->text = NULL;
	cell->strings = NULL;
	strbuf_clear(&cell->scratch);
	strvec_clear(&cell->list);
	get(row, cell);
}

static void cell_release(struct cell *cell)
{
	strbuf_release(&cell->scratch);
	strvec_release(&cell->list);
}

/* What a cell of a column holds. */
enum content { CONTENT_TEXT, CONTENT_NUMBER, CONTENT_PERCENT, CONTENT_STRINGS };

static enum content content_of(const struct column *column, const struct cell *cell)
{
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_NAME:
		return CONTENT_TEXT;
	case COLUMN_STRINGS:
	case COLUMN_STACK:
		return cell->text ? CONTENT_TEXT : CONTENT_STRINGS;
	case COLUMN_PERCENT:
		return CONTENT_PERCENT;
	case COLUMN_MIXED:
		return cell->text ? CONTENT_TEXT : CONTENT_NUMBER;
	default:
		return cell->text ? CONTENT_TEXT : CONTENT_NUMBER;
	}
}

static bool column_is_text(const struct column *column)
{
	return column->type == COLUMN_TEXT || column->type == COLUMN_NAME ||
	       column->type == COLUMN_MIXED || column->type == COLUMN_STRINGS ||
	       column->type == COLUMN_STACK;
}

void table_add_number(struct strbuf *sb, enum column_type type, int64_t number)
{
	if (type == COLUMN_BYTES)
		text_add_bytes(sb, number);
	else if (type == COLUMN_DURATION || type == COLUMN_TIME)
		text_add_duration(sb, number);
	else
		strbuf_addf(sb, "%lld", (long long)number);
}

/* In a stack a ';' separates two frames: one in a name, as in `[u8; 4]`, becomes ':', as in folded text. */
static void cell_add_joined(struct strbuf *sb, const struct column *column,
			    const struct strvec *strings)
{
	for (size_t i = 0; i < strings->nr; i++) {
		size_t at;

		if (i)
			strbuf_addc(sb, ';');
		at = sb->len;
		strbuf_adds(sb, strings->v[i]);
		for (; column->type == COLUMN_STACK && at < sb->len; at++) {
			if (sb->buf[at] == ';')
				sb->buf[at] = ':';
		}
	}
}

/* The functions of a format. */
struct table_output {
	const struct column *const *columns;
	size_t columns_nr;
	const void *const *rows;
	size_t rows_nr;
	size_t more; /* rows that are not shown */
	size_t width;
	FILE *out;
};

#define LINE_END "\r\n"

/* Bytes as they are, but not on a terminal, which they could control. */
static void add_csv_field(struct strbuf *sb, const char *text, bool terminal)
{
	struct strbuf printable = STRBUF_INIT;

	if (terminal) {
		utf8_add_printable(&printable, text);
		add_csv_field(sb, printable.buf, false);
		strbuf_release(&printable);
		return;
	}
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

static void add_csv_cell(struct strbuf *sb, const struct column *column, const struct cell *cell,
			 bool terminal)
{
	struct strbuf joined = STRBUF_INIT;

	if (!cell->known)
		return;
	switch (content_of(column, cell)) {
	case CONTENT_TEXT:
		add_csv_field(sb, cell->text, terminal);
		break;
	case CONTENT_NUMBER:
		strbuf_addf(sb, "%lld", (long long)cell->number);
		break;
	case CONTENT_PERCENT:
		strbuf_addf(sb, "%.17g", cell->percent);
		break;
	case CONTENT_STRINGS:
		cell_add_joined(&joined, column, cell->strings);
		add_csv_field(sb, joined.buf, terminal);
		strbuf_release(&joined);
		break;
	}
}

static void write_csv(const struct table_output *output)
{
	bool terminal = terminal_is_tty(output->out);
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
			add_csv_cell(&sb, output->columns[j], &cell, terminal);
		}
		fprintf(output->out, "%s" LINE_END, sb.buf);
	}
	strbuf_release(&sb);
	cell_release(&cell);
}

static void put_json_cell(json_t *object, const struct column *column, const struct cell *cell)
{
	if (!cell->known) {
		json_object_set_new(object, column->key, json_null());
		return;
	}
	switch (content_of(column, cell)) {
	case CONTENT_TEXT:
		json_put_bytes(object, column->key, cell->text);
		break;
	case CONTENT_NUMBER:
		json_put_int(object, column->key, cell->number);
		break;
	case CONTENT_PERCENT:
		json_object_set_new(object, column->key, json_real(cell->percent));
		break;
	case CONTENT_STRINGS:
		json_put_strings(object, column->key, cell->strings);
		break;
	}
}

static void write_json(const struct table_output *output)
{
	struct cell cell = CELL_INIT;

	fputc('[', output->out);
	for (size_t i = 0; i < output->rows_nr; i++) {
		json_t *object = json_object();
		char *line;

		for (size_t j = 0; j < output->columns_nr; j++) {
			cell_get(&cell, output->columns[j]->get, output->rows[i]);
			put_json_cell(object, output->columns[j], &cell);
		}
		line = json_line(object);
		fprintf(output->out, "%s\n%s", i ? "," : "", line);
		free(line);
		json_decref(object);
	}
	fputs(output->rows_nr ? "\n]\n" : "]\n", output->out);
	cell_release(&cell);
}

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
static void add_text_cell(struct strbuf *sb, const struct column *column, const void *row,
			  struct cell *cell, size_t width)
{
	cell_get(cell, column->get_text ? column->get_text : column->get, row);
	if (!cell->known) {
		strbuf_addc(sb, '-');
		return;
	}
	switch (content_of(column, cell)) {
	case CONTENT_TEXT:
		utf8_add_printable(sb, cell->text);
		break;
	case CONTENT_NUMBER:
		table_add_number(sb, column->type, cell->number);
		break;
	case CONTENT_PERCENT:
		strbuf_addf(sb, "%.1f%%", cell->percent);
		break;
	case CONTENT_STRINGS:
		add_strings(sb, cell->strings, width);
		break;
	}
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

/* Write a row; the headings if it is NULL. */
static void write_line(const struct table_output *output, const size_t *widths, const void *row,
		       struct line_room *room)
{
	struct strbuf *line = &room->line, *text = &room->text, *cut = &room->cut;

	strbuf_clear(line);
	for (size_t j = 0; j < output->columns_nr; j++) {
		const struct column *column = output->columns[j];

		strbuf_clear(text);
		if (row)
			add_text_cell(text, column, row, &room->cell, output->width);
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

static void write_text(const struct table_output *output)
{
	struct line_room room = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, CELL_INIT };
	size_t *widths = xcalloc(output->columns_nr, sizeof(*widths));

	measure(output, widths);
	if (output->width)
		fit(output, widths);
	write_line(output, widths, NULL, &room);
	for (size_t i = 0; i < output->rows_nr; i++)
		write_line(output, widths, output->rows[i], &room);
	if (output->more)
		fprintf(output->out, "and %zu more\n", output->more);
	strbuf_release(&room.line);
	strbuf_release(&room.text);
	strbuf_release(&room.cut);
	cell_release(&room.cell);
	free(widths);
}

static const struct {
	const char *name;
	/* The bit of its columns, of enum column_show; 0: its own choice of columns. */
	unsigned int show;
	void (*write)(const struct table_output *output);
} formats[] = {
	[TABLE_TEXT] = { "text", 0, write_text },
	[TABLE_JSON] = { "json", SHOW_JSON, write_json },
	[TABLE_CSV] = { "csv", SHOW_CSV, write_csv },
};

const char *table_format_name(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i].name : NULL;
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
	const char **keys = NULL, *near;
	size_t nr = 0, alloc = 0;

	if (found)
		return found;
	while ((column = table_column(table, nr))) {
		ARRAY_GROW(keys, nr + 1, alloc);
		keys[nr++] = column->key;
	}
	near = text_nearest(key, keys, nr);
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

/* Text shows what it is sorted by. */
static void add_sorted(const struct table *table, const char *sort, const char *keys,
		       struct column_list *list)
{
	char *key = sort ? xstrndup(sort, strcspn(sort, ":")) : NULL;
	const struct column *column = key ? table_find(table, key) : NULL;

	if (column && !is_listed(keys, column->key))
		add_column(list, column);
	free(key);
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

/* The value by which a row is sorted. */
struct sort_key {
	const void *row;
	size_t index;
	bool known;
	double percent;
	int64_t number;
	char *text;
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
	*key = (struct sort_key){ .row = row, .index = index, .known = cell->known };
	if (!cell->known)
		return;
	if (content_of(column, cell) == CONTENT_STRINGS) {
		cell_add_joined(&cell->scratch, column, cell->strings);
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
		if (!(list->v[i]->show & SHOW_IF_KNOWN) ||
		    is_known(list->v[i], output->rows, output->rows_nr))
			list->v[list->nr++] = list->v[i];
	}
	output->columns_nr = list->nr;
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
		output.more = rows_nr - output.rows_nr;
		if (!options->columns && !show)
			drop_unknown(&output, &list);
		formats[options->format].write(&output);
	}
	free(list.v);
	return ret;
}
