/*
 * What a person wants to read when a recording has ended.
 */
#ifndef RECORD_SUMMARY_H
#define RECORD_SUMMARY_H

#include "util/err.h"
#include "util/strbuf.h"

/* Read the run at `dir` and append its summary; `bundle` is its bundle's path, NULL where there is none. */
int summary_add(const char *dir, const char *bundle, struct strbuf *sb, struct err *err);

#endif
