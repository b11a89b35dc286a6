/*
 * What the actions of the command `history` share: their options, and the runs and series that they are about.
 */
#ifndef CLI_HISTORY_ACTIONS_H
#define CLI_HISTORY_ACTIONS_H

#include <stdbool.h>

#include "cli/view_options.h"
#include "compare/levels.h"
#include "history/history.h"
#include "util/err.h"
#include "util/strvec.h"

struct history_values {
	struct view_values view; /* first; its traces are the action and its arguments */
	const char *db, *config, *host;
	const char *part, *role, *crate, *crate_type, *phase, *function;
	bool whole; /* of the crate */
	int metric; /* of measure_names; -1: not given */
	int64_t last;
	const char *since, *before, *keep;
	const char *bundles;
	const char *min_effect;
	struct strvec fail_if;
	const char *note;
};

/* Formats of a trend besides those of tables (enum table_format). */
enum { TREND_SVG = 4, TREND_HTML };

extern const struct opt_choices history_formats;

/* The data base of --db (NULL: not given), else of STAGETRACE_HISTORY, else runs/history.sqlite. The caller frees it. */
char *history_place(const char *db);

/*
 * history_open() of that place. What a file that is only read may cost is limited by its size: pages of a stranger's may
 * share rows, so that it has any number of them. `add` reads runs, which have limits of their own.
 */
int history_open_place(const struct history_values *values, enum db_access access,
		       struct database **db, struct err *err);

/* "2026-01-31" or a UTC time, in milliseconds; 0 without a text. */
int history_get_date(const char *option, const char *text, int64_t *time_ms, struct err *err);

/* The runs of one configuration on one host, and what is known of their changes. */
struct history_scope {
	struct database *db;
	char *config, *host;
	struct history_runs runs; /* those that did not fail; the oldest first */
	char *doubt;              /* why the newest run cannot be judged; NULL: it can */
	struct history_acknowledgements acknowledged;
};

/* Runs that `show` and `check` look at without --last. */
#define HISTORY_LAST 365

/*
 * Open the data base for reading, and choose the configuration and host: of the options, else of the newest run; a
 * note says so if there are others. Release the scope in any case.
 */
int history_scope_open(const struct history_values *values, struct history_scope *scope,
		       struct err *err);
void history_scope_release(struct history_scope *scope);

/* Whether options name series: without them it is the whole build. */
bool history_names_series(const struct history_values *values);

/* The series that options name, of any kind; without options the whole build. */
int history_scope_series(const struct history_values *values, struct history_scope *scope,
			 struct history_series_list *list, struct err *err);

/* Whether a run of the scope is before a change, which begins in a run: of runs of one moment the order counts. */
bool history_is_before(const struct history_scope *scope, size_t run,
		       const struct history_acknowledged *change);

/* A series with its levels. */
struct history_trend {
	struct history_points points; /* of the runs of the scope, where the measure is known */
	size_t *runs;                 /* by point: its run in the scope */
	int64_t *values, *times_ms;   /* by point */
	size_t nr;
	struct levels levels; /* v is NULL: there are too few values */
};

/* Read the points of a series, and find their levels: what is acknowledged begins a level, of strength 0. */
int history_trend_read(const struct history_scope *scope, const struct history_series *series,
		       enum measure measure, struct history_trend *trend, struct err *err);

/* The same of points that were read: the trend takes them. */
void history_trend_make(const struct history_scope *scope, int64_t series, enum measure measure,
			struct history_points *points, struct history_trend *trend);
void history_trend_release(struct history_trend *trend);

enum column_type history_type(enum measure measure);

/* The actions: each returns an exit code, or -1. `args` are those after the action. */
int history_run_add(const struct history_values *values, const struct strvec *args,
		    struct err *err);
int history_run_list(const struct history_values *values, const struct strvec *args,
		     struct err *err);
int history_run_show(const struct history_values *values, const struct strvec *args,
		     struct err *err);
int history_run_check(const struct history_values *values, const struct strvec *args,
		      struct err *err);
int history_run_acknowledge(const struct history_values *values, const struct strvec *args,
			    struct err *err);
int history_run_export(const struct history_values *values, const struct strvec *args,
		       struct err *err);
int history_run_prune(const struct history_values *values, const struct strvec *args,
		      struct err *err);

#endif
