/*
 * Heap snapshots of chosen processes while a recording runs: the compilers of the crates that [heap] names, as the
 * tracker sees them, or the processes that it names themselves.
 */
#ifndef RECORD_SNAPSHOTS_H
#define RECORD_SNAPSHOTS_H

#include <stdbool.h>

#include "record/beside.h"
#include "record/tracker.h"

struct snapshots;

/*
 * Both are borrowed; without a tracker it is about the processes of [heap] pid, from now on. NULL where the
 * recording has no snapshots.
 */
struct snapshots *snapshots_new(struct beside *beside, const struct tracker *tracker);
void snapshots_free(struct snapshots *snapshots);

/*
 * Take what is due; to be called many times a second. What fails is a warning in the manifest, where those that
 * were taken are noted too.
 */
void snapshots_look(struct snapshots *snapshots);

/* Of processes that run already: all that were asked for are taken, or these processes have ended. */
bool snapshots_are_over(const struct snapshots *snapshots);

/* Before the recording is stopped: no more of them. That there is none at all marks the run failed. */
void snapshots_end(struct snapshots *snapshots);

#endif
