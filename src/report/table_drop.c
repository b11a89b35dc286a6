/*
 * Text leaves out columns where lines are too long though all texts are as short as may be, and where names of functions
 * would have no room.
 */
#include "report/table_output.h"

#include <string.h>

#include "util/strbuf.h"

struct dropping {
	struct table_output *output;
	/* Those of the output, and the width that each needs. */
	const struct column **columns;
	bool *identity;
	size_t *widths;
	struct strbuf headings; /* of what is left out */
};

/* Shorter names of functions are of no use while there are numbers that may go; and what other texts keep then. */
#define LEAST_NAME  36
#define OTHER_TEXTS 16

/* As much of a crate, a phase or a query is enough. */
#define LEGIBLE 24

/* The column of names; columns_nr: there is none. */
static size_t name_column(const struct table_output *output)
{
	size_t j = output->columns_nr;

	while (j-- > 0) {
		if (output->columns[j]->type == COLUMN_NAME)
			return j;
	}
	return output->columns_nr;
}

/* Whether the names have less than they need, and than is useful, if other texts are shortened. */
static bool is_cramped(const struct table_output *output, const size_t *widths, size_t name)
{
	size_t wanted = widths[name] < LEAST_NAME ? widths[name] : LEAST_NAME;
	size_t others = (output->columns_nr - 1) * GAP;

	for (size_t j = 0; j < output->columns_nr; j++) {
		bool cut = column_is_text(output->columns[j]) && widths[j] > OTHER_TEXTS;

		if (j != name)
			others += cut ? OTHER_TEXTS : widths[j];
	}
	return others + wanted > output->width;
}

static void drop(struct dropping *dropping, size_t j)
{
	struct table_output *output = dropping->output;
	size_t after = --output->columns_nr - j;

	if (dropping->headings.len)
		strbuf_adds(&dropping->headings, ", ");
	strbuf_adds(&dropping->headings, dropping->columns[j]->heading);
	memmove(dropping->columns + j, dropping->columns + j + 1,
		after * sizeof(*dropping->columns));
	memmove(dropping->identity + j, dropping->identity + j + 1,
		after * sizeof(*dropping->identity));
	memmove(dropping->widths + j, dropping->widths + j + 1, after * sizeof(*dropping->widths));
}

/* Leave out the last number that may go to give room to names. False: there is none. */
static bool drop_for_name(struct dropping *dropping)
{
	for (size_t j = dropping->output->columns_nr; j-- > 0;) {
		if (dropping->columns[j]->show & SHOW_IF_ROOM) {
			drop(dropping, j);
			return true;
		}
	}
	return false;
}

/* Give room to names. */
static void fit_names(struct dropping *dropping)
{
	struct table_output *output = dropping->output;
	size_t name;

	if (output->chosen)
		return;
	while ((name = name_column(output)) < output->columns_nr &&
	       is_cramped(output, dropping->widths, name) && drop_for_name(dropping))
		;
}

/* What a text keeps while numbers may go: one that says what a row is of is to be read. */
static size_t least_width(const struct dropping *dropping, size_t j, bool legible)
{
	const struct column *column = dropping->columns[j];
	size_t least = dropping->output->width / 4;

	if (!legible || !dropping->identity[j] || column->type != COLUMN_TEXT ||
	    column->show & SHOW_REMAINDER || least < NARROWEST)
		return NARROWEST;
	return least < LEGIBLE ? least : LEGIBLE;
}

/* Whether lines are too long with the shortest texts. */
static bool is_too_long(const struct dropping *dropping, bool legible)
{
	const struct table_output *output = dropping->output;
	size_t total = output->columns_nr ? (output->columns_nr - 1) * GAP : 0;

	for (size_t j = 0; j < output->columns_nr; j++) {
		const struct column *column = dropping->columns[j];
		size_t least = least_width(dropping, j, legible);
		bool cut = column_is_text(column) && !(column->show & SHOW_WHOLE) &&
			   dropping->widths[j] > least;

		total += cut ? least : dropping->widths[j];
	}
	return total > output->width;
}

/* The column to leave out next: the last number, then the last text, if texts may go. columns_nr: none may go. */
static size_t find_dropped(const struct dropping *dropping, bool texts)
{
	const struct table_output *output = dropping->output;

	for (int text = 0; text <= texts; text++) {
		for (size_t j = output->columns_nr; j-- > 0;) {
			const struct column *column = dropping->columns[j];

			if (column_is_text(column) == text && !dropping->identity[j] &&
			    column != output->sorted && !(column->show & SHOW_WHOLE))
				return j;
		}
	}
	return output->columns_nr;
}

/* Functions and stacks, which take the room that keys would get: fit_names() is for them. */
static bool has_long_texts(const struct table_output *output)
{
	for (size_t j = 0; j < output->columns_nr; j++) {
		if (output->columns[j]->type == COLUMN_NAME ||
		    output->columns[j]->type == COLUMN_STACK)
			return true;
	}
	return false;
}

static bool drop_columns(struct dropping *dropping, bool legible)
{
	bool any = false;
	size_t j;

	while (is_too_long(dropping, legible) &&
	       (j = find_dropped(dropping, !legible)) < dropping->output->columns_nr) {
		drop(dropping, j);
		any = true;
	}
	return any;
}

void table_drop_columns(struct table_output *output, const struct column **columns, bool *identity,
			size_t *widths, struct strbuf *line)
{
	struct dropping dropping = { output, columns, identity, widths, STRBUF_INIT };
	bool any = false;

	if (output->width && !output->listed) {
		fit_names(&dropping);
		if (output->sorted && !has_long_texts(output))
			any = drop_columns(&dropping, true);
		any |= drop_columns(&dropping, false);
	}
	if (any)
		strbuf_addf(line, "left out for width: %s (--columns, --wide)\n",
			    dropping.headings.buf);
	strbuf_release(&dropping.headings);
}
