/*
 * What `recover` does about a recorder that is a service beside the build, and goes on when stagetrace is killed.
 */
#ifndef RECORD_RECOVER_SERVICE_H
#define RECORD_RECOVER_SERVICE_H

#include <stdio.h>

#include "rundir/manifest.h"
#include "util/err.h"

/*
 * Save the trace where there may be one, else end the recording; put all back that it has changed. A trace that is
 * lost, or has lost events, marks the run failed. -1 where it can be done later: rights or room are missing.
 */
int recover_service(const char *dir, struct manifest *manifest, FILE *messages, struct err *err);

#endif
