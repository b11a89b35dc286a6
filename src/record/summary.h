/*
 * The summary of a recording that is printed at its end.
 */
#ifndef RECORD_SUMMARY_H
#define RECORD_SUMMARY_H

#include "util/err.h"
#include "util/strbuf.h"

/* Read the run at `dir` and append its summary; `bundle` is the path of its bundle; NULL: none. */
int summary_add(const char *dir, const char *bundle, struct strbuf *sb, struct err *err);

#endif
