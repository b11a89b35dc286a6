/*
 * `report BASE NEW`: two runs side by side.
 */
#ifndef CLI_REPORT_PAIR_H
#define CLI_REPORT_PAIR_H

#include <stdbool.h>
#include <stdio.h>

#include "util/err.h"
#include "util/strvec.h"

/* Whether these are two runs, and not the files of one bare trace. */
bool report_is_pair(const struct strvec *paths);

/* Compare both runs. The caller writes the page, and releases it in any case. */
struct report_pair;
int report_pair_open(const struct strvec *paths, struct report_pair **pair, struct err *err);
void report_pair_write(const struct report_pair *pair, FILE *out);
void report_pair_free(struct report_pair *pair); /* accepts NULL */

#endif
