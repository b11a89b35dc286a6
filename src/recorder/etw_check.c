/*
 * Looking, without changing anything: what would spoil a recording by wpr or xperf, what a dead one has left,
 * and which commands a recording would run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/host.h"
#include "platform/shell.h"
#include "recorder/etw.h"
#include "recorder/etw_codes.h"
#include "recorder/etw_files.h"
#include "util/alloc.h"
#include "util/text.h"

/* A stand-in on another system knows itself whether it is elevated. */
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
			    "what is recorded, and how, is known of Windows 10 and later",
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
		finding_add(findings, FINDING_ERROR, "it is what records on Windows",
			    "install the Windows Performance Toolkit of the Windows ADK, or let "
			    "WPT_PATH name its folder\n"
			    "or record without it: --set record.recorder=none",
			    "there is no %s", tool->name);
		return false;
	}
	finding_add(findings, FINDING_OK, NULL, NULL, "%s %s at %s", tool->name,
		    tool->version_text ? tool->version_text : "of an unknown version", tool->path);
	if (!tool->version_text)
		finding_add(findings, FINDING_NOTE,
			    "options that only a newer one has are tried, and left out where it "
			    "refuses them",
			    NULL, "%s does not say its version", tool->name);
	return true;
}

void etw_check_wishes(const char *name, struct recorder_job *job, struct finding_list *findings)
{
	job->cpu = job->config->cpu;
	job->memory = job->config->virtualalloc;
	if (!job->cpu && !job->memory)
		finding_add(findings, FINDING_ERROR, "there would be nothing to record",
			    "set one of them to yes, or --set record.recorder=none",
			    "cpu and virtualalloc are both off");
	if (job->cpu && job->config->cpu_interval_ns < ETW_INTERVAL_MIN * 100)
		finding_add(findings, FINDING_WARNING, "Windows samples no faster",
			    "set cpu-interval to 123us or more",
			    "cpu-interval asks for a sample every %lld us; %s takes one every 122",
			    (long long)(job->config->cpu_interval_ns / NS_PER_US), name);
}

static void check_paths(const struct etw_context *context, struct finding_list *findings)
{
	size_t len = etw_files_longest(context->folder, context->instance);
	const char *remedy =
		context->job->config->temp
			? "let [record] temp name a folder of a shorter path, as C:\\t"
			: "give [record] temp a folder of a short path on a roomy disk, "
			  "as C:\\t, or shorten [run] output and name";

	if (len + 1 > ETW_PATH_MAX)
		finding_add(findings, FINDING_ERROR,
			    "wpr refuses paths of more than 259 characters", remedy,
			    "the recorder's files would have paths of %d characters, in %s",
			    (int)len, context->folder);
}

/* The trace is written twice: as it is recorded, and merged. */
static void check_room(const struct etw_context *context, struct finding_list *findings)
{
	char *temp = context->job->config->temp ? fs_dirname(context->folder) : NULL;
	int64_t wanted = context->job->config->min_free_disk_bytes, bytes;
	struct strbuf found = STRBUF_INIT, needed = STRBUF_INIT;

	bytes = temp && fs_is_dir(temp) ? fs_free_space(temp) : -1;
	text_add_bytes(&found, bytes);
	text_add_bytes(&needed, wanted);
	if (bytes >= 0 && bytes < wanted)
		finding_add(findings, FINDING_ERROR, "the trace grows there, and is merged there",
			    "free some space, let [record] temp name another disk, or lower "
			    "min-free-disk",
			    "%s free for the recorder's files at %s, min-free-disk asks for %s",
			    found.buf, temp, needed.buf);
	else if (bytes >= 0)
		finding_add(findings, FINDING_OK, NULL, NULL, "%s free for the recorder's files",
			    found.buf);
	strbuf_release(&needed);
	strbuf_release(&found);
	free(temp);
}

bool etw_check(const struct etw_ops *ops, struct recorder_job *job, struct etw_context *context,
	       struct finding_list *findings)
{
	job->user_only = false;
	etw_context_init(context, ops, job, NULL);
	job->insists = check_system(ops->name, findings) && context->tool.path;
	check_rights(ops->name, findings);
	check_paths(context, findings);
	check_room(context, findings);
	return check_tool(&context->tool, findings);
}

void etw_check_end(const char *name, const struct recorder_job *job, struct finding_list *findings)
{
	if (!finding_has(findings, FINDING_ERROR))
		finding_add(findings, FINDING_OK, NULL, NULL, "%s can record %s%s%s", name,
			    job->cpu ? "CPU samples" : "", job->cpu && job->memory ? " and " : "",
			    job->memory ? "memory events" : "");
}

bool etw_suits(const struct recorder_ops *recorder)
{
	return etw_tool_suits(recorder->service->calls->name);
}

char *etw_version(const struct recorder_ops *recorder)
{
	struct etw_tool tool;
	char *version;

	etw_tool_find(recorder->service->calls->name, &tool);
	version = xstrdup_or_null(tool.version_text);
	etw_tool_release(&tool);
	return version;
}

static void add_line(const struct etw_context *context, const struct strvec *args,
		     struct strbuf *sb)
{
	struct strvec argv = STRVEC_INIT;

	strvec_push(&argv, context->tool.path ? context->tool.path : context->tool.name);
	strvec_push_all(&argv, args);
	shell_add_words(sb, &argv);
	strbuf_addc(sb, '\n');
	strvec_release(&argv);
}

#define SHOW(context, sb, ...) \
	do { \
		struct strvec shown = STRVEC_INIT; \
		__VA_ARGS__; \
		add_line(context, &shown, sb); \
		strvec_release(&shown); \
	} while (0)

void etw_show(const struct recorder_service *service, const struct recorder_job *job, bool end,
	      struct strbuf *sb)
{
	const struct etw_ops *ops = service->calls;
	struct etw_context context;

	etw_context_init(&context, ops, job, NULL);
	shell_add_comment(sb, end ? "the recorder is stopped" : "the recorder is started");
	if (!end) {
		shell_add_mkdir(sb, context.folder);
		if (ops->show_prepare)
			ops->show_prepare(&context, sb);
		if (job->cpu)
			SHOW(&context, sb, ops->set_interval(etw_interval(job), &shown));
		SHOW(&context, sb, ops->start(&context, &shown));
		if (!job->attached)
			SHOW(&context, sb, ops->mark(&context, "stage 2 starts", &shown));
	} else {
		if (!job->attached)
			SHOW(&context, sb, ops->mark(&context, "stage 2 has ended", &shown));
		SHOW(&context, sb, ops->status(&context, &shown));
		SHOW(&context, sb, ops->stop(&context, false, &shown));
		if (job->cpu)
			SHOW(&context, sb, ops->set_interval(0, &shown));
	}
	etw_context_release(&context);
}
