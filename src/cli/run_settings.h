/*
 * Settings with which a run was recorded.
 */
#ifndef CLI_RUN_SETTINGS_H
#define CLI_RUN_SETTINGS_H

#include "gate/gate.h"
#include "rundir/source.h"

/*
 * Add the gates with which a run was recorded ([compare] fail-if), as gates_add_kept() does; none of what is no run, or has
 * no settings; if those cannot be read, one that says so.
 */
void run_settings_gates(const char *path, struct gates *gates);

/* The text of these gates, as it was given; NULL: there is none. The caller frees it. */
char *run_settings_gates_text(struct run_source *source);

/* The settings that decide what is built and recorded, without where, as lines; NULL: unknown. The caller frees it. */
char *run_settings_text(struct run_source *source);

#endif
