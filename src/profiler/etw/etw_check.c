/*
 * Checks that change nothing: what would spoil a recording by wpr or xperf, what an interrupted recording has left,
 * and which commands a recording would run.
 */
#include "profiler/etw/etw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/host.h"
#include "platform/shell.h"
#include "profiler/etw/etw_files.h"
#include "util/alloc.h"
#include "util/text.h"

/* On another system the stand-in program checks this itself. */
static bool is_elevated(void)
{
	return !host_is_windows() || host_is_admin();
}

/* "Windows NT 10.0.19045"; on another system a stand-in records. */
static bool check_system(const char *name, struct finding_list *findings)
{
	struct host host;
	int major = 0;
	bool old;

	host_read(&host);
	old = host.kernel && sscanf(host.kernel, "Windows NT %d.", &major) == 1 && major < 10;
	if (old)
		finding_add(findings, FINDING_ERROR,
			    "recordings are supported on Windows 10 and later",
			    "record without it: --set record.recorder=none",
			    "%s is too old for a recording by %s", host.kernel, name);
	host_release(&host);
	return !old;
}

static void check_rights(const char *name, struct finding_list *findings)
{
	if (!is_elevated())
		finding_add(findings, FINDING_ERROR,
			    "Windows lets only administrators record what the kernel does",
			    "start stagetrace from an elevated prompt (Run as administrator)\n"
			    "or record without it: --set record.recorder=none",
			    "this prompt is not elevated: %s cannot record", name);
}

static bool check_tool(const struct etw_tool *tool, struct finding_list *findings)
{
	if (!tool->path) {
		finding_add(findings, FINDING_ERROR, "stagetrace records with it on Windows",
			    "install the Windows Performance Toolkit of the Windows ADK, or set "
			    "WPT_PATH to its directory\n"
			    "or record without it: --set record.recorder=none",
			    "there is no %s", tool->name);
		return false;
	}
	finding_add(findings, FINDING_OK, NULL, NULL, "%s %s at %s", tool->name,
		    tool->version_text ? tool->version_text : "of an unknown version", tool->path);
	if (!tool->version_text)
		finding_add(findings, FINDING_NOTE,
			    "newer options are tried first, and left out if it refuses them", NULL,
			    "the version of %s is unknown", tool->name);
	return true;
}

void etw_check_requested(const char *name, struct profiler_job *job, struct finding_list *findings)
{
	job->cpu = job->config->cpu;
	job->memory = job->config->virtualalloc;
	if (!job->cpu && !job->memory)
		profiler_report_nothing(findings);
	if (job->cpu && job->config->cpu_interval_ns < ETW_INTERVAL_MIN * 100)
		finding_add(
			findings, FINDING_WARNING, "Windows samples no faster",
			"set cpu-interval to 123us or more",
			"cpu-interval is %lld us, but %s takes at most one sample every 122.1 us",
			(long long)(job->config->cpu_interval_ns / NS_PER_US), name);
}

static void check_paths(const struct etw_context *context, struct finding_list *findings)
{
	size_t len = etw_files_longest(context->work_dir, context->instance);
	const char *remedy =
		context->job->config->temp
			? "set [record] temp to a directory with a shorter path, such as C:\\t"
			: "set [record] temp to a directory with a short path on a large disk, "
			  "such "
			  "as C:\\t, or shorten [run] output and name";

	if (len + 1 > ETW_PATH_MAX)
		finding_add(findings, FINDING_ERROR,
			    "wpr refuses paths of more than 259 characters", remedy,
			    "the profiler's files would have paths of %d characters, in %s",
			    (int)len, context->work_dir);
}

/* The trace needs space twice: as recorded, and merged. */
static void check_room(const struct etw_context *context, struct finding_list *findings)
{
	char *temp = context->job->config->temp ? fs_dirname(context->work_dir) : NULL;
	int64_t wanted = context->job->config->min_free_disk_bytes, bytes;
	struct strbuf found = STRBUF_INIT, needed = STRBUF_INIT;

	bytes = temp && fs_is_dir(temp) ? fs_free_space(temp) : -1;
	text_add_bytes(&found, bytes);
	text_add_bytes(&needed, wanted);
	if (bytes >= 0 && bytes < wanted)
		finding_add(findings, FINDING_ERROR, "the trace is recorded and merged there",
			    "free some space, set [record] temp to a directory on another disk, or "
			    "lower min-free-disk",
			    "%s free for the profiler's files at %s, but min-free-disk is %s",
			    found.buf, temp, needed.buf);
	else if (bytes >= 0)
		finding_add(findings, FINDING_OK, NULL, NULL, "%s free for the profiler's files",
			    found.buf);
	strbuf_release(&needed);
	strbuf_release(&found);
	free(temp);
}

