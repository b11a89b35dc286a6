/*
 * Tables of the history: its runs, and the values of series in them.
 */
#ifndef REPORT_HISTORY_VIEW_H
#define REPORT_HISTORY_VIEW_H

#include "history/history.h"
#include "report/table.h"
#include "util/strbuf.h"

/* Rows are struct history_run. */
extern const struct table history_runs_table;

/* A row of the other table: a value of a series in a run. */
struct history_value {
	const struct history_run *run;
	const struct history_series *series;
	const struct history_point *point;
	char *bundle; /* where its bundle is; NULL: unknown */
};

extern const struct table history_values_table;

/* A row of history_export() as a line of CSV, for a terminal with escapes, or JSON Lines; the line of headings of CSV. */
void history_add_csv(const struct db_value *row, bool terminal, struct strbuf *sb);
void history_add_csv_heading(struct strbuf *sb);
void history_add_json(const struct db_value *row, struct strbuf *sb);

/* Write them as they are. False: it failed. */
bool history_write(const struct strbuf *text, FILE *out);

#endif
