/*
 * Checks an existing stage 1 compiler (--skip-stage1): is it present, and does it have symbols, lines and frame pointers?
 */
#ifndef RECORD_COMPILER_CHECK_H
#define RECORD_COMPILER_CHECK_H

#include "profiler/finding.h"
#include "util/strvec.h"

/* Add findings about the compiler built in checkout `source`. `set`: the KEY=VALUE settings of x.py (build.build-dir, build.build). */
void compiler_check(const char *source, const struct strvec *set, struct finding_list *findings);

#endif
