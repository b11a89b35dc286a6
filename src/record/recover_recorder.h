/*
 * What `recover` does about a recorder that goes on when stagetrace is killed: one that is a service beside the build, and
 * any that was at work at that moment.
 */
#ifndef RECORD_RECOVER_RECORDER_H
#define RECORD_RECOVER_RECORDER_H

#include <stdio.h>

#include "rundir/manifest.h"
#include "util/err.h"

/* A command of a dead recording's recorder that is still at work; NULL: there is none. */
const struct manifest_command *recover_living_command(const struct manifest *manifest);

/*
 * Wait for the end of such, which would come after what is put back. Then save the trace where there may be one, else end
 * the recording; put all back that it has changed. A trace that is lost, or has lost events, marks the run failed. -1
 * where it can be done later: rights or room are missing, or what is waited for does not get on.
 */
int recover_recorder(const char *dir, struct manifest *manifest, FILE *messages, struct err *err);

#endif
