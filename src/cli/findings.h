/*
 * A recording's configuration and preflight on the command line, shared by `check` and `record`.
 */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "config/config.h"
#include "recorder/finding.h"
#include "util/err.h"
#include "util/strvec.h"

/* Print findings, what is wrong last; with `all` also what is as it should be. */
void findings_print(const struct finding_list *findings, bool all, FILE *out);

/* Read the configuration, with --set and --out applied; --out is relative to the working directory. */
int findings_load_config(const char *path, const struct strvec *set, const char *out,
			 struct config *config, struct err *err);

/* The same of a configuration that is all in --set; `name` is what its runs are called. */
int findings_load_empty(const char *name, const struct strvec *set, const char *out,
			struct config *config, struct err *err);

#endif
