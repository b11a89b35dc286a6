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

/* Start the recording, and see that it runs. `*foreign`: somebody else's is in the way. */
static int start_recording(const struct etw_ops *ops, const struct etw_context *context,
			   struct service_session *session, bool *foreign, struct err *err)
{
	const struct etw_call slow = {
		.what = "starting the recorder",
		.folder = context->folder,
		.patience = ETW_SHORT_NS,
	};
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_session_argv(context);
	int rc;

	ops->start(context, &argv);
	rc = etw_tool_run(session, &argv, &slow, &result, err);
	if (!rc && !result.over)
		rc = err_set(err, ERR_FAILED, "%s %s does not end", ops->name, argv.v[1]);
	else if (!rc && result.code)
		rc = etw_session_explain(ops, &argv, &result, err);
	*foreign =
		result.over && (result.code == ETW_ALREADY_RUNNING || result.code == ETW_IN_USE ||
				(result.code == ETW_FILE_EXISTS && !ops->cancel_is_safe));
	/* It has been seen to start nothing and say that all is well. */
	if (!rc && etw_session_state(ops, context, session, NULL) == ETW_IDLE)
		rc = err_set(err, ERR_FAILED,
			     "%s said that it records, and does not: see logs/recorder.log",
			     ops->name);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return rc;
}

/* The first failure is what is told. */
static void undo_start(const struct etw_ops *ops, const struct etw_context *context,
		       struct service_session *session, bool foreign)
{
	struct err err = ERR_INIT;

	if (!foreign && etw_session_end(ops, context, session, &err))
		strvec_pushf(&session->manifest->warnings, "what was started may still run: %s",
			     err.msg);
	else if (etw_session_put_back(ops, context, session, &err))
		strvec_pushf(&session->manifest->warnings, "%s", err.msg);
	err_clear(&err);
}

int etw_start(struct service_session *session, struct err *err)
{
	const struct etw_ops *ops = session->service->calls;
	struct etw_context context;
	bool foreign = true;
	int rc;

	etw_context_init(&context, ops, session->job, etw_session_tool(ops, session));
	manifest_note(session->manifest, NOTE_FOLDER, context.folder);
	rc = context.tool.path ? 0 : etw_session_no_tool(ops, err);
	if (!rc)
		rc = service_note(session, NOTE_INSTANCE, context.instance, err);
	if (!rc)
		rc = fs_mkdir_all(context.folder, err);
	if (!rc && ops->prepare)
		rc = ops->prepare(&context, session, err);
	if (!rc && session->job->cpu)
		rc = etw_session_set_interval(ops, &context, session, err);
	if (!rc)
		rc = start_recording(ops, &context, session, &foreign, err);
	if (rc)
		undo_start(ops, &context, session, foreign);
	etw_context_release(&context);
	return rc;
}

int etw_mark(struct service_session *session, const char *text, struct err *err)
{
	const struct etw_ops *ops = session->service->calls;
	struct etw_context context;
	struct strvec argv;
	int rc;

	if (etw_session_open(ops, session, &context, err))
		return -1;
	argv = etw_session_argv(&context);
	ops->mark(&context, text, &argv);
	rc = etw_session_call_well(ops, session, &argv, err);
	strvec_release(&argv);
	etw_context_release(&context);
	return rc;
}

int etw_cancel(struct service_session *session, struct err *err)
{
	const struct etw_ops *ops = session->service->calls;
	struct etw_context context;
	int rc;

	if (service_is_over(session->manifest))
		return 0;
	if (etw_session_open(ops, session, &context, err))
		return -1;
	rc = etw_session_end(ops, &context, session, err);
	if (!rc)
		rc = etw_session_put_back(ops, &context, session, err);
	etw_context_release(&context);
	return rc;
}

/* Is the session that a dead recording noted still there? */
static bool still_records(const struct etw_ops *ops, const struct etw_context *context)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_session_argv(context);
	struct err err = ERR_INIT;
	bool records = false;

	ops->status(context, &argv);
	if (!etw_tool_ask(&argv, &result, &err))
		records = ops->state(context, &result) == ETW_RECORDING;
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return records;
}

void etw_find_leftovers(const struct recorder_service *service, const struct manifest *manifest,
			const char *dir, struct finding_list *findings)
{
	const struct etw_ops *ops = service->calls;
	const struct config config = CONFIG_INIT;
	const struct recorder_job job = { .config = &config, .dir = dir };
	struct strbuf size = STRBUF_INIT;
	struct etw_context context;
	char *remedy = xasprintf("stagetrace recover %s", dir);
	int64_t bytes;

	etw_context_init(&context, ops, &job, NULL);
	etw_session_use_notes(&context, manifest, dir);
	bytes = etw_files_bytes(context.folder);
	text_add_bytes(&size, bytes);
	if (context.tool.path && manifest_noted(manifest, NOTE_INSTANCE) &&
	    still_records(ops, &context))
		finding_add(findings, FINDING_ERROR,
			    "it slows the machine, fills the disk, and is in the way of another",
			    remedy, "a recording whose stagetrace is gone still runs: %s",
			    context.instance);
	if (bytes)
		finding_add(findings, FINDING_NOTE, "they may be all that there is of its trace",
			    remedy, "a dead recording has left %s of the recorder's files in %s",
			    size.buf, context.folder);
	if (manifest_noted(manifest, NOTE_INTERVAL))
		finding_add(findings, FINDING_WARNING,
			    "every profiler of this system samples by it", remedy,
			    "a dead recording has left the system's sampling interval changed");
	strbuf_release(&size);
	free(remedy);
	etw_context_release(&context);
}
