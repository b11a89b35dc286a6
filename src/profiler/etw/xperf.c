/*
 * xperf of the Windows Performance Toolkit: the same events from the NT Kernel Logger, for machines that have the
 * toolkit but no working wpr.
 *
 * There is only one NT Kernel Logger, and its recordings have no names. The recording is ours if `xperf -loggers`
 * shows our file; only then is it stopped.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "profiler/etw/etw.h"
#include "profiler/etw/etw_files.h"
#include "util/alloc.h"

#define NAME          "xperf"
#define KERNEL_LOGGER "NT Kernel Logger"

#define BUFFER_KB   1024 /* the largest size, and the best */
#define MIN_BUFFERS 64

static void add_buffers(const struct profiler_job *job, struct strvec *argv)
{
	int64_t count = job->config->buffers_bytes / (BUFFER_KB * 1024);

	if (count < MIN_BUFFERS)
		count = MIN_BUFFERS;
	strvec_push(argv, "-buffersize");
	strvec_pushf(argv, "%d", BUFFER_KB);
	/* The same minimum and maximum, so that recordings are alike. */
	strvec_push(argv, "-minbuffers");
	strvec_pushf(argv, "%lld", (long long)count);
	strvec_push(argv, "-maxbuffers");
	strvec_pushf(argv, "%lld", (long long)count);
}

static void add_start(const struct etw_context *context, struct strvec *argv)
{
	const struct profiler_job *job = context->job;
	bool stacks = strcmp(job->config->detail, "light") != 0;
	char *name = xasprintf("%s.etl", context->instance),
	     *file = fs_join(context->work_dir, name), *path = etw_tool_path(file);

	strvec_push(argv, "-on");
	strvec_pushf(argv, "PROC_THREAD+LOADER%s%s", job->cpu ? "+PROFILE" : "",
		     job->memory ? "+VIRT_ALLOC+MEMINFO" : "");
	if (stacks) {
		strvec_push(argv, "-stackwalk");
		strvec_pushf(argv, "%s%s%s", job->cpu ? "Profile" : "",
			     job->cpu && job->memory ? "+" : "",
			     job->memory ? "VirtualAlloc+VirtualFree" : "");
	}
	add_buffers(job, argv);
	strvec_push(argv, "-f");
	strvec_push(argv, path);
	free(path);
	free(file);
	free(name);
}

static void add_mark(const struct etw_context *context, const char *text, struct strvec *argv)
{
	(void)context;
	strvec_push(argv, "-m");
	strvec_push(argv, text);
}

static void add_status(const struct etw_context *context, struct strvec *argv)
{
	(void)context;
	strvec_push(argv, "-loggers");
}

static void add_stop(const struct etw_context *context, bool plain, struct strvec *argv)
{
	char *file = fs_join(context->work_dir, ETW_FILE), *path = etw_tool_path(file);

	(void)plain;
	strvec_push(argv, "-stop");
	strvec_push(argv, "-d");
	strvec_push(argv, path);
	free(path);
	free(file);
}

static void add_cancel(const struct etw_context *context, struct strvec *argv)
{
	(void)context;
	strvec_push(argv, "-stop");
}

/* xperf cannot query the interval; 1 ms is the default of Windows. */
static void add_set_interval(int64_t interval, struct strvec *argv)
{
	strvec_push(argv, "-setprofint");
	strvec_pushf(argv, "%lld", (long long)(interval ? interval : 10000));
	strvec_push(argv, "cached");
}

static enum etw_state read_state(const struct etw_context *context, const struct etw_result *result)
{
	if (result->code)
		return ETW_UNKNOWN;
	return strstr(result->output.buf, context->instance) ? ETW_RECORDING : ETW_IDLE;
}

static int64_t read_lost(const char *status)
{
	return etw_status_lost_of(status, KERNEL_LOGGER);
}

static const struct etw_tool_calls tool_calls = {
	.name = NAME,
	.mark = add_mark,
	.status = add_status,
	.cancel = add_cancel,
	.set_interval = add_set_interval,
	.state = read_state,
	.lost = read_lost,
};

static const struct etw_calls calls = {
	.tool = &tool_calls,
	.start = add_start,
	.stop = add_stop,
};

static void check_idle(const struct etw_context *context, struct finding_list *findings)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;

	strvec_push(&argv, context->tool.path);
	strvec_push(&argv, "-loggers");
	if (etw_tool_query(&argv, &result, &err) || result.code)
		finding_add(findings, FINDING_WARNING,
			    "another recording may be in progress; then this one would not start",
			    "run 'xperf -loggers' yourself", "the state of xperf is unknown");
	else if (strstr(result.output.buf, KERNEL_LOGGER))
		finding_add(findings, FINDING_ERROR,
			    "there is only one such session, and stagetrace ends none of another "
			    "program",
			    "close Process Monitor and similar tools, or use wpr: --set "
			    "record.recorder=wpr",
			    "the " KERNEL_LOGGER " runs already");
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
}

static void xperf_check(struct profiler_job *job, struct finding_list *findings)
{
	struct etw_context context;

	etw_check_requested(NAME, job, findings);
	if (etw_check(&calls, job, &context, findings))
		check_idle(&context, findings);
	profiler_report_ready(NAME, job, findings);
	etw_context_release(&context);
}

const struct profiler_ops xperf_profiler = {
	.name = NAME,
	.summary = "xperf of the Windows Performance Toolkit: the same where there is no wpr",
	.check = xperf_check,
	.find_leftovers = etw_find_leftovers,
	.show = etw_show,
	ETW_HOOKS,
	.etw = &calls,
};
