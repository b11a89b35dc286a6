/*
 * What the commands `cpu`, `memory` and `export` share: options, and a trace whose events an account has counted.
 */
#ifndef CLI_VIEW_RESULTS_H
#define CLI_VIEW_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "record/status.h"
#include "report/account.h"

/* The values of --of. */
extern const struct opt_choices memory_kinds;

struct results_values {
	struct view_values view; /* must be first, as in every view */
	struct opt_pair by;      /* indexes of account_key() */
	int of;                  /* of memory: index of memory_kind_names */
	const char *at;
	bool mangled;
	bool full_names;
	bool inlines;
	const char *symfs;
	bool debuginfod;
	const char *fetch,
		*cache; /* of symbols: --fetch, and the directory where files were put; NULL */
	int64_t fetch_timeout; /* seconds; 0: not given */
	const char *stack_tags;
	struct strvec threads, not_threads;
	struct stack_filter stacks;
	const char *min_share;
	/* of --by calls */
	bool inverted, plumbing;
	struct strvec focus, ignore;
};

extern const struct opt results_name_options[];

/* Read the rules of --stack-tags; the caller frees them. */
int results_load_tags(const char *path, struct stack_tags **tags, struct err *err);

/* ERR_USAGE: the DIR of --symfs, NULL without it, is no directory. */
int results_check_symfs(const char *symfs, struct err *err);

/* Append that heaps are in no value of committed memory; results_note_hidden_heap(): if it is so. */
void results_add_hidden_heap(const struct trace_facts *facts, struct strbuf *notes);
void results_note_hidden_heap(const struct results *results, const struct trace_facts *facts,
			      struct strbuf *notes);

/* What --at takes, besides a time. */
extern const char *const moment_words[];

/* Filters that only views of events have. */
extern const struct opt results_filter_options[];

#define RESULTS_FILTER_GROUP \
	{ \
		"Filters by thread and stack (names may have * and ?)", results_filter_options, 0 \
	}

/* A row of the options of a view by phase. */
#define STACK_TAGS_OPTION \
	{ \
		0, "stack-tags", OPT_STRING, "FILE", \
			"of phases: the rules of this file instead of rustc.stacktags", \
			offsetof(struct results_values, stack_tags), NULL \
	}

/* A group of options, for the syntax of a command whose values begin with a struct results_values. */
#define RESULTS_NAME_GROUP \
	{ \
		"Names", results_name_options, 0 \
	}

/* A run or trace, opened and counted by an account. */
struct results_view {
	const struct results_values *values;
	const struct account *account;
	struct stack_tags *tags; /* set by results_view_open() */
	enum group_by by[GROUP_DIMENSIONS];
	size_t by_nr;
	const char *at; /* as --at; NULL: the end */
	/* See struct account_request; may be NULL. */
	const struct region_sink *regions;
	const struct cpu_sink *samples;
	bool split;                     /* as in struct account_request: the tags are needed */
	enum results_counts counts;     /* the same */
	bool own_peak;                  /* private to the caller */
	bool explained;                 /* the caller says which modules have no names */
	const struct progress *reading; /* of the trace; NULL: none */
	int64_t at_ns;                  /* the same; set by results_view_open() */
	struct process_filter filter;
	struct view_run run;
	struct replay replay;
	struct results results;
	bool run_open, replay_open;
	struct debug_fetcher *fetcher; /* of --debuginfod; NULL: not given */
	struct status status;          /* while it fetches */
	struct progress progress;      /* on the same */
};

/*
 * Open and count the trace; first set values, account, by, by_nr and at. Mistakes are ERR_USAGE. Close the view in any
 * case.
 */
int results_view_open(struct results_view *view, struct err *err);
void results_view_close(struct results_view *view);

/* The share of --min-share in percent, else `share` stays what it is. A mistake is ERR_USAGE. */
int results_min_share(const struct results_values *values, double *share, struct err *err);

/* Whether rows have a head before them: text always. Its facts, from the view, which is borrowed. */
bool results_view_has_head(const struct results_view *view, const struct table_options *options);
struct view_head results_view_head(const struct results_view *view);

/*
 * Print rows of a table, after the head of the view if the options want it. The options are from
 * view_get_table_options().
 */
int results_view_print(const struct results_view *view, const struct table *table,
		       struct table_options *options, const void **rows, size_t rows_nr,
		       struct err *err);

/* Say that values below 0, whose sum is `value` as a positive number, are not shown. */
void results_view_note_surplus(const struct results_view *view, const struct metric *metric,
			       int64_t value);

/* Warn if many stacks are incomplete and neither the head nor the warnings of the run say so. */
void results_view_warn_stacks(const struct results_view *view);

/* Run a command that shows an account as a table. Returns an exit code, or -1. */
int results_view_run(const struct account *account, const struct results_values *values,
		     struct err *err);

#endif
