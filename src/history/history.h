/*
 * The history: results of many runs in a data base, as series of values by time. A series belongs to the runs of one
 * configuration on one host, a setup: only those can be compared.
 */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/measure.h"
#include "history/database.h"
#include "util/err.h"

/* What a series is of. */
enum history_kind {
	HISTORY_BUILD,
	HISTORY_PART,
	HISTORY_ROLE,
	HISTORY_PART_ROLE, /* a role of a part */
	HISTORY_CRATE,     /* the compilers of a crate, by its type and part */
	HISTORY_PART_CRATE, /* all processes of a crate of a part: as `compare` and gates count a crate */
	HISTORY_PHASE,    /* a phase of a part */
	HISTORY_FUNCTION, /* of a crate */
	HISTORY_KINDS
};

/* "build", "role", ... ends with NULL. */
extern const char *const history_kind_names[];

enum history_text {
	TEXT_PART,
	TEXT_ROLE,
	TEXT_CRATE,
	TEXT_CRATE_TYPE,
	TEXT_PHASE,
	TEXT_MODULE,
	TEXT_FUNCTION,
	HISTORY_TEXTS
};

/* The names of their columns, in the enum's order; ends with NULL. */
extern const char *const history_text_names[];

/* The columns of measures in the table of results, by enum measure. */
extern const char *const history_columns[MEASURES_KEPT];

/* The values of one series in one run. */
struct history_row {
	enum history_kind kind;
	char *texts[HISTORY_TEXTS]; /* NULL is "" */
	struct measures values;
};

/* A run. Texts that are not known are NULL, numbers -1; of a run that was read from a data base they are owned by it. */
struct history_run {
	int64_t id; /* in the data base */
	char *name, *config, *host;
	int64_t time_ms; /* when it began, since 1970 */
	char *commit, *branch;
	int64_t dirty; /* files that differ from the commit */
	char *version, *recorder, *kernel, *cpu;
	int64_t cpus;
	char *settings;           /* a hash of those that decide what is built */
	char *gates;              /* [compare] fail-if, separated by commas */
	bool failed;              /* or it is not whole, or compiled nothing */
	int64_t lost;             /* events */
	int64_t foreign_permille; /* of the CPU time of the machine that others used */
};

void history_run_release(struct history_run *run);

/* Open a history (database.h); one opened for writing is made, and brought to this version. */
int history_open(const char *place, enum db_access access, struct database **db, struct err *err);

/*
 * Add a run with its results, all or nothing. `*added`: false if it was there already: nothing changes then. But one that
 * is there as failed is replaced by itself if it did not fail. Texts that are not UTF-8 have U+FFFD for what is not.
 */
int history_add(struct database *db, const struct history_run *run, const struct history_row *rows,
		size_t rows_nr, bool *added, struct err *err);

/* Which runs; what is NULL or 0 does not limit. */
struct history_filter {
	const char *config, *host, *name;
	int64_t from_ms, to_ms; /* to_ms is not included */
	int64_t last;           /* only the newest so many */
};

/* Runs, the oldest first. */
struct history_runs {
	struct history_run *v;
	size_t nr, alloc;
};

int history_get_runs(struct database *db, const struct history_filter *filter,
		     struct history_runs *runs, struct err *err);
void history_runs_release(struct history_runs *runs);

/* The configurations and hosts that have runs, those with the newest run first: of each that run. */
int history_get_setups(struct database *db, const struct history_filter *filter,
		       struct history_runs *newest, struct err *err);

/* A series of a setup. */
struct history_series {
	int64_t id;
	enum history_kind kind;
	char *texts[HISTORY_TEXTS]; /* "" for those that it has not */
};

struct history_series_list {
	struct history_series *v;
	size_t nr, alloc;
};

/* Those of a configuration and a host whose texts are equal to all that are given (not NULL); a kind below 0 is any. */
int history_get_series(struct database *db, const char *config, const char *host, int kind,
		       const char *const texts[HISTORY_TEXTS], struct history_series_list *list,
		       struct err *err);
void history_series_release(struct history_series_list *list);

/* Append what a series is of, in words: "crate rustc_middle of stage1-rustc". */
struct strbuf;
void history_series_name(const struct history_series *series, struct strbuf *sb);

/* The values of a series. */
struct history_point {
	int64_t run, time_ms; /* of the run: its id */
	struct measures values;
};

struct history_points {
	struct history_point *v; /* the oldest first */
	size_t nr, alloc;
};

/* The newest `last` (0: all) of those from `from_ms` on. */
int history_get_points(struct database *db, int64_t series, int64_t from_ms, int64_t last,
		       struct history_points *points, struct err *err);
void history_points_release(struct history_points *points);

/*
 * The noise of a key from run to run (series_noise(), and no less than its excursions ask for) by measure, of the newest
 * `last` (0: all) runs of a configuration
 * on a host that did not fail, for a comparison that has one run a side. It is below 0 where fewer than
 * SERIES_NOISE_VALUES values are known, or if the texts stand for several series.
 */
int history_noise(struct database *db, const char *config, const char *host, enum history_kind kind,
		  const char *const texts[HISTORY_TEXTS], int64_t last, double noise[MEASURES_KEPT],
		  struct err *err);

/* A change that is known: values from `time_ms` on are a series of their own. */
struct history_acknowledged {
	int64_t series;  /* 0: all of the setup */
	int64_t time_ms; /* of the first run after the change */
	char *metric;    /* "": all */
	char *run, *note;
};

struct history_acknowledgements {
	struct history_acknowledged *v;
	size_t nr, alloc;
};

/* Add changes that begin in a run (their `time_ms` and `run` are those of it), all or nothing. */
int history_acknowledge(struct database *db, const struct history_run *run,
			const struct history_acknowledged *changes, size_t nr, struct err *err);
int history_get_acknowledged(struct database *db, const char *config, const char *host,
			     struct history_acknowledgements *list, struct err *err);
void history_acknowledgements_release(struct history_acknowledgements *list);

/*
 * Remove the runs that began before `to_ms`, of the configuration and the host of the filter, with their results. What else
 * the filter has does not count. `*removed`: how many.
 */
int history_prune(struct database *db, const struct history_filter *filter, int64_t *removed,
		  struct err *err);

/*
 * All results of the runs of a filter, by run: called with the texts and numbers of columns of the view `point`
 * (history_export_columns, which ends with NULL).
 */
extern const char *const history_export_columns[];
int history_export(struct database *db, const struct history_filter *filter, db_row_fn *take,
		   void *data, struct err *err);

#endif
