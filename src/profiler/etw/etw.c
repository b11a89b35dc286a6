#include "profiler/etw/etw.h"

#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/fs.h"
#include "profiler/etw/etw_files.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define INTERVAL_DEFAULT "default"
#define STATUS_MAX       (1 << 20)

/* A call that takes longer without writing to a file counts as hung. */
#define PATIENCE_NS (5 * 60 * NS_PER_S)

int64_t etw_interval(const struct profiler_job *job)
{
	int64_t interval = job->config->cpu_interval_ns / 100;

	return interval < ETW_INTERVAL_MIN   ? ETW_INTERVAL_MIN
	       : interval > ETW_INTERVAL_MAX ? ETW_INTERVAL_MAX
					     : interval;
}

void etw_context_init(struct etw_context *context, const struct etw_calls *calls,
		      const struct profiler_job *job)
{
	*context = (struct etw_context){ .calls = calls, .job = job };
	etw_tool_find(calls->tool->name, &context->tool);
	context->instance = etw_files_instance(job->dir);
	context->work_dir = etw_files_dir(job);
	context->tool_work_dir = etw_tool_path(context->work_dir);
}

void etw_context_release(struct etw_context *context)
{
	etw_tool_release(&context->tool);
	free(context->instance);
	free(context->work_dir);
	free(context->tool_work_dir);
}

void etw_context_use_notes(struct etw_context *context, const struct manifest *manifest,
			   const char *dir)
{
	const char *instance = manifest_noted(manifest, NOTE_INSTANCE),
		   *noted_dir = manifest_noted(manifest, NOTE_DIR);

	if (etw_files_is_instance(instance)) {
		free(context->instance);
		context->instance = xstrdup(instance);
	}
	free(context->work_dir);
	free(context->tool_work_dir);
	if (noted_dir && !strcmp(text_file_name(noted_dir), context->instance))
		context->work_dir = xstrdup(noted_dir);
	else
		context->work_dir = fs_join(dir, RUN_RECORDER_TEMP);
	context->tool_work_dir = etw_tool_path(context->work_dir);
}

/* The session's context, made at its first use: of a new recording, or of one that is noted. */
static struct etw_context *find_context(struct profiler_session *session, bool new)
{
	struct etw_context *context = session->state;

	if (!context) {
		session->state = context = xcalloc(1, sizeof(*context));
		etw_context_init(context, session->profiler->etw, session->job);
		context->session = session;
		if (!new)
			etw_context_use_notes(context, session->manifest, session->job->dir);
	}
	return context;
}

static int check_tool(const struct etw_context *context, struct err *err)
{
	if (context->tool.path)
		return 0;
	return err_set(err, ERR_NOT_FOUND, "there is no %s on this machine",
		       context->calls->tool->name);
}

struct etw_context *etw_open(struct profiler_session *session, struct err *err)
{
	struct etw_context *context = find_context(session, false);

	return check_tool(context, err) ? NULL : context;
}

void etw_release(struct profiler_session *session)
{
	if (session->state)
		etw_context_release(session->state);
	free(session->state);
	session->state = NULL;
}

struct strvec etw_argv(const struct etw_context *context)
{
	struct strvec argv = STRVEC_INIT;

	strvec_push(&argv, context->tool.path ? context->tool.path : context->tool.name);
	return argv;
}

/* Run a call to its end, whatever its exit code; -1: it does not end. */
static int call_tool(const struct etw_context *context, const struct strvec *argv, const char *what,
		     struct etw_result *result, struct err *err)
{
	const struct etw_call call = {
		.what = what,
		.dir = what ? context->work_dir : NULL,
		.patience = PATIENCE_NS,
	};

	if (!context->session)
		return etw_tool_query(argv, result, err);
	if (etw_tool_run(context->session, argv, &call, result, err))
		return -1;
	if (!result->over)
		return err_set(err, ERR_FAILED, "%s %s does not end", context->calls->tool->name,
			       argv->v[1]);
	return 0;
}

