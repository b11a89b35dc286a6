/*
 * Is the stage 1 compiler there, and will its stacks and names be good? Asked where stage 1 is not built anew.
 */
#ifndef RECORD_COMPILER_CHECK_H
#define RECORD_COMPILER_CHECK_H

#include "recorder/finding.h"
#include "util/strvec.h"

/* `set` are the KEY=VALUE pairs for x.py (build.build-dir, build.build). */
void compiler_check(const char *source, const struct strvec *set, struct finding_list *findings);

#endif
