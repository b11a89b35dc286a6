/*
 * Writes a comparison in a format of other programs (report/compare_format.h).
 */
#ifndef CLI_COMPARE_OUTPUT_H
#define CLI_COMPARE_OUTPUT_H

#include "cli/opt.h"
#include "cli/view_options.h"
#include "report/compare_format.h"

/* All formats of `compare`, for --format: those of tables first. */
extern const struct opt_choices compare_formats;

/* The format of a choice; NULL: it is one of tables. */
const struct compare_format *compare_chosen_format(int choice);

/* Check the options of a format that is no table, and its keys. ERR_USAGE. */
int compare_check_format(const struct compare_format *format, const struct view_values *values,
			 const struct compare_keys *keys, enum measure measure, struct err *err);

/* To stdout or the file of -o; for GitHub to the step summary too. */
int compare_write_format(const struct compare_format *format, const struct compare_report *report,
			 const struct view_values *values, struct err *err);

#endif
