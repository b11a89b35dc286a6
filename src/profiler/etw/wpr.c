/*
 * Windows Performance Recorder: CPU samples, and every commit and free of memory, system-wide, to a file.
 *
 * The recording has an instance name that only stagetrace uses. Each call repeats it as its last argument, as
 * documented, so no other recording is ever touched. wpr's path handling ends at MAX_PATH, so it writes to a directory
 * with short names, from which the trace is moved. Sources are Microsoft's pages and other people's scripts; exit
 * codes are in etw_output.c.
 */
#include "profiler/etw/wpr.h"

#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/fs.h"
#include "platform/shell.h"
#include "profiler/etw/etw_files.h"
#include "profiler/etw/etw_output.h"
#include "profiler/etw/wprp.h"
#include "rundir/layout.h"

/* the first version that knows -skipPdbGen */
#define SKIP_PDB_SINCE 10, 0, 18955

void wpr_add_instance(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-instancename");
	strvec_push(argv, context->instance);
}

void wpr_add_file_mode(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-filemode");
	strvec_push(argv, "-recordtempto");
	strvec_push(argv, context->tool_work_dir);
	wpr_add_instance(context, argv);
}

static void add_mark(const struct etw_context *context, const char *text, struct strvec *argv)
{
	strvec_push(argv, "-marker");
	strvec_push(argv, text);
	wpr_add_instance(context, argv);
}

static void add_status(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-status");
	strvec_push(argv, "profiles");
	strvec_push(argv, "collectors");
	strvec_push(argv, "details");
	wpr_add_instance(context, argv);
}

void wpr_add_stop(const struct etw_context *context, bool plain, const char *description,
		  struct strvec *argv)
{
	char *file = fs_join(context->work_dir, ETW_FILE), *path = etw_tool_path(file);
	bool known = context->tool.version_text != NULL;

	strvec_push(argv, "-stop");
	strvec_push(argv, path);
	if (!plain) {
		strvec_push(argv, description);
		/* The build has no .NET code of interest, and making its symbols takes long. */
		if (!known || etw_tool_is_at_least(&context->tool, SKIP_PDB_SINCE))
			strvec_push(argv, "-skipPdbGen");
	}
	wpr_add_instance(context, argv);
	free(path);
	free(file);
}

static void add_cancel(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-cancel");
	wpr_add_instance(context, argv);
}

static void add_set_interval(int64_t interval, struct strvec *argv)
{
	strvec_push(argv, interval ? "-setprofint" : "-resetprofint");
	if (interval)
		strvec_pushf(argv, "%lld", (long long)interval);
}

static enum etw_state read_state(const struct etw_context *context, const struct etw_result *result)
{
	(void)context;
	return etw_status_state(result->code, result->output.buf);
}

const struct etw_tool_calls wpr_tool_calls = {
	.name = WPR_NAME,
	.mark = add_mark,
	.status = add_status,
	.cancel = add_cancel,
	.set_interval = add_set_interval,
	.query_interval = "-profint",
	.state = read_state,
	.lost = etw_status_lost,
	.names_session = true,
};

void wpr_check_idle(const struct etw_context *context, struct finding_list *findings)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	enum etw_state state = ETW_UNKNOWN;

	strvec_push(&argv, context->tool.path);
	strvec_push(&argv, "-status");
	if (!etw_tool_query(&argv, &result, &err))
		state = etw_status_state(result.code, result.output.buf);
	if (state == ETW_RECORDING)
		finding_add(findings, FINDING_ERROR,
			    "stagetrace ends no recording of another program, and both would lose "
			    "events",
			    "'wpr -status profiles' shows it: wait for its end, or end it yourself "
			    "with wpr -stop or wpr -cancel",
			    "wpr records already");
	else if (state == ETW_UNKNOWN)
		finding_add(findings, FINDING_WARNING,
			    "another recording may be in progress; then this one would not start",
			    "run 'wpr -status' yourself", "the state of wpr is unknown: %s",
			    err.msg ? err.msg : "wpr -status failed");
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
}

/* Name of our profile that records what is requested. */
static const char *profile_name(const struct profiler_job *job)
{
	return job->cpu && job->memory ? "RustcBootstrap" : job->cpu ? "RustcCpu" : "RustcMemory";
}

