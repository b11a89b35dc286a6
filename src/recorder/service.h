/*
 * A recorder that is a service beside the build: started, marked and stopped by commands of a tool, it goes on
 * when we are gone. Whatever it is about to change is noted in the manifest before, as recorder.session, and
 * dropped from there when it is put back, so that `recover` can do the rest after a kill -9 at any moment.
 */
#ifndef RECORDER_SERVICE_H
#define RECORDER_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/finding.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/strbuf.h"

struct etw_ops;
struct recorder_job;
struct recorder_service;

struct service_session {
	const struct recorder_service *service;
	const struct recorder_job *job;
	struct manifest *manifest; /* of the run in job->dir; written before each step */
	/*
	 * Called some twenty times a second while a tool runs: `what` it is doing, and the bytes that its files
	 * have by now. True: don't wait any longer.
	 */
	bool (*progress)(const char *what, int64_t bytes, void *data);
	void *data;
	void *state; /* the recorder's own between calls; NULL at first, freed by its `release` */
};

/*
 * Snapshots of single processes, taken while a service records. Whatever is permitted for them is noted, and taken
 * back by the service's stop or cancel. Processes that have ended are no failure: they are left out of `pids`.
 */
struct recorder_snapshots {
	size_t processes_max; /* at a time */

	/* Permit snapshots of a process, if that is not done yet. ERR_NOT_FOUND: it has ended. */
	int (*permit)(struct service_session *session, int64_t pid, struct err *err);

	/* One of each. */
	int (*take)(struct service_session *session, int64_t *pids, size_t *nr, struct err *err);

	/* From now on one of each every `interval_ns`, and of no others; with none of these, no more at all. */
	int (*repeat)(struct service_session *session, int64_t interval_ns, int64_t *pids,
		      size_t *nr, struct err *err);

	/* It has ended, and what was permitted with it. */
	void (*forget)(struct service_session *session, int64_t pid);
};

struct recorder_service {
	/*
	 * Record from here on. A failure leaves nothing behind, and touches no recording that is not ours;
	 * ERR_UNSUPPORTED: rights are missing.
	 */
	int (*start)(struct service_session *session, struct err *err);

	/* Put a mark into the trace. */
	int (*mark)(struct service_session *session, const char *text, struct err *err);

	/*
	 * Save what was recorded to recorder_ops.trace in the run, as long as that takes, and put everything
	 * back; also for `recover`, of a session that another process began and may have stopped halfway.
	 * `*lost` is how many events were lost, -1 where that is not told. On a failure service_is_over() says
	 * whether the recording is lost (true) or can be saved by another try (false).
	 */
	int (*stop)(struct service_session *session, int64_t *lost, struct err *err);

	/* Throw away what was recorded and put everything back. Fails where that is not possible now. */
	int (*cancel)(struct service_session *session, struct err *err);

	/* Free session.state; the session itself is as it was. */
	void (*release)(struct service_session *session);

	/* What a dead recording, of which `manifest` in `dir` tells, has left on the system. */
	void (*find_leftovers)(const struct recorder_service *service,
			       const struct manifest *manifest, const char *dir,
			       struct finding_list *findings);

	/* The commands before (`end` false) and after the build, for a dry run. */
	void (*show)(const struct recorder_service *service, const struct recorder_job *job,
		     bool end, struct strbuf *sb);

	/*
	 * Folder in which the trace grows, whose disk needs room for it twice (the caller frees it), and how
	 * much it has written there.
	 */
	char *(*folder)(const struct recorder_job *job);
	int64_t (*written)(const char *folder);

	const struct recorder_snapshots *snapshots; /* NULL: it takes none */

	const struct etw_ops *calls; /* how those of recorder/etw.h word the calls of their tool */
};

/* Nothing is noted any more: no session of ours, no file, no changed setting. */
bool service_is_over(const struct manifest *manifest);

/* Note `value` (NULL: drop the note) and write the manifest. */
int service_note(struct service_session *session, const char *key, const char *value,
		 struct err *err);

#endif
