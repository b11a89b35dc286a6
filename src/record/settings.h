/*
 * System settings that a profiler needs changed. Before a change, the old value is noted in the manifest and passed to
 * the guard; it is restored after the recording.
 */
#ifndef RECORD_SETTINGS_H
#define RECORD_SETTINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "platform/guard.h"
#include "profiler/profiler.h"
#include "rundir/manifest.h"

/*
 * Change the settings. A setting that cannot be changed is a warning in the manifest, or an error if it is `needed`. A
 * manifest that cannot be written is an error.
 */
int settings_change(const struct profiler_settings *settings, struct manifest *manifest,
		    const char *dir, struct guard *guard, struct err *err);

/*
 * Restore all settings noted in the manifest, and drop the notes. False: a setting could not be restored now. It keeps
 * its note and is reported; guard_leave_undo() or a later `recover` restores it.
 */
bool settings_restore(struct manifest *manifest, FILE *messages);

#endif
