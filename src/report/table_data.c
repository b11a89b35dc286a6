/*
 * Rows of a table for programs: CSV (RFC 4180) and JSON.
 */
#include "report/table_output.h"

#include <stdlib.h>
#include <string.h>

#include "platform/terminal.h"
#include "report/head.h"
#include "util/json.h"
#include "util/json_text.h"
#include "util/text.h"
#include "util/utf8.h"

#define LINE_END "\r\n"

/* Rows are written so many bytes at a time, past the buffer of the stream. */
#define WRITTEN_AT_ONCE ((size_t)1 << 16)

void table_add_csv_field(struct strbuf *sb, const char *text, bool terminal)
{
	struct strbuf printable = STRBUF_INIT;

	if (terminal) {
		utf8_add_printable(&printable, text);
		table_add_csv_field(sb, printable.buf, false);
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
	switch (column_content(column, cell)) {
	case CONTENT_TEXT:
		table_add_csv_field(sb, cell->text, terminal);
		break;
	case CONTENT_NUMBER:
		text_add_int(sb, cell->number);
		break;
	case CONTENT_PERCENT:
		strbuf_addf(sb, "%.17g", cell->percent);
		break;
	case CONTENT_STRINGS:
		column_add_joined(&joined, column, cell->strings);
		table_add_csv_field(sb, joined.buf, terminal);
		strbuf_release(&joined);
		break;
	}
}

/* A value is one line, whatever the text has. */
static void add_csv_text(struct strbuf *sb, const char *key, const char *text)
{
	strbuf_addf(sb, "# %s: ", key);
	utf8_add_printable(sb, text);
	strbuf_adds(sb, LINE_END);
}

static void add_csv_fact(struct strbuf *sb, const struct head_fact *fact)
{
	switch (fact->type) {
	case HEAD_NUMBER:
		strbuf_addf(sb, "# %s: %lld" LINE_END, fact->key, (long long)fact->number);
		break;
	case HEAD_TEXT:
		add_csv_text(sb, fact->key, fact->text);
		break;
	case HEAD_FLAG:
		add_csv_text(sb, fact->key, fact->number ? "true" : "false");
		break;
	case HEAD_TEXTS:
		for (size_t i = 0; i < fact->texts.nr; i++)
			add_csv_text(sb, fact->key, fact->texts.v[i]);
		break;
	}
}

static void write_csv_head(const struct head *head, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; head && i < head->nr; i++)
		add_csv_fact(&sb, &head->v[i]);
	fputs(sb.buf, out);
	strbuf_release(&sb);
}

void table_write_csv(const struct table_output *output)
{
	bool terminal = terminal_is_tty(output->out);
	struct cell cell = CELL_INIT;
	struct strbuf sb = STRBUF_INIT;

	write_csv_head(output->head, output->out);
	for (size_t j = 0; j < output->columns_nr; j++)
		strbuf_addf(&sb, "%s%s", j ? "," : "", output->columns[j]->key);
	fprintf(output->out, "%s" LINE_END, sb.buf);
	strbuf_clear(&sb);
	for (size_t i = 0; i < output->rows_nr; i++) {
		for (size_t j = 0; j < output->columns_nr; j++) {
			if (j)
				strbuf_addc(&sb, ',');
			cell_get(&cell, output->columns[j]->get, output->rows[i]);
			add_csv_cell(&sb, output->columns[j], &cell, terminal);
		}
		strbuf_adds(&sb, LINE_END);
		if (sb.len < WRITTEN_AT_ONCE && i + 1 < output->rows_nr)
			continue;
		fwrite(sb.buf, 1, sb.len, output->out);
		strbuf_clear(&sb);
	}
	strbuf_release(&sb);
	cell_release(&cell);
}

static void add_json_cell(struct strbuf *sb, const struct column *column, const struct cell *cell)
{
	if (!cell->known) {
		json_text_bytes(sb, column->key, NULL);
		return;
	}
	switch (column_content(column, cell)) {
	case CONTENT_TEXT:
		json_text_bytes(sb, column->key, cell->text);
		break;
	case CONTENT_NUMBER:
		json_text_int(sb, column->key, cell->number);
		break;
	case CONTENT_PERCENT:
		json_text_real(sb, column->key, cell->percent);
		break;
	case CONTENT_STRINGS:
		json_text_strings(sb, column->key, cell->strings);
		break;
	}
}

/* Whether an earlier column has the key: an object has it once. */
static bool is_repeated(const struct table_output *output, size_t j)
{
	for (size_t i = 0; i < j; i++) {
		if (!strcmp(output->columns[i]->key, output->columns[j]->key))
			return true;
	}
	return false;
}

/* The object of the head, without a line end. */
static void write_json_head(const struct head *head, FILE *out)
{
	json_t *object = json_object();
	char *line;

	for (size_t i = 0; i < head->nr; i++) {
		const struct head_fact *fact = &head->v[i];

		switch (fact->type) {
		case HEAD_NUMBER:
			json_put_int(object, fact->key, fact->number);
			break;
		case HEAD_TEXT:
			json_put_bytes(object, fact->key, fact->text);
			break;
		case HEAD_FLAG:
			json_put_bool(object, fact->key, fact->number);
			break;
		case HEAD_TEXTS:
			json_put_strings(object, fact->key, &fact->texts);
			break;
		}
	}
	line = json_line(object);
	fprintf(out, "{\"head\": %s", line);
	free(line);
	json_decref(object);
}

/* Each row with these before it and after it; `first` before the first one. */
static void write_json_rows(const struct table_output *output, const char *first,
			    const char *before, const char *after)
{
	struct strbuf sb = STRBUF_INIT;
	struct cell cell = CELL_INIT;

	for (size_t i = 0; i < output->rows_nr; i++) {
		strbuf_adds(&sb, i ? before : first);
		for (size_t j = 0; j < output->columns_nr; j++) {
			if (is_repeated(output, j))
				continue;
			cell_get(&cell, output->columns[j]->get, output->rows[i]);
			add_json_cell(&sb, output->columns[j], &cell);
		}
		strbuf_adds(&sb, after);
		if (sb.len < WRITTEN_AT_ONCE && i + 1 < output->rows_nr)
			continue;
		fwrite(sb.buf, 1, sb.len, output->out);
		strbuf_clear(&sb);
	}
	strbuf_release(&sb);
	cell_release(&cell);
}

void table_write_json(const struct table_output *output)
{
	if (output->head) {
		write_json_head(output->head, output->out);
		fputs(",\n\"rows\": ", output->out);
	}
	fputc('[', output->out);
	write_json_rows(output, "\n{", ",\n{", "}");
	fputs(output->rows_nr ? "\n]" : "]", output->out);
	fputs(output->head ? "}\n" : "\n", output->out);
}

void table_write_jsonl(const struct table_output *output)
{
	if (output->head) {
		write_json_head(output->head, output->out);
		fputs("}\n", output->out);
	}
	write_json_rows(output, "{", "{", "}\n");
}
