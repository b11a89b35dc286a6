/*
 * Heap snapshots of selected processes while a recording runs: the compilers of the crates in [heap] crate, as the
 * tracker sees them, or the processes in [heap] pid.
 */
#ifndef RECORD_SNAPSHOTS_H
#define RECORD_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/service.h"
#include "record/tracker.h"

struct snapshots;

/*
 * Both arguments are borrowed; `tracker` is NULL with [heap] pid. Returns NULL if the recording takes no snapshots.
 */
struct snapshots *snapshots_new(struct service *service, const struct tracker *tracker);
void snapshots_free(struct snapshots *snapshots);

/*
 * Take the snapshots that are due; to be called many times a second. Adds the snapshots, and failures as warnings, to
 * the manifest.
 */
void snapshots_take_due(struct snapshots *snapshots);

/* With [heap] pid: are all requested snapshots taken, or have the processes ended? */
bool snapshots_are_finished(const struct snapshots *snapshots);

/* Take no more snapshots; to be called before the recording is stopped. If none was taken the run is marked failed. */
void snapshots_end(struct snapshots *snapshots);

/*
 * The age of a process, in ns, at which its snapshot number `*n`, from 0, is due; -1: there are no more. The one before
 * it was taken at the age `age_ns`. None is lost because wpr was slow: of the times of `at` that have passed, the last is
 * due at once, and `*n` is set to its number; with `interval` the next multiple of it is waited for.
 */
int64_t snapshot_due(const struct config_heap *heap, size_t *n, int64_t age_ns);

#endif
