/*
 * `report BASE NEW`: two sides of runs, compared in a page.
 */
#ifndef CLI_REPORT_PAIR_H
#define CLI_REPORT_PAIR_H

#include <stdbool.h>
#include <stdio.h>

#include "util/err.h"
#include "util/strvec.h"

/*
 * Whether these are two sides: the traces before and after "--", or two runs without it, and not the files of one bare
 * trace.
 */
bool report_is_pair(const struct strvec *before, const struct strvec *after);

/* Compare both sides, with `db` as --db of `compare`. The caller writes the page, and releases it in any case. */
struct report_pair;
int report_pair_open(const struct strvec *before, const struct strvec *after, const char *db,
		     struct report_pair **pair, struct err *err);
void report_pair_write(const struct report_pair *pair, FILE *out);
void report_pair_free(struct report_pair *pair); /* accepts NULL */

#endif
