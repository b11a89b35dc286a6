/*
 * The view `symbols`: which modules of a trace have names, which not and why, with their shares of CPU time and memory.
 */
#ifndef REPORT_SYMBOLS_VIEW_H
#define REPORT_SYMBOLS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/replay.h"
#include "report/account.h"
#include "report/table.h"
#include "util/strset.h"

/* A module, or what has none: "[not sampled]". */
struct symbols_row;

/* Rows, as the table functions take and sort them. */
struct symbols_rows {
	const void **v;
	size_t nr, alloc;
	struct strset keys;   /* as in `v` until symbols_rows_finish() */
	int64_t cpu_ns, size; /* of all rows; -1: not counted */
};

#define SYMBOLS_ROWS_INIT \
	{ \
		.keys = STRSET_INIT, .cpu_ns = -1, .size = -1 \
	}

extern const struct table symbols_table;

/*
 * Add what account_cpu or an account of memory has counted by function, of each module, and what is known of its names.
 * All is copied.
 */
void symbols_rows_add(struct symbols_rows *rows, const struct results *results,
		      struct symbolizer *symbolizer);

/*
 * Add modules in whose code nothing was counted: those of the table whose number is set in `which`, which has `nr`
 * elements. All is copied.
 */
void symbols_rows_add_loaded(struct symbols_rows *rows, const struct module_table *modules,
			     const bool *which, size_t nr, struct symbolizer *symbolizer);

/*
 * Pass the modules of rows to `take`, those with the most CPU time first, of which a server may have what is missing: PDBs,
 * debug files of stripped programs. They are valid as long as the rows.
 */
void symbols_rows_missing(const struct symbols_rows *rows,
			  bool (*take)(void *data, const struct module *module), void *data);

/* Call it after adding: rows that are equal in the sorted column are by memory then. */
void symbols_rows_finish(struct symbols_rows *rows);

void symbols_rows_release(struct symbols_rows *rows);

#endif
