/*
 * The table of `compare`: a row for each key of two sides of runs.
 */
#ifndef REPORT_COMPARE_VIEW_H
#define REPORT_COMPARE_VIEW_H

#include "analysis/group.h"
#include "compare/comparison.h"
#include "compare/curves.h"
#include "compare/joined_stacks.h"
#include "compare/verdicts.h"
#include "report/table.h"

/* All columns, with those of all keys: what the help lists. */
extern const struct table compare_help_table;

/* What the texts of the keys are, as in the comparison. */
struct compare_keys {
	enum group_by by[GROUP_DIMENSIONS];
	size_t place[GROUP_DIMENSIONS]; /* of the first text of each */
	size_t nr;
	const struct joined_stacks *stacks; /* of BY_STACK, whose text is a number of these */
};

/* A row; the argument of the getters. */
struct compare_row {
	const struct comparison *comparison;
	const struct compare_keys *keys;
	uint32_t key;
	struct compare_change changes[MEASURES];
	const struct verdict_of *verdicts; /* of each measure; NULL: there are none */
};

struct compare_rows {
	struct compare_row *v;
	const void **pointers;
	size_t nr;
};

/* The stack of a row; JOINED_ROOT: its key has none. */
uint32_t compare_row_stack(const struct compare_row *row);

/* What a key is of: the name of the column and the text of each part, of a stack its functions, separated by ';'. */
struct compare_label {
	const char *key;
	char *text; /* NULL: unknown */
};

struct compare_labels {
	struct compare_label v[COMPARE_TEXTS];
	size_t nr; /* 0: of the whole build */
};

void compare_labels_init(struct compare_labels *labels, const struct compare_row *row);
void compare_labels_release(struct compare_labels *labels);

/* Rows of all keys that a run of either side has, those that changed most in the measure first. All is borrowed. */
void compare_rows_init(struct compare_rows *rows, const struct comparison *comparison,
		       const struct verdicts *verdicts, const struct compare_keys *keys,
		       enum measure measure);
void compare_rows_release(struct compare_rows *rows);

/* Whether a row's change in the measure reaches the effect, or is real, or it is of a crate that only one side has. */
bool compare_row_changed(const struct compare_row *row, enum measure measure,
			 const struct compare_effect *effect);

/* Leave out the rows that have not changed so. Returns how many those are. */
size_t compare_rows_leave_out(struct compare_rows *rows, enum measure measure,
			      const struct compare_effect *effect);

struct compare_table {
	struct table table;
	const struct column *keys[16];
	char *text, *identity;
};

/* A table for keys, whose text shows one measure. */
void compare_table_init(struct compare_table *table, const struct compare_keys *keys,
			enum measure measure);

/* Once the rows are known: text has no state if both sides have all of them. */
void compare_table_fit(struct compare_table *table, const struct compare_rows *rows);
void compare_table_release(struct compare_table *table);

/* Append a verdict: "grew", "cannot tell (36)"; nothing if there was no test. */
void compare_add_verdict(struct strbuf *sb, const struct verdict_of *of);

/* Append a change: "+12.3 MB", "-1.20 s", "0 B". */
void compare_add_change(struct strbuf *sb, enum measure measure, int64_t delta);

/* The same of one in percent: "+4.9%". */
void compare_add_percent(struct strbuf *sb, double percent);

/* How the change of the build's peak is split: of several runs a side, of which two. */
struct compare_split {
	struct peak_split bytes;
	const char *runs[SIDES]; /* paths, borrowed; NULL: there is one run a side */
};

/* Append growth, overlap and rest of a change of the peak. */
void compare_add_split(struct strbuf *sb, const struct peak_split *split);

/* The same, and of several runs a side from which one to which one. */
void compare_add_split_of_runs(struct strbuf *sb, const struct compare_split *split);

#endif
