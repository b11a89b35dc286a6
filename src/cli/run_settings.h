/*
 * Settings with which a run was recorded.
 */
#ifndef CLI_RUN_SETTINGS_H
#define CLI_RUN_SETTINGS_H

#include "rundir/source.h"
#include "util/err.h"
#include "util/strvec.h"

/*
 * Add the gates with which a run was recorded ([compare] fail-if); none if its settings cannot be read. ERR_USAGE: one of
 * them is no gate of this version.
 */
int run_settings_gates(const char *path, struct strvec *gates, struct err *err);

/* The settings that decide what is built and recorded, without where, as lines; NULL: unknown. The caller frees it. */
char *run_settings_text(struct run_source *source);

#endif
