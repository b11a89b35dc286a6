/*
 * The options that all views share. The values of a view begin with a struct view_values.
 */
#ifndef CLI_VIEW_OPTIONS_H
#define CLI_VIEW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/process_filter.h"
#include "cli/opt.h"
#include "report/table.h"
#include "util/err.h"
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
	bool force, head, wide, quiet;
};

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

#endif
