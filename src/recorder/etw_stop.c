/*
 * Saving what was recorded: the one step that takes long, and fails in ways that can be mended.
 */
#include "recorder/etw.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "recorder/etw_codes.h"
#include "recorder/etw_files.h"
#include "recorder/etw_session.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define STATUS_MAX (1 << 20)

/* Keep what the tool says of its collectors while they are there: the one place that tells of losses. */
static int keep_status(const struct etw_ops *ops, const struct etw_context *context,
		       struct service_session *session, struct err *err)
{
	char *path = fs_join(session->job->dir, RUN_RECORDER_STATE);
	struct strbuf said = STRBUF_INIT;
	int rc = 0;

	if (fs_size(path) < 0 && etw_session_state(ops, context, session, &said) == ETW_RECORDING)
		rc = fs_write_atomic(path, said.buf, said.len, err);
	strbuf_release(&said);
	free(path);
	return rc;
}

static int64_t read_lost(const struct etw_ops *ops, const char *dir)
{
	char *path = fs_join(dir, RUN_RECORDER_STATE);
	struct strbuf said = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t lost = -1;

	if (!fs_read(path, STATUS_MAX, &said, &err))
		lost = ops->lost(said.buf);
	err_clear(&err);
	strbuf_release(&said);
	free(path);
	return lost;
}

struct settling {
	struct service_session *session;
};

static bool show_settling(int64_t bytes, void *data)
{
	struct settling *settling = data;
	struct service_session *session = settling->session;

	return session->progress("waiting for the recorder", bytes, session->data);
}

/*
 * Nothing runs that could be stopped: another stop, of a stagetrace that was killed, may be at work or be done.
 * 0: there is a trace. ERR_NOT_FOUND: there is none.
 */
static int await_other_stop(const struct etw_context *context, struct service_session *session,
			    struct err *err)
{
	struct settling settling = { session };
	char *path = fs_join(context->folder, ETW_FILE);
	int rc = 0;

	if (!etw_files_settle(context->folder, context->instance, show_settling, &settling))
		rc = err_set(err, ERR_FAILED, "the recorder is still at work in '%s'",
			     context->folder);
	else if (fs_size(path) <= 0)
		rc = err_set(err, ERR_NOT_FOUND,
			     "the recording ended by itself, and left no trace");
	free(path);
	return rc;
}

/* A stop that names no recording would end anybody's. */
static bool may_stop(const struct etw_ops *ops, const struct etw_context *context,
		     struct service_session *session, struct etw_result *result, struct err *err)
{
	enum etw_state state = ETW_RECORDING;

	*result = (struct etw_result)ETW_RESULT_INIT;
	if (!ops->cancel_is_safe)
		state = etw_session_state(ops, context, session, NULL);
	if (state == ETW_UNKNOWN)
		err_set(err, ERR_FAILED, "%s does not say whether its recording is ours",
			ops->name);
	if (state != ETW_IDLE)
		return state == ETW_RECORDING;
	result->over = true;
	result->code = ETW_SESSION_GONE;
	err_set(err, ERR_FAILED, "the recording of %s is gone: it ended by itself, or was ended",
		ops->name);
	return false;
}

static int run_stop(const struct etw_ops *ops, const struct etw_context *context,
		    struct service_session *session, bool plain, struct etw_result *result,
		    struct err *err)
{
	const struct etw_call slow = {
		.what = "saving the trace",
		.folder = context->folder,
		.patience = session->job->config->stop_timeout_ns,
	};
	struct strvec argv = STRVEC_INIT;
	int rc;

	strbuf_release(&result->output);
	if (!may_stop(ops, context, session, result, err))
		return -1;
	argv = etw_session_argv(context);
	ops->stop(context, plain, &argv);
	rc = etw_tool_run(session, &argv, &slow, result, err);
	if (!rc && !result->over)
		rc = err_set(
			err, ERR_FAILED,
			"%s %s has not ended, and is left to its work; nothing else may end it "
			"without losing the trace",
			ops->name, argv.v[1]);
	else if (!rc && result->code)
		rc = etw_session_explain(ops, &argv, result, err);
	strvec_release(&argv);
	return rc;
}