/* Set `err` to the reason why a call failed. */
static int explain(const struct etw_context *context, const struct strvec *argv,
		   const struct etw_result *result, struct err *err)
{
	const char *name = context->calls->tool->name;
	char *words = xasprintf("%s %s", name, argv->v[1]);

	etw_code_explain(name, words, result->code, result->output.buf, err);
	free(words);
	return -1;
}

int etw_run(const struct etw_context *context, const struct strvec *argv, const char *what,
	    struct etw_result *result, struct err *err)
{
	int rc = call_tool(context, argv, what, result, err);

	return !rc && result->code ? explain(context, argv, result, err) : rc;
}

int etw_run_ok(const struct etw_context *context, struct strvec *argv, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	int rc = etw_run(context, argv, NULL, &result, err);

	strbuf_release(&result.output);
	strvec_release(argv);
	return rc;
}

enum etw_state etw_find_state(const struct etw_context *context, struct strbuf *output)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_argv(context);
	enum etw_state state = ETW_UNKNOWN;
	struct err err = ERR_INIT;

	context->calls->tool->status(context, &argv);
	if (!call_tool(context, &argv, NULL, &result, &err)) {
		state = context->calls->tool->state(context, &result);
		if (output)
			strbuf_add(output, result.output.buf, result.output.len);
	}
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return state;
}

/* Is there a recording of ours to end? If calls name the recording they cannot end a foreign one, so assume yes. */
static enum etw_state state_to_end(const struct etw_context *context)
{
	return context->calls->tool->names_session ? ETW_RECORDING : etw_find_state(context, NULL);
}

static int call_set_interval(const struct etw_context *context, int64_t interval, struct err *err)
{
	struct strvec argv = etw_argv(context);

	context->calls->tool->set_interval(interval, &argv);
	return etw_run_ok(context, &argv, err);
}

/* The system's interval now; 0: unknown. */
static int64_t query_interval(const struct etw_context *context)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_argv(context);
	struct err err = ERR_INIT;
	int64_t interval = 0;

	if (context->calls->tool->query_interval) {
		strvec_push(&argv, context->calls->tool->query_interval);
		if (!etw_run(context, &argv, NULL, &result, &err))
			interval = etw_status_interval(result.output.buf);
	}
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return interval;
}

/* Note the interval, then change it. A failed change is only a warning; a note that cannot be written is an error. */
static int change_interval(const struct etw_context *context, struct err *err)
{
	struct profiler_session *session = context->session;
	int64_t wanted = etw_interval(session->job), now = query_interval(context);
	char *before = now ? xasprintf("%lld", (long long)now) : xstrdup(INTERVAL_DEFAULT);
	struct err failure = ERR_INIT;
	int rc = 0;

	if (now != wanted) {
		rc = profiler_session_note(session, NOTE_INTERVAL, before, err);
		if (!rc && call_set_interval(context, wanted, &failure)) {
			strvec_pushf(&session->manifest->warnings,
				     "the sampling interval was not changed: %s", failure.msg);
			rc = profiler_session_note(session, NOTE_INTERVAL, NULL, err);
		}
	}
	err_clear(&failure);
	free(before);
	return rc;
}

static int restore_interval(const struct etw_context *context, struct err *err)
{
	const char *before = manifest_noted(context->session->manifest, NOTE_INTERVAL);
	int64_t interval = 0;

	if (!before)
		return 0;
	if (!text_parse_int(before, ETW_INTERVAL_MIN, ETW_INTERVAL_MAX, &interval))
		interval = 0;
	if (call_set_interval(context, interval, err))
		return err_wrap(err, "the sampling interval is not restored yet");
	return profiler_session_note(context->session, NOTE_INTERVAL, NULL, err);
}

