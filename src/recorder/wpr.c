/*
 * Windows Performance Recorder: CPU samples, and every commit and release of memory, of the whole system, to a file.
 *
 * The recording has an instance name of our own, which every call repeats: nobody else's is ever touched. It is
 * given as the last argument, as documented. wpr's own handling of paths ends at MAX_PATH, so it gets a folder
 * with short names, from which the trace is moved. What Microsoft's pages and other people's scripts say of it is all
 * that is known here; codes are in etw_codes.c.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/shell.h"
#include "recorder/etw.h"
#include "recorder/etw_codes.h"
#include "recorder/etw_files.h"
#include "recorder/wpr_calls.h"
#include "recorder/wpr_heap.h"
#include "recorder/wprp.h"
#include "rundir/layout.h"

#define NAME WPR_NAME

/* The profile of ours that records what is asked for. */
static const char *profile_name(const struct recorder_job *job)
{
	return job->cpu && job->memory ? "RustcBootstrap" : job->cpu ? "RustcCpu" : "RustcMemory";
}

static void add_profiles(const struct etw_context *context, struct strvec *argv)
{
	const struct recorder_job *job = context->job;

	if (job->config->wpr_profile) {
		char *copy = fs_join(context->folder, RUN_WPRP), *path = etw_tool_path(copy);

		strvec_push(argv, "-start");
		strvec_pushf(argv, "%s!%s.%s", path, profile_name(job), job->config->detail);
		free(path);
		free(copy);
		return;
	}
	if (job->cpu) {
		strvec_push(argv, "-start");
		strvec_push(argv, "CPU");
	}
	if (job->memory) {
		strvec_push(argv, "-start");
		strvec_push(argv, "VirtualAllocation");
	}
}

static void add_start(const struct etw_context *context, struct strvec *argv)
{
	add_profiles(context, argv);
	if (context->job->config->heap) {
		strvec_push(argv, "-start");
		strvec_push(argv, WPR_HEAP_PROFILE);
	}
	wpr_add_file_mode(context, argv);
}

static void add_stop(const struct etw_context *context, bool plain, struct strvec *argv)
{
	wpr_add_stop(context, plain, "stage 2 of a rustc bootstrap, recorded by stagetrace", argv);
}

static int write_profile(const char *folder, const struct strbuf *text, struct err *err)
{
	char *path = fs_join(folder, RUN_WPRP);
	int rc = fs_write_atomic(path, text->buf, text->len, err);

	free(path);
	return rc;
}

/*
 * The profile as used, with the buffers that the configuration asks for: a copy to keep in the run, and one for wpr
 * where it takes any path.
 */
static int copy_profile(const struct etw_context *context, struct service_session *session,
			struct err *err)
{
	const struct recorder_job *job = context->job;
	struct strbuf text = STRBUF_INIT, copy = STRBUF_INIT;
	int rc = 0;

	(void)session;
	if (job->config->wpr_profile) {
		rc = fs_read(job->config->wpr_profile, WPRP_MAX, &text, err);
		wprp_set_buffers(text.buf, job->config->buffers_bytes, &copy);
		if (!rc)
			rc = write_profile(job->dir, &copy, err);
		if (!rc)
			rc = write_profile(context->folder, &copy, err);
	}
	strbuf_release(&copy);
	strbuf_release(&text);
	return rc;
}

static void show_copy(const struct etw_context *context, struct strbuf *sb)
{
	const char *profile = context->job->config->wpr_profile;
	char *to = fs_join(context->folder, RUN_WPRP);

	if (profile) {
		shell_add_copy(sb, profile, to);
		shell_add_comment(sb, "of which a recording sets the number of buffers to what "
				      "[record] buffers asks for");
	}
	free(to);
}

static const struct etw_ops ops = {
	.name = NAME,
	.prepare = copy_profile,
	.show_prepare = show_copy,
	.start = add_start,
	.mark = wpr_add_mark,
	.status = wpr_add_status,
	.stop = add_stop,
	.cancel = wpr_add_cancel,
	.set_interval = wpr_add_set_interval,
	.ask_interval = wpr_add_ask_interval,
	.state = wpr_read_state,
	.lost = etw_status_lost,
	.cancel_is_safe = true,
};

/* Does wpr take the profile? It reads a file that it is asked to list. */
static void try_profile(const struct etw_context *context, struct finding_list *findings)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT, why = ERR_INIT;
	char *path = etw_tool_path(context->job->config->wpr_profile);

	strvec_push(&argv, context->tool.path);
	strvec_push(&argv, "-profiles");
	strvec_push(&argv, path);
	if (!etw_tool_ask(&argv, &result, &err) && result.code) {
		etw_code_explain(NAME, "wpr -profiles", result.code, result.output.buf, &why);
		finding_add(findings, FINDING_ERROR, "the recording would not start",
			    "correct [record] wpr-profile, or leave it out for wpr's own profiles",
			    "%s", why.msg);
	}
	err_clear(&why);
	err_clear(&err);
	free(path);
	strbuf_release(&result.output);
	strvec_release(&argv);
}

static void check_profile(const struct etw_context *context, struct finding_list *findings)
{
	const struct config *config = context->job->config;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (!config->wpr_profile) {
		finding_add(
			findings, FINDING_NOTE,
			"wpr's own CPU and VirtualAllocation have context switches too, which are "
			"most of their volume, and buffers of their own number",
			"let [record] wpr-profile name profiles/rustc.wprp",
			"no recording profile is given");
		return;
	}
	if (fs_read(config->wpr_profile, WPRP_MAX, &text, &err))
		finding_add(findings, FINDING_ERROR, "it says what is recorded",
			    "correct [record] wpr-profile; it is relative to the configuration "
			    "file",
			    "%s", err.msg);
	else if (!wprp_has_profile(text.buf, profile_name(context->job), config->detail))
		finding_add(findings, FINDING_ERROR, "it says what is recorded",
			    "use profiles/rustc.wprp, or a copy of it",
			    "there is no profile '%s' of detail '%s' for files in '%s'",
			    profile_name(context->job), config->detail, config->wpr_profile);
	else if (context->tool.path)
		try_profile(context, findings);
	err_clear(&err);
	strbuf_release(&text);
}

static void wpr_check(struct recorder_job *job, struct finding_list *findings)
{
	struct etw_context context;
	bool found;

	etw_check_wishes(NAME, job, findings);
	found = etw_check(&ops, job, &context, findings);
	if (job->cpu || job->memory)
		check_profile(&context, findings);
	if (job->config->heap)
		wpr_heap_check_tracing(&job->config->heap_job, findings);
	if (found)
		wpr_check_idle(&context, findings);
	etw_check_end(NAME, job, findings);
	etw_context_release(&context);
}

static void wpr_settings(const struct recorder_job *job, struct recorder_settings *settings)
{
	if (job->config->heap)
		wpr_heap_add_setting(&job->config->heap_job, settings);
}

static const struct recorder_service service = {
	.start = etw_start,
	.mark = etw_mark,
	.stop = etw_stop,
	.cancel = etw_cancel,
	.release = etw_release,
	.find_leftovers = etw_find_leftovers,
	.show = etw_show,
	.folder = etw_files_folder,
	.written = etw_files_bytes,
	.calls = &ops,
};

const struct recorder_ops wpr_recorder = {
	.name = NAME,
	.summary =
		"Windows Performance Recorder: CPU samples, and every commit and release of memory",
	.suits = etw_suits,
	.check = wpr_check,
	.version = etw_version,
	.settings = wpr_settings,
	.trace = RUN_ETL,
	.service = &service,
	.records_heap = true,
};
