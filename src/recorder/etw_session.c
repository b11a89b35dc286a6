#include "recorder/etw_session.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "recorder/etw_codes.h"
#include "recorder/etw_files.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define INTERVAL_DEFAULT "default"

int64_t etw_interval(const struct recorder_job *job)
{
	int64_t interval = job->config->cpu_interval_ns / 100;

	return interval < ETW_INTERVAL_MIN   ? ETW_INTERVAL_MIN
	       : interval > ETW_INTERVAL_MAX ? ETW_INTERVAL_MAX
					     : interval;
}

void etw_context_init(struct etw_context *context, const struct etw_ops *ops,
		      const struct recorder_job *job, const struct etw_tool *tool)
{
	*context = (struct etw_context){ .job = job, .owns_tool = !tool };
	if (tool)
		context->tool = *tool;
	else
		etw_tool_find(ops->name, &context->tool);
	context->instance = etw_files_instance(job->dir);
	context->folder = etw_files_folder(job);
	context->tool_folder = etw_tool_path(context->folder);
}

void etw_context_release(struct etw_context *context)
{
	if (context->owns_tool)
		etw_tool_release(&context->tool);
	free(context->instance);
	free(context->folder);
	free(context->tool_folder);
}

static void set_folder(struct etw_context *context, const char *folder)
{
	free(context->folder);
	free(context->tool_folder);
	context->folder = xstrdup(folder);
	context->tool_folder = etw_tool_path(folder);
}

void etw_session_use_notes(struct etw_context *context, const struct manifest *manifest,
			   const char *dir)
{
	const char *instance = manifest_noted(manifest, NOTE_INSTANCE),
		   *folder = manifest_noted(manifest, NOTE_FOLDER);
	char *own = fs_join(dir, RUN_RECORDER_TEMP);

	if (etw_files_is_instance(instance)) {
		free(context->instance);
		context->instance = xstrdup(instance);
	}
	if (folder && !strcmp(text_file_name(folder), context->instance))
		set_folder(context, folder);
	else
		set_folder(context, own);
	free(own);
}

int etw_session_no_tool(const struct etw_ops *ops, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "there is no %s on this machine", ops->name);
}

const struct etw_tool *etw_session_tool(const struct etw_ops *ops, struct service_session *session)
{
	if (!session->state) {
		session->state = xcalloc(1, sizeof(struct etw_tool));
		etw_tool_find(ops->name, session->state);
	}
	return session->state;
}

void etw_release(struct service_session *session)
{
	if (session->state)
		etw_tool_release(session->state);
	free(session->state);
	session->state = NULL;
}

int etw_session_open(const struct etw_ops *ops, struct service_session *session,
		     struct etw_context *context, struct err *err)
{
	etw_context_init(context, ops, session->job, etw_session_tool(ops, session));
	etw_session_use_notes(context, session->manifest, session->job->dir);
	if (context->tool.path)
		return 0;
	etw_context_release(context);
	return etw_session_no_tool(ops, err);
}

struct strvec etw_session_argv(const struct etw_context *context)
{
	struct strvec argv = STRVEC_INIT;

	strvec_push(&argv, context->tool.path ? context->tool.path : context->tool.name);
	return argv;
}

/* A call that answers soon; -1 where it does not. */
static int call_soon(const struct etw_ops *ops, struct service_session *session,
		     const struct strvec *argv, struct etw_result *result, struct err *err)
{
	const struct etw_call brief = { .patience = ETW_SHORT_NS };

	if (etw_tool_run(session, argv, &brief, result, err))
		return -1;
	if (!result->over)
		return err_set(err, ERR_FAILED, "%s %s does not end", ops->name, argv->v[1]);
	return 0;
}

int etw_session_explain(const struct etw_ops *ops, const struct strvec *argv,
			const struct etw_result *result, struct err *err)
{
	char *words = xasprintf("%s %s", ops->name, argv->v[1]);

	etw_code_explain(ops->name, words, result->code, result->output.buf, err);
	free(words);
	return -1;
}

int etw_session_call_well(const struct etw_ops *ops, struct service_session *session,
			  const struct strvec *argv, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	int rc = call_soon(ops, session, argv, &result, err);

	if (!rc && result.code)
		rc = etw_session_explain(ops, argv, &result, err);
	strbuf_release(&result.output);
	return rc;
}

