#include "record/recover_recorder.h"

#include <stdlib.h>

#include "config/config.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/process_id.h"
#include "record/status.h"
#include "recorder/recorder.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define TICK_NS      (50 * NS_PER_MS)
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

static int finish(const struct recorder_ops *recorder, const struct recorder_job *job,
		  struct manifest *manifest, FILE *messages, struct err *err)
{
	struct waiting waiting = { .since = clock_now() };
	struct service_session session = {
		.service = recorder->service,
		.job = job,
		.manifest = manifest,
		.progress = show_progress,
		.data = &waiting,
	};
	size_t warnings = manifest->warnings.nr;
	int rc;

	status_init(&waiting.status, messages);
	fprintf(messages, "stagetrace: %s\n",
		manifest->state < RUN_RECORDING ? "ending the recorder" : "saving the trace");
	rc = manifest->state < RUN_RECORDING ? recorder->service->cancel(&session, err)
					     : save(recorder, &session, err);
	recorder->service->release(&session);
	status_wipe(&waiting.status);
	for (size_t i = warnings; i < manifest->warnings.nr; i++)
		fprintf(messages, "stagetrace: warning: %s\n", manifest->warnings.v[i]);
	return rc;
}

const struct manifest_command *recover_living_command(const struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->commands_nr; i++) {
		const char *process = manifest->commands[i].process;

		if (process && process_id_lives(process))
			return &manifest->commands[i];
	}
	return NULL;
}

/* What its files have by now: as long as they change, it gets on. */
static int64_t written(const struct recorder_ops *recorder, const struct recorder_job *job)
{
	int64_t bytes;
	char *path;

	if (!recorder->service && !recorder->trace)
		return -1;
	path = recorder->service ? recorder->service->folder(job)
				 : fs_join(job->dir, recorder->trace);
	bytes = recorder->service ? recorder->service->written(path) : fs_size(path);
	free(path);
	return bytes;
}

/* Until it has ended; false where its files have not changed for longer than the run's patience. */
static bool wait_for_end(const struct recorder_ops *recorder, const struct recorder_job *job,
			 const struct manifest_command *command, FILE *messages)
{
	struct waiting waiting = { .since = clock_now() };
	int64_t patience = job->config->stop_timeout_ns, changed = waiting.since, bytes = -1;
	bool patient = true;

	status_init(&waiting.status, messages);
	while (patient && process_id_lives(command->process)) {
		int64_t now = clock_now(), size = written(recorder, job);

		if (size != bytes)
			changed = now;
		bytes = size;
		patient = !patience || now - changed <= patience;
		show_progress("waiting for the recorder", bytes, &waiting);
		clock_sleep(TICK_NS);
	}
	status_wipe(&waiting.status);
	return patient;
}

static int await_command(const struct recorder_ops *recorder, const struct recorder_job *job,
			 const struct manifest_command *command, FILE *messages, struct err *err)
{
	const char *verb = command->argv.nr > 1 ? command->argv.v[1] : "";
	long long number = process_id_number(command->process);

	fprintf(messages,
		"stagetrace: %s %s of the dead recording is still at work (process %lld)\n",
		recorder->name, verb, number);
	if (wait_for_end(recorder, job, command, messages))
		return 0;
	return err_set(
		err, ERR_FAILED,
		"%s %s, process %lld, does not get on, and would undo what is put back: wait for "
		"its end or end that process, then recover again",
		recorder->name, verb, number);
}

static int recover_here(const struct recorder_ops *recorder, const char *dir,
			struct manifest *manifest, FILE *messages, struct err *err)
{
	struct config config = CONFIG_INIT;
	struct recorder_job job = { .config = &config, .dir = dir };
	const struct manifest_command *command;
	int rc = 0;

	read_config(dir, &config);
	while (!rc && (command = recover_living_command(manifest)))
		rc = await_command(recorder, &job, command, messages, err);
	for (size_t i = 0; i < manifest->commands_nr && !rc; i++)
		manifest_set_process(&manifest->commands[i], NULL);
	if (!rc && recorder->service && !service_is_over(manifest))
		rc = finish(recorder, &job, manifest, messages, err);
	config_release(&config);
	return rc;
}

int recover_recorder(const char *dir, struct manifest *manifest, FILE *messages, struct err *err)
{
	const struct recorder_ops *recorder =
		manifest->recorder ? recorder_find(manifest->recorder) : NULL;

	if (!recorder)
		return 0;
	if (recorder->suits(recorder))
		return recover_here(recorder, dir, manifest, messages, err);
	if (!recorder->service || service_is_over(manifest))
		return 0;
	strvec_pushf(&manifest->warnings, "the run was recovered on another system than that of "
					  "its recorder, which may still "
					  "record");
	fprintf(messages, "stagetrace: warning: %s\n",
		manifest->warnings.v[manifest->warnings.nr - 1]);
	return 0;
}