bool etw_check(const struct etw_calls *calls, struct profiler_job *job, struct etw_context *context,
	       struct finding_list *findings)
{
	job->user_only = false;
	etw_context_init(context, calls, job);
	job->no_fallback = check_system(calls->tool->name, findings) && context->tool.path;
	check_rights(calls->tool->name, findings);
	check_paths(context, findings);
	check_room(context, findings);
	return check_tool(&context->tool, findings);
}

bool etw_suits(const struct profiler_ops *profiler)
{
	return etw_tool_suits(profiler->etw->tool->name);
}

char *etw_version(const struct profiler_ops *profiler)
{
	struct etw_tool tool;
	char *version;

	etw_tool_find(profiler->etw->tool->name, &tool);
	version = xstrdup_or_null(tool.version_text);
	etw_tool_release(&tool);
	return version;
}

void etw_find_leftovers(const struct profiler_ops *profiler, const struct manifest *manifest,
			const char *dir, struct finding_list *findings)
{
	const struct config config = CONFIG_INIT;
	const struct profiler_job job = { .config = &config, .dir = dir };
	struct strbuf size = STRBUF_INIT;
	struct etw_context context;
	char *remedy = xasprintf("stagetrace recover %s", dir);
	int64_t bytes;

	etw_context_init(&context, profiler->etw, &job);
	etw_context_use_notes(&context, manifest, dir);
	bytes = profiler_dir_bytes(context.work_dir);
	text_add_bytes(&size, bytes);
	if (context.tool.path && manifest_noted(manifest, NOTE_INSTANCE) &&
	    etw_find_state(&context, NULL) == ETW_RECORDING)
		finding_add(findings, FINDING_ERROR,
			    "it slows the machine, fills the disk and blocks other recordings",
			    remedy, "the session of an interrupted recording still runs: %s",
			    context.instance);
	if (bytes)
		finding_add(findings, FINDING_NOTE, "they may be the only copy of its trace",
			    remedy, "an interrupted recording has left %s of profiler files in %s",
			    size.buf, context.work_dir);
	if (manifest_noted(manifest, NOTE_INTERVAL))
		finding_add(
			findings, FINDING_WARNING, "it affects every profiler on this system",
			remedy,
			"an interrupted recording has left the system's sampling interval changed");
	strbuf_release(&size);
	free(remedy);
	etw_context_release(&context);
}

static void show_line(struct strvec *argv, struct strbuf *sb)
{
	shell_add_words(sb, argv);
	strbuf_addc(sb, '\n');
	strvec_release(argv);
}

static void show_mark(const struct etw_context *context, const char *text, struct strbuf *sb)
{
	struct strvec argv = etw_argv(context);

	context->calls->tool->mark(context, text, &argv);
	show_line(&argv, sb);
}

static void show_interval(const struct etw_context *context, int64_t interval, struct strbuf *sb)
{
	struct strvec argv = etw_argv(context);

	context->calls->tool->set_interval(interval, &argv);
	show_line(&argv, sb);
}

static void show_start(const struct etw_context *context, struct strbuf *sb)
{
	struct strvec argv;

	shell_add_comment(sb, "start the profiler");
	shell_add_mkdir(sb, context->work_dir);
	if (context->calls->show_prepare)
		context->calls->show_prepare(context, sb);
	if (context->job->cpu)
		show_interval(context, etw_interval(context->job), sb);
	argv = etw_argv(context);
	context->calls->start(context, &argv);
	show_line(&argv, sb);
	if (!context->job->attached)
		show_mark(context, "stage 2 starts", sb);
}

static void show_stop(const struct etw_context *context, struct strbuf *sb)
{
	struct strvec status = etw_argv(context), stop = etw_argv(context);

	shell_add_comment(sb, "stop the profiler");
	if (!context->job->attached)
		show_mark(context, "stage 2 has ended", sb);
	context->calls->tool->status(context, &status);
	show_line(&status, sb);
	context->calls->stop(context, false, &stop);
	show_line(&stop, sb);
	if (context->job->cpu)
		show_interval(context, 0, sb);
}

void etw_show(const struct profiler_ops *profiler, const struct profiler_job *job, bool end,
	      struct strbuf *sb)
{
	struct etw_context context;

	etw_context_init(&context, profiler->etw, job);
	if (end)
		show_stop(&context, sb);
	else
		show_start(&context, sb);
	etw_context_release(&context);
}
