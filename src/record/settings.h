/*
 * Settings of the system that a recorder wants changed: noted in the manifest and told to the guard before,
 * put back after.
 */
#ifndef RECORD_SETTINGS_H
#define RECORD_SETTINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "platform/guard.h"
#include "recorder/recorder.h"
#include "rundir/manifest.h"

/*
 * Change them. One that can't be changed is a warning in the manifest, not an error, unless it is needed; failing to
 * note one (the manifest can't be written) is.
 */
int settings_change(const struct recorder_settings *settings, struct manifest *manifest,
		    const char *dir, struct guard *guard, struct err *err);

/*
 * Put back all that the manifest notes, and drop the notes. What can't be put back now keeps its note, and is
 * told: then false, and guard_leave_undo() or a later `recover` does it.
 */
bool settings_put_back(struct manifest *manifest, FILE *messages);

#endif