static void add_profiles(const struct etw_context *context, struct strvec *argv)
{
	const struct profiler_job *job = context->job;

	if (job->config->wpr_profile) {
		char *copy = fs_join(context->work_dir, RUN_WPRP), *path = etw_tool_path(copy);

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

static int write_profile(const char *dir, const struct strbuf *text, struct err *err)
{
	return below_write(dir, RUN_WPRP, text->buf, text->len, err);
}

/*
 * The profile as used, with the configured number of buffers: one copy to keep in the run, and one at a path that wpr
 * accepts.
 */
static int copy_profile(const struct etw_context *context, struct err *err)
{
	const struct profiler_job *job = context->job;
	struct strbuf text = STRBUF_INIT, copy = STRBUF_INIT;
	int rc = 0;

	if (job->config->wpr_profile) {
		rc = fs_read(job->config->wpr_profile, WPRP_MAX, &text, err);
		wprp_set_buffers(text.buf, job->config->buffers_bytes, &copy);
		if (!rc)
			rc = write_profile(job->dir, &copy, err);
		if (!rc)
			rc = write_profile(context->work_dir, &copy, err);
	}
	strbuf_release(&copy);
	strbuf_release(&text);
	return rc;
}

static void show_copy(const struct etw_context *context, struct strbuf *sb)
{
	const char *profile = context->job->config->wpr_profile;
	char *to = fs_join(context->work_dir, RUN_WPRP);

	if (profile) {
		shell_add_copy(sb, profile, to);
		shell_add_comment(
			sb, "a recording sets the number of buffers in it from [record] buffers");
	}
	free(to);
}

static const struct etw_calls calls = {
	.tool = &wpr_tool_calls,
	.prepare = copy_profile,
	.show_prepare = show_copy,
	.start = add_start,
	.stop = add_stop,
};

/* Does wpr accept the profile? It reads a file whose profiles it is asked to list. */
static void try_profile(const struct etw_context *context, struct finding_list *findings)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT, why = ERR_INIT;
	char *path = etw_tool_path(context->job->config->wpr_profile);

	strvec_push(&argv, context->tool.path);
	strvec_push(&argv, "-profiles");
	strvec_push(&argv, path);
	if (!etw_tool_query(&argv, &result, &err) && result.code) {
		etw_code_explain(WPR_NAME, "wpr -profiles", result.code, result.output.buf, &why);
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
		finding_add(findings, FINDING_NOTE,
			    "wpr's own profiles CPU and VirtualAllocation also record context "
			    "switches, which are most of their volume, and ignore [record] buffers",
			    "set [record] wpr-profile to profiles/rustc.wprp",
			    "[record] wpr-profile is not set");
		return;
	}
	if (fs_read(config->wpr_profile, WPRP_MAX, &text, &err))
		finding_add(findings, FINDING_ERROR, "the profile defines what is recorded",
			    "correct [record] wpr-profile; it is relative to the configuration "
			    "file",
			    "%s", err.msg);
	else if (!wprp_has_profile(text.buf, profile_name(context->job), config->detail))
		finding_add(findings, FINDING_ERROR, "the profile defines what is recorded",
			    "use profiles/rustc.wprp, or a copy of it",
			    "there is no profile '%s' of detail '%s' for files in '%s'",
			    profile_name(context->job), config->detail, config->wpr_profile);
	else if (context->tool.path)
		try_profile(context, findings);
	err_clear(&err);
	strbuf_release(&text);
}

static void wpr_check(struct profiler_job *job, struct finding_list *findings)
{
	struct etw_context context;
	bool found;

	etw_check_requested(WPR_NAME, job, findings);
	found = etw_check(&calls, job, &context, findings);
	if (job->cpu || job->memory)
		check_profile(&context, findings);
	if (job->config->heap)
		wpr_heap_check_tracing(&job->config->heap_job, findings);
	if (found)
		wpr_check_idle(&context, findings);
	profiler_report_ready(WPR_NAME, job, findings);
	etw_context_release(&context);
}

static void wpr_settings(const struct profiler_job *job, struct profiler_settings *settings)
{
	if (job->config->heap)
		wpr_heap_add_setting(&job->config->heap_job, settings);
}

const struct profiler_ops wpr_profiler = {
	.name = WPR_NAME,
	.summary = "Windows Performance Recorder: CPU samples, and every commit and free of memory",
	.check = wpr_check,
	.settings = wpr_settings,
	.restores = wpr_heap_restores,
	.records_heap = true,
	.find_leftovers = etw_find_leftovers,
	.show = etw_show,
	ETW_HOOKS,
	.etw = &calls,
};
