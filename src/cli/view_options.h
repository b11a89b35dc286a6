/*
 * The options that all views share. The values of a view begin with a struct view_values.
 */
#ifndef CLI_VIEW_OPTIONS_H
#define CLI_VIEW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/process_filter.h"
#include "cli/color.h"
#include "cli/message.h"
#include "cli/opt.h"
#include "cli/result_file.h"
#include "report/table.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct view_values {
	struct strvec traces;
	struct strvec roles;
	struct strvec parts;
	struct strvec crates;
	struct strvec processes;
	struct strvec not_roles, not_parts, not_crates, not_processes;
	const char *time;
	int format; /* enum table_format; -1: not given */
	const char *output;
	const char *columns;
	const char *sort;
	int64_t top;
	int color; /* enum color_mode */
	bool force, head, wide, quiet;
};

/* Rows of the output options of a view, without the format. */
#define VIEW_TABLE_OPTIONS \
	{ 'o', \
	  "output", \
	  OPT_STRING, \
	  "FILE", \
	  "where to write; by default stdout", \
	  offsetof(struct view_values, output), \
	  NULL }, \
		RESULT_FORCE_OPTION(struct view_values, force), \
		{ 0, \
		  "columns", \
		  OPT_STRING, \
		  "A,B", \
		  "the columns to show, in this order", \
		  offsetof(struct view_values, columns), \
		  NULL }, \
		{ 0, \
		  "sort", \
		  OPT_STRING, \
		  "COLUMN", \
		  "sort by the column, numbers from the largest, texts from a to z; " \
		  "COLUMN:asc and COLUMN:desc set the direction", \
		  offsetof(struct view_values, sort), \
		  NULL }, \
		{ 0, \
		  "top", \
		  OPT_NUMBER, \
		  "N", \
		  "only the first N rows", \
		  offsetof(struct view_values, top), \
		  NULL }, \
		{ 0, \
		  "head", \
		  OPT_FLAG, \
		  NULL, \
		  "with the head: range, clock, peak, losses, versions; JSON is then " \
		  "{\"head\": ..., \"rows\": ...}, CSV has it as comments; text of most views " \
		  "has one anyway", \
		  offsetof(struct view_values, head), \
		  NULL }, \
		{ 0, \
		  "wide", \
		  OPT_FLAG, \
		  NULL, \
		  "do not shorten lines of text to the width of the terminal, or of COLUMNS; " \
		  "100 without both", \
		  offsetof(struct view_values, wide), \
		  NULL }, \
		{ 0, \
		  "color", \
		  OPT_CHOICE, \
		  "WHEN", \
		  "bold headings and warnings: auto (the default): on a terminal, unless " \
		  "NO_COLOR " \
		  "is set; always; never", \
		  offsetof(struct view_values, color), \
		  OPT_WORDS(color_mode_names) }, \
		QUIET_OPTION(offsetof(struct view_values, quiet))

extern const struct opt view_filter_options[];
extern const struct opt view_output_options[];
extern const struct opt_arg view_args[];

/* Groups of options, for the syntax of a view. */
#define VIEW_FILTER_GROUP \
	{ \
		"Filters (names may have * and ?; repeating a filter adds processes)", \
			view_filter_options, 0 \
	}
#define VIEW_OUTPUT_GROUP \
	{ \
		"Output", view_output_options, 0 \
	}

/* Both groups, for a view without other options. */
extern const struct opt_group view_groups[];

/* Parse --min-share, in percent; `*share` stays without it (NULL). */
int view_get_min_share(const char *text, double *share, struct err *err);

/*
 * Make the filter and the table options from the values. Mistakes are ERR_USAGE. The caller releases `filter` in any
 * case.
 */
int view_get_filter(const struct view_values *values, struct process_filter *filter,
		    struct err *err);
int view_get_table_options(const struct view_values *values, const struct table *table,
			   struct table_options *options, struct err *err);

/*
 * Print the rows as table_print() does, to stdout or into the file of -o. The options are from view_get_table_options(),
 * which has checked that file.
 */
int view_print_table(const struct view_values *values, const struct table *table,
		     const struct table_options *options, const void **rows, size_t rows_nr,
		     struct err *err);

/* Append the names of a filter after `what`, as in ", role cc or link"; nothing if there are none. */
void view_add_names(struct strbuf *sb, const char *what, const struct strvec *names);

/* The same of the filters that all views share, but --time: ", role rustc, not crate core or std". */
void view_add_selection(const struct view_values *values, struct strbuf *sb);

#endif