/* The recording has ended: restore the system and drop the notes. Every step is tried, the first failure reported. */
static int restore(const struct etw_context *context, struct err *err)
{
	struct manifest *manifest = context->session->manifest;
	int rc = restore_interval(context, err);
	struct err failure = ERR_INIT;

	if (context->calls->undo && context->calls->undo(context, rc ? &failure : err))
		rc = -1;
	err_clear(&failure);
	if (etw_files_remove(context->work_dir, context->instance, &failure)) {
		if (!rc)
			rc = err_set(err, failure.code, "%s", failure.msg);
		err_clear(&failure);
	} else {
		manifest_note(manifest, NOTE_DIR, NULL);
	}
	manifest_note(manifest, NOTE_STOP, NULL);
	if (!manifest_noted(manifest, NOTE_DIR))
		manifest_note(manifest, NOTE_INSTANCE, NULL);
	return rc ? rc : manifest_write(manifest, context->job->dir, err);
}

static bool is_gone(uint32_t code)
{
	return code == ETW_NOT_RUNNING || code == ETW_SESSION_GONE;
}

/*
 * End our recording without saving it; it is no failure if none runs. One that ended by itself may be reported as not
 * running while its name is still known.
 */
static int end_recording(const struct etw_context *context, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	enum etw_state state = state_to_end(context);
	struct strvec argv;
	int rc;

	if (state == ETW_IDLE)
		return 0;
	if (state == ETW_UNKNOWN)
		return err_set(err, ERR_FAILED,
			       "the status of %s does not show whether its recording "
			       "belongs to this run: it was not ended",
			       context->calls->tool->name);
	argv = etw_argv(context);
	context->calls->tool->cancel(context, &argv);
	rc = call_tool(context, &argv, NULL, &result, err);
	if (!rc && result.code && !is_gone(result.code))
		rc = explain(context, &argv, &result, err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return rc;
}

/* Start the recording and check that it runs. `*foreign`: another recording is in the way. */
static int start_recording(const struct etw_context *context, bool *foreign, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_argv(context);
	int rc;

	context->calls->start(context, &argv);
	rc = etw_run(context, &argv, "starting the profiler", &result, err);
	*foreign = result.over &&
		   (result.code == ETW_ALREADY_RUNNING || result.code == ETW_IN_USE ||
		    (result.code == ETW_FILE_EXISTS && !context->calls->tool->names_session));
	/* wpr has been seen to start nothing and report success. */
	if (!rc && etw_find_state(context, NULL) == ETW_IDLE)
		rc = err_set(err, ERR_FAILED,
			     "%s reported success but does not record: see logs/recorder.log",
			     context->calls->tool->name);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return rc;
}

/* The start has failed, which is the error to report: what fails here is a warning. */
static void undo_start(const struct etw_context *context, bool foreign)
{
	struct strvec *warnings = &context->session->manifest->warnings;
	struct err err = ERR_INIT;

	if (!foreign && end_recording(context, &err))
		strvec_pushf(warnings, "the recording may still run: %s", err.msg);
	else if (restore(context, &err))
		strvec_pushf(warnings, "%s", err.msg);
	err_clear(&err);
}

int etw_start(struct profiler_session *session, struct err *err)
{
	struct etw_context *context = find_context(session, true);
	const struct etw_calls *calls = context->calls;
	bool foreign = true;
	int rc;

	manifest_note(session->manifest, NOTE_DIR, context->work_dir);
	rc = check_tool(context, err);
	if (!rc)
		rc = profiler_session_note(session, NOTE_INSTANCE, context->instance, err);
	if (!rc)
		rc = fs_mkdir_all(context->work_dir, err);
	if (!rc && calls->prepare)
		rc = calls->prepare(context, err);
	if (!rc && session->job->cpu)
		rc = change_interval(context, err);
	if (!rc)
		rc = start_recording(context, &foreign, err);
	if (rc)
		undo_start(context, foreign);
	return rc;
}

int etw_mark(struct profiler_session *session, const char *text, struct err *err)
{
	struct etw_context *context = etw_open(session, err);
	struct strvec argv;

	if (!context)
		return -1;
	argv = etw_argv(context);
	context->calls->tool->mark(context, text, &argv);
	return etw_run_ok(context, &argv, err);
}

int etw_cancel(struct profiler_session *session, struct err *err)
{
	struct etw_context *context;

	if (profiler_session_is_over(session->manifest))
		return 0;
	context = etw_open(session, err);
	if (!context || end_recording(context, err))
		return -1;
	return restore(context, err);
}

/* Keep the status of the collectors while they exist: it alone says how many events were lost. */
static int keep_status(const struct etw_context *context, struct err *err)
{
	const char *dir = context->job->dir;
	struct strbuf output = STRBUF_INIT;
	int rc = 0;

	if (below_size(dir, RUN_RECORDER_STATE) < 0 &&
	    etw_find_state(context, &output) == ETW_RECORDING)
		rc = below_write(dir, RUN_RECORDER_STATE, output.buf, output.len, err);
	strbuf_release(&output);
	return rc;
}

static int64_t read_lost(const struct etw_context *context)
{
	struct strbuf status = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t lost = -1;

	if (!below_read(context->job->dir, RUN_RECORDER_STATE, STATUS_MAX, &status, &err))
		lost = context->calls->tool->lost(status.buf);
	err_clear(&err);
	strbuf_release(&status);
	return lost;
}

static bool show_settling(int64_t bytes, void *data)
{
	struct profiler_session *session = data;

	return session->progress("waiting for the profiler", bytes, session->data);
}

/*
 * Nothing runs that could be stopped: another stop, of a stagetrace that was killed, may be at work or have ended.
 * 0: there is a trace. ERR_NOT_FOUND: there is none.
 */
static int await_other_stop(const struct etw_context *context, struct err *err)
{
	char *path = fs_join(context->work_dir, ETW_FILE);
	int rc = 0;

	if (!etw_files_settle(context->work_dir, context->instance, show_settling,
			      context->session))
		rc = err_set(err, ERR_FAILED, "the profiler is still at work in '%s'",
			     context->work_dir);
	else if (fs_size(path) <= 0)
		rc = err_set(err, ERR_NOT_FOUND,
			     "the recording ended unexpectedly and left no trace");
	free(path);
	return rc;
}

/* Check before a stop that names no recording: it could end a foreign one. */
static bool may_stop(const struct etw_context *context, struct etw_result *result, struct err *err)
{
	const char *name = context->calls->tool->name;
	enum etw_state state = state_to_end(context);

	*result = (struct etw_result)ETW_RESULT_INIT;
	if (state == ETW_UNKNOWN)
		err_set(err, ERR_FAILED,
			"the status of %s does not show whether its recording belongs to this run",
			name);
	if (state != ETW_IDLE)
		return state == ETW_RECORDING;
	result->over = true;
	result->code = ETW_SESSION_GONE;
	err_set(err, ERR_FAILED,
		"%s has no recording any more: it ended unexpectedly, or another program ended it",
		name);
	return false;
}

static int run_stop(const struct etw_context *context, bool plain, struct etw_result *result,
		    struct err *err)
{
	const struct etw_call slow = {
		.what = "saving the trace",
		.dir = context->work_dir,
		.patience = context->job->config->stop_timeout_ns,
	};
	struct strvec argv = STRVEC_INIT;
	int rc;

	strbuf_release(&result->output);
	if (!may_stop(context, result, err))
		return -1;
	argv = etw_argv(context);
	context->calls->stop(context, plain, &argv);
	rc = etw_tool_run(context->session, &argv, &slow, result, err);
	if (!rc && !result->over)
		rc = err_set(
			err, ERR_FAILED,
			"%s %s has not ended and is left running: ending it would lose the trace",
			context->calls->tool->name, argv.v[1]);
	else if (!rc && result->code)
		rc = explain(context, &argv, result, err);
	strvec_release(&argv);
	return rc;
}

static bool is_known(const struct etw_context *context, uint32_t code)
{
	return etw_code_find(context->calls->tool->name, code) != NULL;
}

/* Another try can help: with more rights or more space, or after an unknown failure. */
static bool may_work_later(const struct etw_context *context, uint32_t code)
{
	return code == ETW_NOT_ELEVATED || code == ETW_ACCESS_DENIED || code == ETW_DISK_FULL ||
	       (code && !is_known(context, code));
}

/*
 * Have the tool write the trace. A second try follows where it did not know an option, then in plainer words, or where
 * it crashed. `asked`: an earlier process has requested the stop already. `*later`: another try can help.
 */
static int save(const struct etw_context *context, bool asked, bool *later, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct err first = ERR_INIT;
	int rc = run_stop(context, false, &result, err);

	if (rc && result.over &&
	    (result.code == ETW_BAD_SYNTAX || !is_known(context, result.code))) {
		asked |= result.code != ETW_BAD_SYNTAX;
		first = *err;
		*err = (struct err)ERR_INIT;
		rc = run_stop(context, result.code == ETW_BAD_SYNTAX, &result, err);
	}
	*later = rc && (!result.over || may_work_later(context, result.code));
	if (rc && result.over && is_gone(result.code) && asked) {
		err_clear(err);
		rc = await_other_stop(context, err);
		*later = rc && err->code != ERR_NOT_FOUND;
		if (rc && first.code)
			err_wrap(err, "%s", first.msg);
	}
	err_clear(&first);
	strbuf_release(&result.output);
	return rc;
}

/* The trace is lost: keep the files that the sessions wrote. */
static void keep_raw(const struct etw_context *context)
{
	struct strvec *warnings = &context->session->manifest->warnings;
	struct err err = ERR_INIT;
	int count = 0;

	if (etw_files_move_raw(context->work_dir, context->instance, context->job->dir, &count,
			       &err))
		strvec_pushf(warnings, "%s", err.msg);
	else if (count)
		strvec_pushf(warnings,
			     "the profiler's unmerged files are kept as raw-1.etl%s: they lack the "
			     "names of images",
			     count > 1 ? " and so on" : "");
	err_clear(&err);
}

/* The stop has failed for good, which is the error to report: what fails here is a warning. */
static void give_up(const struct etw_context *context)
{
	struct strvec *warnings = &context->session->manifest->warnings;
	struct err err = ERR_INIT;

	if (end_recording(context, &err)) {
		strvec_pushf(warnings, "the recording may still run: %s", err.msg);
	} else {
		keep_raw(context);
		if (restore(context, &err))
			strvec_pushf(warnings, "%s", err.msg);
	}
	err_clear(&err);
}

static int save_trace(const struct etw_context *context, const char *to, struct err *err)
{
	bool later = true;
	bool asked = manifest_noted(context->session->manifest, NOTE_STOP) != NULL;
	int rc = keep_status(context, err);

	if (!rc)
		rc = profiler_session_note(context->session, NOTE_STOP, "asked", err);
	if (!rc)
		rc = save(context, asked, &later, err);
	if (!rc && etw_files_move_trace(context->work_dir, to, err)) {
		later = err->code != ERR_NOT_FOUND;
		rc = -1;
	}
	if (rc && !later)
		give_up(context);
	return rc;
}

int etw_stop(struct profiler_session *session, int64_t *lost, struct err *err)
{
	struct etw_context *context = etw_open(session, err);
	char *to = fs_join(session->job->dir, RUN_ETL);
	int rc = context ? 0 : -1;

	*lost = -1;
	if (!rc && fs_size(to) <= 0)
		rc = save_trace(context, to, err);
	if (!rc)
		*lost = read_lost(context);
	if (!rc)
		rc = restore(context, err);
	free(to);
	return rc;
}
