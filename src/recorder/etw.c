#include "recorder/etw.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "recorder/etw_codes.h"
#include "recorder/etw_files.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "util/text.h"

/* Notes of a session in the manifest. */
#define NOTE_INSTANCE "instance" /* name of the recording that may run */
#define NOTE_FOLDER   "folder"   /* with its files */
#define NOTE_INTERVAL "interval" /* sampling interval to put back, in 100 ns; "default" */
#define NOTE_STOP     "stop"     /* a stop was asked for */

#define INTERVAL_DEFAULT "default"

/* None of these calls is known to write files while it works. */
#define SHORT_NS (5 * 60 * NS_PER_S)

#define STATUS_MAX (1 << 20)

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

/*
 * As a dead recording noted it. A run may come from anyone: only names and folders of the form that we
 * make are believed, and files in the run itself, which may have been moved.
 */
static void use_notes(struct etw_context *context, const struct manifest *manifest, const char *dir)
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

static int no_tool(const struct etw_ops *ops, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "there is no %s on this machine", ops->name);
}

/* Which program it is is asked once in a session. */
static const struct etw_tool *session_tool(const struct etw_ops *ops,
					   struct service_session *session)
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

/* The context of a session that is under way. -1: the tool is gone. */
static int open_session(const struct etw_ops *ops, struct service_session *session,
			struct etw_context *context, struct err *err)
{
	etw_context_init(context, ops, session->job, session_tool(ops, session));
	use_notes(context, session->manifest, session->job->dir);
	if (context->tool.path)
		return 0;
	etw_context_release(context);
	return no_tool(ops, err);
}

static struct strvec begin_call(const struct etw_context *context)
{
	struct strvec argv = STRVEC_INIT;

	strvec_push(&argv, context->tool.path ? context->tool.path : context->tool.name);
	return argv;
}

/* A call that answers at once or never. */
static int call(struct service_session *session, const struct strvec *argv,
		struct etw_result *result, struct err *err)
{
	const struct etw_call brief = { .patience = SHORT_NS };

	if (etw_tool_run(session, argv, &brief, result, err))
		return -1;
	if (!result->over)
		return err_set(err, ERR_FAILED, "%s %s does not end", session->manifest->recorder,
			       argv->v[1]);
	return 0;
}

static int explain(const struct etw_ops *ops, const struct strvec *argv,
		   const struct etw_result *result, struct err *err)
{
	char *words = xasprintf("%s %s", ops->name, argv->v[1]);

	etw_code_explain(ops->name, words, result->code, result->output.buf, err);
	free(words);
	return -1;
}

/* A call that must succeed. */
static int call_well(const struct etw_ops *ops, struct service_session *session,
		     const struct strvec *argv, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	int rc = call(session, argv, &result, err);

	if (!rc && result.code)
		rc = explain(ops, argv, &result, err);
	strbuf_release(&result.output);
	return rc;
}

/* Does our own recording run? */
static enum etw_state ask_state(const struct etw_ops *ops, const struct etw_context *context,
				struct service_session *session, struct strbuf *said)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = begin_call(context);
	enum etw_state state = ETW_UNKNOWN;
	struct err err = ERR_INIT;

	ops->status(context, &argv);
	if (!call(session, &argv, &result, &err)) {
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
	struct strvec argv = begin_call(context);
	int rc;

	ops->set_interval(interval, &argv);
	rc = call_well(ops, session, &argv, err);
	strvec_release(&argv);
	return rc;
}

/* The system's interval now; 0: not known. */
static int64_t ask_interval(const struct etw_ops *ops, const struct etw_context *context,
			    struct service_session *session)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = begin_call(context);
	struct err err = ERR_INIT;
	int64_t interval = 0;

	if (ops->ask_interval) {
		ops->ask_interval(&argv);
		if (!call(session, &argv, &result, &err) && !result.code)
			interval = etw_status_interval(result.output.buf);
	}
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return interval;
}

