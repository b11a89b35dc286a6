/*
 * The columns of keys: what `--by` puts before the values of the views cpu and memory.
 */
#ifndef REPORT_GROUP_COLUMNS_H
#define REPORT_GROUP_COLUMNS_H

#include "analysis/group.h"
#include "model/function.h"
#include "model/module.h"
#include "report/module_labels.h"
#include "report/table.h"

/* Where the names of keys are; borrowed. */
struct group_names {
	enum group_by by;
	const struct grouping *grouping;
	const struct module_table *modules;
	const struct function_table *functions;
	struct module_labels labels; /* whoever made them releases them */
};

/* A row of a view begins with it. */
struct group_row {
	const struct group *group;
	const struct group_names *names;
};

/* End with NULL: of one kind of key; and for the help of all, memory being known by no thread. */
const struct column *const *group_columns(enum group_by by);
extern const struct column *const group_columns_cpu[];
extern const struct column *const group_columns_memory[];

#endif
