/*
 * What the commands cpu, memory and export have in common: options, and a trace played into books.
 */
#ifndef CLI_VIEW_BOOKS_H
#define CLI_VIEW_BOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/opt.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "cli/view_trace.h"
#include "replay/books.h"
#include "report/group_columns.h"
#include "report/view_head.h"

struct book_values {
	struct view_values view; /* first: as every view has it */
	int by;                  /* into the choices of the command */
	const char *at;
	bool mangled;
	bool inlines;
};

extern const struct opt book_name_options[];

/* For the syntax of a command whose values begin with its struct book_values. */
#define BOOK_NAME_GROUP \
	{ \
		"Names", book_name_options, 0 \
	}

/* A run or trace, opened and played. */
struct book_view {
	const struct book_values *values;
	enum group_by by;
	enum group_root root;
	bool memory; /* else CPU time */
	int64_t at_ns;
	struct process_filter filter;
	struct view_run run;
	struct replay replay;
	struct memory_books memory_books;
	struct cpu_books cpu_books;
	struct group_names names;
	bool run_open, replay_open;
};

/* `by` of the name; the names are of group_by_names. */
enum group_by book_by_parse(const char *name);

/* "peak", "end", or a time; ERR_USAGE. NULL: the end of the range. */
int book_at_parse(const char *at, int64_t *at_ns, struct err *err);

/* Set values, by, root, memory and at_ns before. The view is to be closed in any case. */
int book_view_open(struct book_view *view, struct err *err);
void book_view_close(struct book_view *view);

/* The lines above the rows of a text. */
void book_view_print_head(const struct book_view *view, FILE *out);

/* Where nothing else says that many stacks stop short: without the head. */
void book_view_warn_stacks(const struct book_view *view);

#endif
