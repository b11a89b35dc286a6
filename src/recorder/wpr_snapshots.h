/*
 * Heap snapshots by wpr: of which processes they are permitted, and taking them.
 */
#ifndef RECORDER_WPR_SNAPSHOTS_H
#define RECORDER_WPR_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "recorder/etw.h"
#include "recorder/service.h"
#include "util/text.h"

/* Notes of a session in the manifest: of whom snapshots are permitted, "12 34" and "rustc.exe". */
#define SNAPSHOT_NOTE_PIDS     "snapshot_pids"
#define SNAPSHOT_NOTE_IMAGE    "snapshot_image"
#define SNAPSHOT_NOTE_PERIODIC "periodic_snapshots"

/* wpr takes them by itself no more often. */
#define SNAPSHOT_PERIOD_MIN (5 * NS_PER_S)

/* Does such a process run, with memory of its own? */
bool wpr_snapshots_is_there(int64_t pid);

/* Append "-snapshotconfig heap BY PIDS|IMAGE enable|disable"; `image` NULL: by `nr` numbers. */
void wpr_snapshots_add_config(const char *by, const int64_t *pids, size_t nr, const char *image,
			      bool enable, struct strvec *argv);

/* Permit them, before the recording starts: of an image whose processes are still to start; of running processes. */
int wpr_snapshots_permit_image(const struct etw_context *context, struct service_session *session,
			       const char *image, struct err *err);
int wpr_snapshots_permit_pids(const struct etw_context *context, struct service_session *session,
			      const struct config_numbers *wanted, struct err *err);

/* Undo all that is noted; hook of etw_ops. */
int wpr_snapshots_put_back(const struct etw_context *context, struct service_session *session,
			   struct err *err);

extern const struct recorder_snapshots wpr_snapshots;

/* The calls of the recording that they are taken in (wpr_heap.c). */
extern const struct etw_ops wpr_heap_calls;

#endif
