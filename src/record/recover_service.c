#include "record/recover_service.h"

#include <stdlib.h>

#include "config/config.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "record/status.h"
#include "recorder/recorder.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define STOP_TIMEOUT (30 * 60 * NS_PER_S) /* where the run's configuration can't be read */

struct waiting {
	struct status status;
	int64_t since;
};

static bool show_progress(const char *what, int64_t bytes, void *data)
{
	struct waiting *waiting = data;

	if (status_due(&waiting->status)) {
		struct status_facts facts = {
			.what = what,
			.elapsed_ns = clock_now() - waiting->since,
			.trace_bytes = bytes,
			.lost = -1,
		};

		status_show(&waiting->status, &facts);
	}
	return false;
}

static void read_config(const char *dir, struct config *config)
{
	char *path = fs_join(dir, RUN_CONFIG);
	struct strvec none = STRVEC_INIT;
	struct err err = ERR_INIT;

	if (config_load(path, &none, config, &err))
		config->stop_timeout_ns = STOP_TIMEOUT;
	err_clear(&err);
	free(path);
}

/* Later it may work: with more rights, with more room. */
static bool may_wait(const struct err *err)
{
	return err->code == ERR_UNSUPPORTED || err->code == ERR_NO_SPACE ||
	       err->code == ERR_NOT_FOUND;
}

static void note_reason(struct manifest *manifest, char *reason)
{
	if (manifest->reason)
		free(reason);
	else
		manifest->reason = reason;
}

/* It is in the run: what failed is what comes after. */
static bool has_trace(const struct recorder_ops *recorder, const char *dir)
{
	char *path = fs_join(dir, recorder->trace);
	bool has = fs_size(path) > 0;

	free(path);
	return has;
}

/* Once more: what can't be saved now, and not by waiting, is given up. */
static int save(const struct recorder_ops *recorder, struct service_session *session,
		struct err *err)
{
	struct manifest *manifest = session->manifest;
	int64_t lost = -1;
	int rc = recorder->service->stop(session, &lost, err);

	if (!rc) {
		manifest->lost_trace_events = lost;
		return 0;
	}
	if (!service_is_over(manifest) && (may_wait(err) || has_trace(recorder, session->job->dir)))
		return -1;
	note_reason(manifest, xasprintf("the trace is lost: %s", err->msg));
	err_clear(err);
	return recorder->service->cancel(session, err);
}

static int finish(const struct recorder_ops *recorder, const char *dir, struct manifest *manifest,
		  FILE *messages, struct err *err)
{
	struct config config = CONFIG_INIT;
	struct recorder_job job = { .config = &config, .dir = dir };
	struct waiting waiting = { .since = clock_now() };
	struct service_session session = {
		.service = recorder->service,
		.job = &job,
		.manifest = manifest,
		.progress = show_progress,
		.data = &waiting,
	};
	size_t warnings = manifest->warnings.nr;
	int rc;

	status_init(&waiting.status, messages);
	read_config(dir, &config);
	fprintf(messages, "stagetrace: %s\n",
		manifest->state < RUN_RECORDING ? "ending the recorder" : "saving the trace");
	rc = manifest->state < RUN_RECORDING ? recorder->service->cancel(&session, err)
					     : save(recorder, &session, err);
	recorder->service->release(&session);
	status_wipe(&waiting.status);
	for (size_t i = warnings; i < manifest->warnings.nr; i++)
		fprintf(messages, "stagetrace: warning: %s\n", manifest->warnings.v[i]);
	config_release(&config);
	return rc;
}

int recover_service(const char *dir, struct manifest *manifest, FILE *messages, struct err *err)
{
	const struct recorder_ops *recorder =
		manifest->recorder ? recorder_find(manifest->recorder) : NULL;

	if (!recorder || !recorder->service || service_is_over(manifest))
		return 0;
	if (recorder->suits())
		return finish(recorder, dir, manifest, messages, err);
	strvec_pushf(&manifest->warnings, "the run was recovered on another system than that of "
					  "its recorder, which may still "
					  "record");
	fprintf(messages, "stagetrace: warning: %s\n",
		manifest->warnings.v[manifest->warnings.nr - 1]);
	return 0;
}
