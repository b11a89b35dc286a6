/*
 * Accounts. An account counts one thing in a trace for each key, CPU time or memory, and defines the numbers that are
 * shown.
 *
 * An account is one file and one `struct account`: how events are counted, and a table of columns. A metric is a
 * column that can be the value of a stack: `export --metric` offers it. Views, exports, heads and --sort read these
 * tables.
 *
 * The views of processes have a table of their own, as most of their numbers were measured by the tracker while the process
 * ran. Their columns of memory get the values from those of account_memory (report/processes_view.h).
 *
 * To add a number to an account:
 *   1. write its getter in report/account_<name>.c and give it a row in the columns there;
 *   2. to offer it in exports, give it a row in the metrics there too, which names the column: only numbers that add up
 *      over stacks can be metrics;
 *   3. describe it in docs/<command>.md, a metric also in docs/export.md;
 *   4. add it to a case of tests/unit/test_group_views.c.
 *
 * To add an account:
 *   1. write analysis/<name>_account.[ch]: from events to a struct for each key of a grouping;
 *   2. write report/account_<name>.c: the functions, columns and metrics, at the end `const struct account
 *      account_<name>`;
 *   3. declare it below and list it in report/account.c;
 *   4. write cli/cmd_<name>.c: options, and calls_or_results_run() (cli/view_calls.h) with it.
 */
#ifndef REPORT_ACCOUNT_H
#define REPORT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/cpu_account.h"
#include "analysis/group.h"
#include "analysis/heap_account.h"
#include "analysis/heap_commits.h"
#include "analysis/ledger.h"
#include "analysis/lifetime.h"
#include "analysis/memory_account.h"
#include "analysis/process_filter.h"
#include "analysis/stack_quality.h"
#include "analysis/touched_account.h"
#include "replay/replay.h"
#include "report/head.h"
#include "report/module_labels.h"
#include "report/table.h"
#include "util/err.h"
#include "util/strbuf.h"

/* What the results have. */
enum results_counts {
	COUNTS_OF_KEYS,
	/*
	 * CPU time, if the inner key is a stack: tallies instead of entries. A key for each stack and the names of all
	 * stacks take far more memory. COUNTS_OF_NAMED_STACKS: the dimension has names of the stacks nevertheless.
	 */
	COUNTS_OF_STACKS,
	COUNTS_OF_NAMED_STACKS,
};

struct account_request {
	enum group_by by[GROUP_DIMENSIONS];
	size_t by_nr;                        /* 0 is 1 */
	const struct stack_tags *tags;       /* of BY_PHASE and a filter by phases */
	const struct process_filter *filter; /* results are limited to its time range */
	const struct stack_filter *stacks;   /* may be NULL */
	int64_t at_ns;                       /* the moment of --at: see ledger_init() */
	bool full_names;                     /* in text too, not their short forms (short_name.h) */
	bool moment; /* --at is given, and is not the peak of the whole build, which has a column in any case */
	const struct region_sink *regions; /* NULL: count for keys; see memory_account_new() */
	const struct cpu_sink *samples;    /* the same; see cpu_account_keep_samples() */
	bool split;                        /* BY_STACK: see dimension_split(); `tags` are needed */
	enum results_counts counts;
	/* Above 0: keep steps of memory, so many (ledger_keep_steps()). Those of CPU time are keys, BY_PROCESS_STEP. */
	uint32_t steps;
	int64_t step_ns;
	/* Of memory: keep lifetimes, and what is held at own peaks of owners (ledger.h); `owner_of` NULL: not that. */
	bool lifetimes;
	ledger_owner_fn *owner_of;
	void *owner_data;
};

/* What an account has counted. */
struct results {
	const struct account *account;
	struct account_request request;
	struct grouping *grouping;
	const struct module_table *modules;
	const struct function_table *functions;
	struct module_labels labels;
	char **briefs; /* short names by function.name, made when they are needed */
	size_t briefs_nr;
	void *state; /* private to the account; NULL: the trace has nothing to count */
	/* Of results_play(): stacks with the root [truncated] before the range of the filter, and up to its end. */
	uint64_t truncated_before, truncated_until;

