/*
 * Settings with which a run was recorded.
 */
#ifndef CLI_RUN_SETTINGS_H
#define CLI_RUN_SETTINGS_H

#include "rundir/source.h"
#include "util/err.h"
#include "util/strvec.h"

/*
 * Add the gates with which a run was recorded ([compare] fail-if); none of what is no run, or has no settings. ERR_USAGE:
 * one of them is no gate of this version, and none was added. Else its settings cannot be read.
 */
int run_settings_gates(const char *path, struct strvec *gates, struct err *err);

/* The text of these gates, as it was given; NULL: there is none. The caller frees it. */
char *run_settings_gates_text(struct run_source *source);

/* The settings that decide what is built and recorded, without where, as lines; NULL: unknown. The caller frees it. */
char *run_settings_text(struct run_source *source);

#endif