/* What can't be set is no reason not to record; what can't be noted is. */
static int change_interval(const struct etw_ops *ops, const struct etw_context *context,
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

/* The recording is over: nothing of it is to be left on the system, and no note. All of it is tried. */
static int put_back(const struct etw_ops *ops, const struct etw_context *context,
		    struct service_session *session, struct err *err)
{
	int rc = put_back_interval(ops, context, session, err);
	struct err failure = ERR_INIT;

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

static bool is_gone(uint32_t code)
{
	return code == ETW_NOT_RUNNING || code == ETW_SESSION_GONE;
}

/*
 * End our own recording without saving it. One that does not run is as good; one that ended by itself may be told
 * as not running, and still be known by its name.
 */
static int end_recording(const struct etw_ops *ops, const struct etw_context *context,
			 struct service_session *session, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	enum etw_state state = ETW_RECORDING;
	struct strvec argv;
	int rc;

	if (!ops->cancel_is_safe)
		state = ask_state(ops, context, session, NULL);
	if (state == ETW_IDLE)
		return 0;
	if (state == ETW_UNKNOWN)
		return err_set(err, ERR_FAILED,
			       "%s does not say whether its recording is ours: it is left alone",
			       ops->name);
	argv = begin_call(context);
	ops->cancel(context, &argv);
	rc = call(session, &argv, &result, err);
	if (!rc && result.code && !is_gone(result.code))
		rc = explain(ops, &argv, &result, err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return rc;
}

/* Start the recording, and see that it runs. `*foreign`: somebody else's is in the way. */
static int start_recording(const struct etw_ops *ops, const struct etw_context *context,
			   struct service_session *session, bool *foreign, struct err *err)
{
	const struct etw_call slow = {
		.what = "starting the recorder",
		.folder = context->folder,
		.patience = SHORT_NS,
	};
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = begin_call(context);
	int rc;

	ops->start(context, &argv);
	rc = etw_tool_run(session, &argv, &slow, &result, err);
	if (!rc && !result.over)
		rc = err_set(err, ERR_FAILED, "%s %s does not end", ops->name, argv.v[1]);
	else if (!rc && result.code)
		rc = explain(ops, &argv, &result, err);
	*foreign =
		result.over && (result.code == ETW_ALREADY_RUNNING || result.code == ETW_IN_USE ||
				(result.code == ETW_FILE_EXISTS && !ops->cancel_is_safe));
	/* It has been seen to start nothing and say that all is well. */
	if (!rc && ask_state(ops, context, session, NULL) == ETW_IDLE)
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

	if (!foreign && end_recording(ops, context, session, &err))
		strvec_pushf(&session->manifest->warnings, "what was started may still run: %s",
			     err.msg);
	else if (put_back(ops, context, session, &err))
		strvec_pushf(&session->manifest->warnings, "%s", err.msg);
	err_clear(&err);
}

int etw_start(const struct etw_ops *ops, struct service_session *session, struct err *err)
{
	struct etw_context context;
	bool foreign = true;
	int rc;

	etw_context_init(&context, ops, session->job, session_tool(ops, session));
	manifest_note(session->manifest, NOTE_FOLDER, context.folder);
	rc = context.tool.path ? 0 : no_tool(ops, err);
	if (!rc)
		rc = service_note(session, NOTE_INSTANCE, context.instance, err);
	if (!rc)
		rc = fs_mkdir_all(context.folder, err);
	if (!rc && ops->prepare)
		rc = ops->prepare(&context, err);
	if (!rc && session->job->cpu)
		rc = change_interval(ops, &context, session, err);
	if (!rc)
		rc = start_recording(ops, &context, session, &foreign, err);
	if (rc)
		undo_start(ops, &context, session, foreign);
	etw_context_release(&context);
	return rc;
}

int etw_mark(const struct etw_ops *ops, struct service_session *session, const char *text,
	     struct err *err)
{
	struct etw_context context;
	struct strvec argv;
	int rc;

	if (open_session(ops, session, &context, err))
		return -1;
	argv = begin_call(&context);
	ops->mark(&context, text, &argv);
	rc = call_well(ops, session, &argv, err);
	strvec_release(&argv);
	etw_context_release(&context);
	return rc;
}

/* Keep what the tool says of its collectors while they are there: the one place that tells of losses. */
static int keep_status(const struct etw_ops *ops, const struct etw_context *context,
		       struct service_session *session, struct err *err)
{
	char *path = fs_join(session->job->dir, RUN_RECORDER_STATE);
	struct strbuf said = STRBUF_INIT;
	int rc = 0;

	if (fs_size(path) < 0 && ask_state(ops, context, session, &said) == ETW_RECORDING)
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
		state = ask_state(ops, context, session, NULL);
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
	argv = begin_call(context);
	ops->stop(context, plain, &argv);
	rc = etw_tool_run(session, &argv, &slow, result, err);
	if (!rc && !result->over)
		rc = err_set(
			err, ERR_FAILED,
			"%s %s has not ended, and is left to its work; nothing else may end it "
			"without losing the trace",
			ops->name, argv.v[1]);
	else if (!rc && result->code)
		rc = explain(ops, &argv, result, err);
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
	if (rc && result.over && is_gone(result.code) && asked) {
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

	if (end_recording(ops, context, session, &err)) {
		strvec_pushf(&session->manifest->warnings, "the recording may still run: %s",
			     err.msg);
	} else {
		keep_raw(context, session);
		if (put_back(ops, context, session, &err))
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

int etw_stop(const struct etw_ops *ops, struct service_session *session, int64_t *lost,
	     struct err *err)
{
	char *to = fs_join(session->job->dir, RUN_ETL);
	struct etw_context context;
	int rc = open_session(ops, session, &context, err);

	*lost = -1;
	if (!rc) {
		if (fs_size(to) <= 0)
			rc = save_trace(ops, &context, session, to, err);
		if (!rc)
			*lost = read_lost(ops, session->job->dir);
		if (!rc)
			rc = put_back(ops, &context, session, err);
		etw_context_release(&context);
	}
	free(to);
	return rc;
}

int etw_cancel(const struct etw_ops *ops, struct service_session *session, struct err *err)
{
	struct etw_context context;
	int rc;

	if (service_is_over(session->manifest))
		return 0;
	if (open_session(ops, session, &context, err))
		return -1;
	rc = end_recording(ops, &context, session, err);
	if (!rc)
		rc = put_back(ops, &context, session, err);
	etw_context_release(&context);
	return rc;
}

/* Is the session that a dead recording noted still there? */
static bool still_records(const struct etw_ops *ops, const struct etw_context *context)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = begin_call(context);
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

void etw_find_leftovers(const struct etw_ops *ops, const struct manifest *manifest, const char *dir,
			struct finding_list *findings)
{
	const struct config config = CONFIG_INIT;
	const struct recorder_job job = { .config = &config, .dir = dir };
	struct strbuf size = STRBUF_INIT;
	struct etw_context context;
	char *remedy = xasprintf("stagetrace recover %s", dir);
	int64_t bytes;

	etw_context_init(&context, ops, &job, NULL);
	use_notes(&context, manifest, dir);
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