	/* Set by results_finish(). Entries are structs of the account. */
	const void *entries; /* by the keys of the grouping */
	size_t nr;
	/*
	 * What keys have with all that is called by them, where it is not in the entries; NULL: it is what they have
	 * themselves, or with `no_totals` unknown.
	 */
	const void *totals;
	bool no_totals;
	/* Instead of entries: see enum results_counts, and cpu_account_tallies(). */
	const struct stack_tally *tallies;
	size_t tallies_nr;
	const struct stack_table *counted;
	const void *total;               /* over what the filter lets through */
	const void *whole;               /* of the whole build, without the filter; NULL: unknown */
	struct memory_estimate estimate; /* all 0: nothing is estimated */
	struct touched_sample touched;   /* of touched memory */
	struct heap_oddities heap;       /* of blocks of heaps */
	struct heap_commits commits;     /* the same */
	/* No samples: not examined, or memory whose stacks were all unwound from copies. */
	struct stack_quality_result stacks;
	int64_t uncounted_bytes;     /* memory_account_uncounted() */
	int64_t gap_ns;              /* CPU time of stacks with [missing frames] */
	const struct ledger *ledger; /* of memory, for what it keeps more; else NULL */
};

/* A row of a view: the argument of the getters of columns. */
struct result_row {
	const struct results *results;
	uint32_t key;
	const void *entry;
	const void *total; /* the entry of its total; NULL: unknown */
};

/* Define get_<name>(), the getter of a column: a number of `entry`, a struct `type` of the account. */
#define ACCOUNT_NUMBER(type, name, value) \
	static void get_##name(const void *row, struct cell *cell) \
	{ \
		const struct type *entry = ((const struct result_row *)row)->entry; \
\
		cell_set_number(cell, value); \
	}

/*
 * The same with get_<name>_text(), for a number that an estimate may bring below zero, as it is subtracted from what is not
 * sampled (memory_account.h): text has no number then.
 */
#define ACCOUNT_ESTIMATE(type, name, value) \
	ACCOUNT_NUMBER(type, name, value) \
	static void get_##name##_text(const void *row, struct cell *cell) \
	{ \
		get_##name(row, cell); \
		cell->known = cell->number >= 0; \
	}

/* The same of the total of a row. */
#define ACCOUNT_TOTAL(type, name, value) \
	static void get_total_##name(const void *row, struct cell *cell) \
	{ \
		const struct type *entry = ((const struct result_row *)row)->total; \
\
		if (entry) \
			cell_set_number(cell, value); \
	} \
	static void get_total_##name##_text(const void *row, struct cell *cell) \
	{ \
		get_total_##name(row, cell); \
		cell->known = cell->known && cell->number >= 0; \
	}

struct metric {
	const char *name;            /* of --metric */
	const char *title;           /* of a graph */
	const char *help;            /* for --metric */
	const struct column *column; /* its type is the unit, its getter gets the value */
	const char *at; /* the moment of the value, as --at; NULL: it has none, or that of --at */
	bool moment;    /* the value is that of the moment of --at */
	bool shrinks;   /* the value may be negative without being an estimate */

	/* Optional: a note to show if all values of the metric are 0 but others of the account are not. */
	const char *nothing;
};

/* The columns of numbers in text, by enum group_by (NULL: the account has no such key), and how rows are sorted. */
struct account_text {
	const char *columns[BY_REGION + 1];
	const char *sort;
};

struct account {
	/* The events that it counts; stacks of memory events are allocations (group.h). */
	bool cpu, memory, touched, heap;
	bool switches;       /* context switches too, if keys are not found by stacks */
	bool estimates;      /* values of stacks may be estimates, which may be negative */
	const char *what;    /* it counts, for messages: "memory" */
	const char *nothing; /* the note to show if nothing was counted */
	size_t entry_size;
	struct table table; /* its columns, with the columns of all keys: what the help lists */
	struct account_text text;     /* without --at */
	struct account_text text_at;  /* with --at: has the column of that moment */
	const struct metric *metrics; /* ends with a row without a name */

	/* Start to count. Returns the state; NULL if the trace is known to have nothing to count. */
	void *(*begin)(struct results *results, struct replay *replay);

	/* Count an event that machine_apply() has seen. False: no more events are needed. */
	bool (*take)(void *state, const struct trace_event *event);

	/*
	 * After the last event: set the results; by stack the machine has no stacks afterwards. ERR_UNSUPPORTED, with the
	 * reason, if the trace has nothing to count.
	 */
	int (*finish)(struct results *results, struct replay *replay, struct err *err);

