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
 * Restore all settings noted in the manifest, and drop the notes. A note of anything that profiler_may_restore() does not
 * know is dropped with a warning. False: a setting could not be restored now. It keeps its note and is reported;
 * guard_leave_undo() or a later `recover` restores it.
 */
bool settings_restore(struct manifest *manifest, FILE *messages);

/*
 * The guard, which knows them, will restore what is noted: drop the notes, as the run is complete. Without a guard they
 * stay.
 */
void settings_hand_over(struct manifest *manifest, const struct guard *guard);

/* Drop the notes, as the settings are not to be touched: print the commands instead. */
void settings_leave(struct manifest *manifest, FILE *messages);

#endif