/* Another try can help: rights, or room on the disk. */
static bool may_work_later(const struct etw_ops *ops, uint32_t code)
{
	return code == ETW_NOT_ELEVATED || code == ETW_ACCESS_DENIED || code == ETW_DISK_FULL ||
	       (!etw_code_find(ops->name, code) && code);
}

/*
 * Ask for the trace; once more in plainer words, or where the tool crashed. `asked`: this is not the first time.
 * `*later`: it can be tried again.
 */
static int save(const struct etw_ops *ops, const struct etw_context *context,
		struct service_session *session, bool asked, bool *later, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct err first = ERR_INIT;
	int rc = run_stop(ops, context, session, false, &result, err);

	if (rc && result.over &&
	    (result.code == ETW_BAD_SYNTAX || !etw_code_find(ops->name, result.code))) {
		asked |= result.code != ETW_BAD_SYNTAX;
		first = *err;
		*err = (struct err)ERR_INIT;
		rc = run_stop(ops, context, session, result.code == ETW_BAD_SYNTAX, &result, err);
	}
	*later = rc && (!result.over || may_work_later(ops, result.code));
	if (rc && result.over && etw_session_is_gone(result.code) && asked) {
		err_clear(err);
		rc = await_other_stop(context, session, err);
		*later = rc && err->code != ERR_NOT_FOUND;
		if (rc && first.code)
			err_wrap(err, "%s", first.msg);
	}
	err_clear(&first);
	strbuf_release(&result.output);
	return rc;
}

/* The trace is lost; what the sessions wrote is kept as it is where any is there. */
static void keep_raw(const struct etw_context *context, struct service_session *session)
{
	struct err err = ERR_INIT;
	int count = 0;

	if (etw_files_take_raw(context->folder, context->instance, session->job->dir, &count, &err))
		strvec_pushf(&session->manifest->warnings, "%s", err.msg);
	else if (count)
		strvec_pushf(&session->manifest->warnings,
			     "the recorder's unmerged files are kept as raw-1.etl%s: names of "
			     "images are missing in them",
			     count > 1 ? " and so on" : "");
	err_clear(&err);
}

/* After a stop that can't be mended. The reason in `err` stays. */
static void give_up(const struct etw_ops *ops, const struct etw_context *context,
		    struct service_session *session)
{
	struct err err = ERR_INIT;

	if (etw_session_end(ops, context, session, &err)) {
		strvec_pushf(&session->manifest->warnings, "the recording may still run: %s",
			     err.msg);
	} else {
		keep_raw(context, session);
		if (etw_session_put_back(ops, context, session, &err))
			strvec_pushf(&session->manifest->warnings, "%s", err.msg);
	}
	err_clear(&err);
}

static int save_trace(const struct etw_ops *ops, const struct etw_context *context,
		      struct service_session *session, const char *to, struct err *err)
{
	bool later = true;
	bool asked = manifest_noted(session->manifest, NOTE_STOP) != NULL;
	int rc = keep_status(ops, context, session, err);

	if (!rc)
		rc = service_note(session, NOTE_STOP, "asked", err);
	if (!rc)
		rc = save(ops, context, session, asked, &later, err);
	if (!rc && etw_files_take(context->folder, to, err)) {
		later = err->code != ERR_NOT_FOUND;
		rc = -1;
	}
	if (rc && !later)
		give_up(ops, context, session);
	return rc;
}

int etw_stop(struct service_session *session, int64_t *lost, struct err *err)
{
	const struct etw_ops *ops = session->service->calls;
	char *to = fs_join(session->job->dir, RUN_ETL);
	struct etw_context context;
	int rc = etw_session_open(ops, session, &context, err);

	*lost = -1;
	if (!rc) {
		if (fs_size(to) <= 0)
			rc = save_trace(ops, &context, session, to, err);
		if (!rc)
			*lost = read_lost(ops, session->job->dir);
		if (!rc)
			rc = etw_session_put_back(ops, &context, session, err);
		etw_context_release(&context);
	}
	free(to);
	return rc;
}
