#include "report/column.h"

#include <math.h>

#include "util/text.h"

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

void cell_set_frames(struct cell *cell, struct frame_names frames)
{
	cell->known = true;
	cell->frames = frames;
}

const struct strvec *cell_strings(struct cell *cell)
{
	const struct frame_names *frames = &cell->frames;
	struct strvec *list = &cell->list;

	if (cell->strings || !frames->next)
		return cell->strings;
	for (uint32_t at = frames->leaf; at;)
		strvec_push_nodup(list, (char *)frames->next(frames->data, &at));
	for (size_t i = 0; i < list->nr / 2; i++) {
		char *name = list->v[i];

		list->v[i] = list->v[list->nr - 1 - i];
		list->v[list->nr - 1 - i] = name;
	}
	cell->strings = list;
	return list;
}

static const char *next_string(const void *data, uint32_t *at)
{
	return ((const struct strvec *)data)->v[--*at];
}

struct frame_names cell_frames(const struct cell *cell)
{
	if (cell->frames.next)
		return cell->frames;
	return (struct frame_names){ next_string, cell->strings, (uint32_t)cell->strings->nr };
}

void cell_get(struct cell *cell, void (*get)(const void *row, struct cell *cell), const void *row)
{
	cell->known = false;
	cell->text = NULL;
	cell->strings = NULL;
	cell->frames.next = NULL;
	strbuf_clear(&cell->scratch);
	strvec_forget(&cell->list);
	get(row, cell);
}

void cell_release(struct cell *cell)
{
	strbuf_release(&cell->scratch);
	strvec_forget(&cell->list);
	strvec_release(&cell->list);
}

enum content column_content(const struct column *column, const struct cell *cell)
{
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_NAME:
		return CONTENT_TEXT;
	case COLUMN_STRINGS:
	case COLUMN_STACK:
		return cell->text ? CONTENT_TEXT : CONTENT_STRINGS;
	case COLUMN_PERCENT:
		return cell->text ? CONTENT_TEXT : CONTENT_PERCENT;
	case COLUMN_MIXED:
		return cell->text ? CONTENT_TEXT : CONTENT_NUMBER;
	default:
		return cell->text ? CONTENT_TEXT : CONTENT_NUMBER;
	}
}

bool column_is_text(const struct column *column)
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

void column_hide_separators(struct strbuf *sb, size_t at)
{
	for (; at < sb->len; at++) {
		if (sb->buf[at] == ';')
			sb->buf[at] = ':';
	}
}

void column_add_joined(struct strbuf *sb, const struct column *column, const struct strvec *strings)
{
	for (size_t i = 0; i < strings->nr; i++) {
		size_t at;

		if (i)
			strbuf_addc(sb, ';');
		at = sb->len;
		strbuf_adds(sb, strings->v[i]);
		if (column->type == COLUMN_STACK)
			column_hide_separators(sb, at);
	}
}
