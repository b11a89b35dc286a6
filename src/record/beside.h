/*
 * Recorders that are a service beside the build (recorder/service.h), in one recording: their steps, with progress
 * shown and Ctrl-C heeded.
 */
#ifndef RECORD_BESIDE_H
#define RECORD_BESIDE_H

#include <stdbool.h>

#include "record/steps.h"
#include "recorder/service.h"

enum beside_wait {
	BESIDE_WAIT,    /* to its end */
	BESIDE_BRIEF,   /* a second Ctrl-C cuts it short */
	BESIDE_LEAVING, /* the same, but what is waited for goes on, which is told before */
};

struct beside {
	/* NULL: the recorder is none; nothing below does anything. */
	const struct recorder_service *service;
	struct session *session;
	struct service_session own;
	bool running;
	enum beside_wait wait;
	int interrupts; /* count when the wait began */
	bool told;
	int64_t since;   /* clock, when it began */
	size_t warnings; /* of the manifest that the user has seen */
	char *folder;
};

void beside_init(struct beside *beside, struct session *session);

/*
 * A recording that still runs, as some step has failed, is ended without being saved; or left as it is (`keep`) for
 * `recover` to save.
 */
void beside_release(struct beside *beside, bool keep);

/* Around calls of the service: progress is shown, then the warnings that it has put into the manifest. */
void beside_begin_wait(struct beside *beside, enum beside_wait wait);
void beside_end_wait(struct beside *beside);

int beside_start(struct beside *beside, struct err *err);

/* A mark that can't be made is a warning. */
void beside_mark(struct beside *beside, const char *text);

/*
 * Save the trace, and note how many events its recorder says it lost. A trace that is lost marks the run failed; -1
 * where it can still be saved, by `recover`.
 */
int beside_stop(struct beside *beside, struct err *err);

#endif