	void (*free)(void *state); /* accepts NULL */

	/*
	 * Whether an entry has anything to show; its rank: of rows with equal values in the sorted column, the one
	 * with the highest rank is first.
	 */
	bool (*has_value)(const void *entry);
	/* Optional: whether a key has something to show that is not in its entry. */
	bool (*has_more)(const struct results *results, uint32_t key);
	int64_t (*rank)(const void *entry);

	/* Whether nothing was counted. */
	bool (*is_empty)(const struct results *results);

	/* Optional: append a line for each reason why the numbers are incomplete, in addition to replay_explain(). */
	void (*explain)(const struct results *results, struct strbuf *notes);

	/* Append the facts of this account to the head. */
	void (*add_head)(const struct results *results, const struct trace_facts *facts,
			 bool filtered, struct head *head);
};

extern const struct account account_cpu;
extern const struct account account_memory;
/* Their columns are those of account_memory. */
extern const struct account account_touched, account_heap;

/* The kinds of memory, for --of, and their accounts, in the order of the names, which end with NULL. */
extern const char *const memory_kind_names[];
const struct account *memory_kind_account(int kind);

/* The `i`-th key that the account supports, for --by, and its name; after the last one -1 and NULL. */
int account_key(const struct account *account, size_t i);
const char *account_key_name(const struct account *account, size_t i);

/* Whether a table may have both keys. */
bool account_keys_pair(const struct account *account, size_t i, size_t other);

/* A table for one or two kinds of key. */
struct account_table {
	struct table table;
	const struct column *keys[16]; /* of the table */
	char *text, *identity;         /* its text_columns and identity */
};

/*
 * Make a table for the keys; release it. With `moment` the column of the moment of --at comes first. ERR_USAGE: one of the
 * keys has the columns of the other.
 */
int account_table_init(struct account_table *table, const struct account *account,
		       const enum group_by *by, size_t nr, bool moment, struct err *err);
void account_table_release(struct account_table *table);

/*
 * The `i`-th metric of all accounts, with its account in `*account`, and its name: both NULL after the last one; and
 * its help. Metrics of touched memory and of heaps have the names of those of memory, and are not among
 * them.
 */
const struct metric *metric_get(size_t i, const struct account **account);
const char *metric_name(size_t i);
const char *metric_help(size_t i);

/* The metric of an account with this name; NULL: it has none. */
const struct metric *metric_of(const struct account *account, const char *name);

int64_t metric_value(const struct metric *metric, const struct results *results, const void *entry);

/*
 * Play a trace, opened with the events of the account, and count them. ERR_UNSUPPORTED, with the reason alone, if it
 * has nothing to count. Release the results before the replay is closed, also after an error. All arguments are borrowed.
 */
int results_play(struct results *results, const struct account *account, struct replay *replay,
		 const struct account_request *request, struct err *err);

/* The same in steps, to play a trace once for several purposes. results->state is NULL if there is nothing to count. */
void results_begin(struct results *results, const struct account *account, struct replay *replay,
		   const struct account_request *request);
bool results_take(struct results *results, const struct trace_event *event);
int results_finish(struct results *results, struct replay *replay, struct err *err);
void results_release(struct results *results);

const void *results_entry(const struct results *results, size_t key);

/* The name of a function (function.name) for people: its short form, unless full names were requested. */
const char *results_function_name(const struct results *results, uint32_t name);

/*
 * Of a BY_STACK key, as text shows it: with short names, without the frames of the allocator. The function that asked for
 * memory; and the stack, whose names are borrowed.
 */
const char *results_asker_text(const struct results *results, const struct group *stack);
void results_stack_text(const struct results *results, const struct group *stack,
			struct cell *cell);

/* The share of the CPU time whose stacks have [missing frames], in percent. */
double results_gap_percent(const struct results *results);

/*
 * Whether so much was mapped without being committed (struct results.uncounted_bytes) that committed memory is not all that
 * was asked for.
 */
bool results_hide_a_heap(const struct results *results);

/* Whether one of the keys is of this kind. */
bool results_are_by(const struct results *results, enum group_by by);

/* The columns of all keys, in the order of the help: those of CPU time, and those of memory. Both end with NULL. */
extern const struct column *const key_columns_cpu[];
extern const struct column *const key_columns_memory[];

#endif