enum etw_state etw_session_state(const struct etw_ops *ops, const struct etw_context *context,
				 struct service_session *session, struct strbuf *said)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_session_argv(context);
	enum etw_state state = ETW_UNKNOWN;
	struct err err = ERR_INIT;

	ops->status(context, &argv);
	if (!call_soon(ops, session, &argv, &result, &err)) {
		state = ops->state(context, &result);
		if (said)
			strbuf_add(said, result.output.buf, result.output.len);
	}
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return state;
}

static int set_interval(const struct etw_ops *ops, const struct etw_context *context,
			struct service_session *session, int64_t interval, struct err *err)
{
	struct strvec argv = etw_session_argv(context);
	int rc;

	ops->set_interval(interval, &argv);
	rc = etw_session_call_well(ops, session, &argv, err);
	strvec_release(&argv);
	return rc;
}

/* The system's interval now; 0: not known. */
static int64_t ask_interval(const struct etw_ops *ops, const struct etw_context *context,
			    struct service_session *session)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_session_argv(context);
	struct err err = ERR_INIT;
	int64_t interval = 0;

	if (ops->ask_interval) {
		ops->ask_interval(&argv);
		if (!call_soon(ops, session, &argv, &result, &err) && !result.code)
			interval = etw_status_interval(result.output.buf);
	}
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return interval;
}

int etw_session_set_interval(const struct etw_ops *ops, const struct etw_context *context,
			     struct service_session *session, struct err *err)
{
	int64_t wanted = etw_interval(session->job), now = ask_interval(ops, context, session);
	char *before = now ? xasprintf("%lld", (long long)now) : xstrdup(INTERVAL_DEFAULT);
	struct err failure = ERR_INIT;
	int rc = 0;

	if (now != wanted) {
		rc = service_note(session, NOTE_INTERVAL, before, err);
		if (!rc && set_interval(ops, context, session, wanted, &failure)) {
			strvec_pushf(&session->manifest->warnings,
				     "samples come at the system's own interval: %s", failure.msg);
			rc = service_note(session, NOTE_INTERVAL, NULL, err);
		}
	}
	err_clear(&failure);
	free(before);
	return rc;
}

static int put_back_interval(const struct etw_ops *ops, const struct etw_context *context,
			     struct service_session *session, struct err *err)
{
	const char *before = manifest_noted(session->manifest, NOTE_INTERVAL);
	int64_t interval = 0;

	if (!before)
		return 0;
	if (!text_parse_int(before, ETW_INTERVAL_MIN, ETW_INTERVAL_MAX, &interval))
		interval = 0;
	if (set_interval(ops, context, session, interval, err))
		return err_wrap(err, "the sampling interval is not put back yet");
	return service_note(session, NOTE_INTERVAL, NULL, err);
}

int etw_session_put_back(const struct etw_ops *ops, const struct etw_context *context,
			 struct service_session *session, struct err *err)
{
	int rc = put_back_interval(ops, context, session, err);
	struct err failure = ERR_INIT;

	if (ops->put_back && ops->put_back(context, session, rc ? &failure : err))
		rc = -1;
	err_clear(&failure);
	if (etw_files_remove(context->folder, context->instance, &failure)) {
		if (!rc)
			rc = err_set(err, failure.code, "%s", failure.msg);
		err_clear(&failure);
	} else {
		manifest_note(session->manifest, NOTE_FOLDER, NULL);
	}
	manifest_note(session->manifest, NOTE_STOP, NULL);
	if (!manifest_noted(session->manifest, NOTE_FOLDER))
		manifest_note(session->manifest, NOTE_INSTANCE, NULL);
	return rc ? rc : manifest_write(session->manifest, session->job->dir, err);
}

bool etw_session_is_gone(uint32_t code)
{
	return code == ETW_NOT_RUNNING || code == ETW_SESSION_GONE;
}

int etw_session_end(const struct etw_ops *ops, const struct etw_context *context,
		    struct service_session *session, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	enum etw_state state = ETW_RECORDING;
	struct strvec argv;
	int rc;

	if (!ops->cancel_is_safe)
		state = etw_session_state(ops, context, session, NULL);
	if (state == ETW_IDLE)
		return 0;
	if (state == ETW_UNKNOWN)
		return err_set(err, ERR_FAILED,
			       "%s does not say whether its recording is ours: it is left alone",
			       ops->name);
	argv = etw_session_argv(context);
	ops->cancel(context, &argv);
	rc = call_soon(ops, session, &argv, &result, err);
	if (!rc && result.code && !etw_session_is_gone(result.code))
		rc = etw_session_explain(ops, &argv, &result, err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return rc;
}
