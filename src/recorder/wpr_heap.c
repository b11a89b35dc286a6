/*
 * Heaps by wpr: snapshots of chosen processes, or the allocations of every process of an image.
 *
 * A snapshot holds all allocations that live at that moment, with the stacks of those that were made since snapshots
 * were permitted: of a process by its number, or of an image by its name, before it starts (wpr then sets a value of
 * the registry, which stays). Allocations are traced where an image's TracingFlags are 1 when it starts. From
 * Microsoft's pages "Recording a Heap Snapshot", "Recording for Heap Analysis" and "WPR Command-Line Options", and the
 * versions from MSO-Scripts (INCLUDE.Heap.ps1).
 */
#include "recorder/wpr_heap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/shell.h"
#include "recorder/etw.h"
#include "recorder/etw_files.h"
#include "recorder/etw_session.h"
#include "recorder/wpr_calls.h"
#include "recorder/wpr_snapshots.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define NAME WPR_NAME

static const struct config_heap *wishes(const struct recorder_job *job)
{
	return &job->config->heap_job;
}

static bool traces(const struct config_heap *heap)
{
	return heap->recipe && !strcmp(heap->recipe, "tracing");
}

static const char *traced_image(const struct config_heap *heap)
{
	return heap->image ? heap->image : "rustc.exe";
}

static void add_start(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-start");
	strvec_push(argv, traces(wishes(context->job)) ? WPR_HEAP_PROFILE : "HeapSnapshot");
	wpr_add_file_mode(context, argv);
}

static void add_stop(const struct etw_context *context, bool plain, struct strvec *argv)
{
	wpr_add_stop(context, plain,
		     traces(wishes(context->job))
			     ? "heap allocations of a rustc bootstrap, recorded by stagetrace"
			     : "heap snapshots, taken by stagetrace",
		     argv);
}

/* Of processes that are still to start an image is permitted, of others they themselves. */
static int prepare(const struct etw_context *context, struct service_session *session,
		   struct err *err)
{
	const struct config_heap *heap = wishes(session->job);

	if (traces(heap))
		return 0;
	if (session->job->attached)
		return wpr_snapshots_permit_pids(context, session, &heap->pids, err);
	return heap->image ? wpr_snapshots_permit_image(context, session, heap->image, err) : 0;
}

const struct etw_ops wpr_heap_calls = {
	.name = NAME,
	.prepare = prepare,
	.put_back = wpr_snapshots_put_back,
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

/* wpr has them since 10.0.16194, Windows since 10.0.17112. */
static void check_version(const struct etw_context *context, struct finding_list *findings)
{
	if (context->tool.version_text && !etw_tool_is_at_least(&context->tool, 10, 0, 16194))
		finding_add(findings, FINDING_ERROR, "wpr takes heap snapshots since 10.0.16194",
			    "install a current Windows ADK (Windows Performance Toolkit)",
			    "this wpr is too old: %s", context->tool.version_text);
}

static void check_moments(const struct config_heap *heap, struct finding_list *findings)
{
	if (!heap->periodic)
		return;
	if (heap->at.nr)
		finding_add(findings, FINDING_ERROR,
			    "wpr takes periodic snapshots at an interval alone",
			    "leave out [heap] at, or periodic",
			    "[heap] at and periodic contradict each other");
	if (heap->interval_ns < SNAPSHOT_PERIOD_MIN || heap->interval_ns % NS_PER_S)
		finding_add(
			findings, FINDING_ERROR, "wpr counts whole seconds, and takes none sooner",
			"set [heap] interval to 5s or more whole seconds, or leave out periodic",
			"periodic snapshots need an interval of whole seconds, 5 or more");
}

static void check_processes(const struct recorder_job *job, struct finding_list *findings)
{
	const struct config_heap *heap = wishes(job);

	if (heap->pids.nr && (heap->crates.nr || heap->image))
		finding_add(findings, FINDING_ERROR,
			    "crate and image choose among processes of a build, and with pid "
			    "there is none",
			    "leave out [heap] pid, or the others",
			    "[heap] pid stands beside crate or image");
	if (!heap->pids.nr && !heap->crates.nr)
		finding_add(findings, FINDING_ERROR, "snapshots are of single processes",
			    "let [heap] crate name crates, as in crate = rustc_middle",
			    "[heap] does not say whose heap to take");
	for (size_t i = 0; i < heap->pids.nr; i++) {
		if (!wpr_snapshots_is_there(heap->pids.v[i]))
			finding_add(findings, FINDING_ERROR, "its heap is to be taken",
				    "look for it in the Task Manager, or by tasklist",
				    "there is no process %" PRId64, heap->pids.v[i]);
	}
	if (heap->image && heap->crates.nr)
		finding_add(findings, FINDING_WARNING,
			    "each of their allocations is followed, with its stack: they take "
			    "longer and hold more memory, until it is over",
			    "leave out [heap] image: the chosen processes alone are followed then, "
			    "from when they are seen",
			    "snapshots will be permitted for every %s of this machine",
			    heap->image);
}

void wpr_heap_check_tracing(const struct config_heap *heap, struct finding_list *findings)
{
	finding_add(
		findings, FINDING_WARNING,
		"each allocation becomes an event with its stack: the build takes many times as "
		"long, and the trace may fill the disk. rustc's own guide advises against it",
		"use recipe = snapshots, or build one crate only, with stage 2 made before",
		"every allocation of every %s on this machine will be recorded",
		traced_image(heap));
}

static void heap_check(struct recorder_job *job, struct finding_list *findings)
{
	const struct config_heap *heap = wishes(job);
	struct etw_context context;
	bool found;

	job->cpu = job->memory = false;
	found = etw_check(&wpr_heap_calls, job, &context, findings);
	if (traces(heap)) {
		if (job->attached)
			finding_add(findings, FINDING_ERROR, "tracing begins when a process starts",
				    "set [heap] recipe = snapshots",
				    "processes that run already can't be traced");
		wpr_heap_check_tracing(heap, findings);
	} else {
		check_processes(job, findings);
		check_moments(heap, findings);
		check_version(&context, findings);
	}
	if (found)
		wpr_check_idle(&context, findings);
	if (!finding_has(findings, FINDING_ERROR))
		finding_add(findings, FINDING_OK, NULL, NULL, "wpr can %s",
			    traces(heap) ? "trace heaps" : "take heap snapshots");
	etw_context_release(&context);
}

void wpr_heap_add_setting(const struct config_heap *heap, struct recorder_settings *settings)
{
	char *path = xasprintf("HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\"
			       "Image File Execution Options\\%s\\TracingFlags",
			       traced_image(heap));

	recorder_settings_add(settings, path, "dword:1", true);
	free(path);
}

static void heap_settings(const struct recorder_job *job, struct recorder_settings *settings)
{
	if (traces(wishes(job)))
		wpr_heap_add_setting(wishes(job), settings);
}

static void heap_find_leftovers(const struct recorder_service *service,
				const struct manifest *manifest, const char *dir,
				struct finding_list *findings)
{
	const char *image = manifest_noted(manifest, SNAPSHOT_NOTE_IMAGE);
	char *remedy = xasprintf("stagetrace recover %s", dir);

	etw_find_leftovers(service, manifest, dir, findings);
	if (image)
		finding_add(findings, FINDING_WARNING,
			    "each of their allocations is followed, which costs time and memory",
			    remedy,
			    "a dead recording has left heap snapshots permitted for every %s",
			    image);
	free(remedy);
}

/* What is permitted before, or forbidden after. */
static void show_permission(const struct recorder_job *job, bool enable, struct strbuf *sb)
{
	const struct config_heap *heap = wishes(job);
	struct etw_context context;
	struct strvec argv;

	etw_context_init(&context, &wpr_heap_calls, job, NULL);
	argv = etw_session_argv(&context);
	if (job->attached)
		wpr_snapshots_add_config("-pid", heap->pids.v, heap->pids.nr, NULL, enable, &argv);
	else if (heap->image)
		wpr_snapshots_add_config("-name", NULL, 0, heap->image, enable, &argv);
	if (argv.nr > 1) {
		shell_add_comment(sb, enable ? "snapshots are permitted"
					     : "snapshots are forbidden again");
		shell_add_words(sb, &argv);
		strbuf_addc(sb, '\n');
	}
	strvec_release(&argv);
	etw_context_release(&context);
}

static void heap_show(const struct recorder_service *service, const struct recorder_job *job,
		      bool end, struct strbuf *sb)
{
	const struct config_heap *heap = wishes(job);
	bool snapshots = !traces(heap), by_pid = !job->attached && !heap->image;

	if (snapshots && !end)
		show_permission(job, true, sb);
	etw_show(service, job, end, sb);
	if (snapshots && !end)
		shell_add_comment(sb, by_pid ? "meanwhile, of each process P that is chosen: "
					       "wpr -snapshotconfig heap -pid P enable; "
					       "wpr -singlesnapshot heap P"
					     : "meanwhile, of each process P that is chosen: "
					       "wpr -singlesnapshot heap P");
	if (snapshots && end)
		show_permission(job, false, sb);
}

static const struct recorder_service service = {
	.start = etw_start,
	.mark = etw_mark,
	.stop = etw_stop,
	.cancel = etw_cancel,
	.release = etw_release,
	.find_leftovers = heap_find_leftovers,
	.show = heap_show,
	.folder = etw_files_folder,
	.written = etw_files_bytes,
	.snapshots = &wpr_snapshots,
	.calls = &wpr_heap_calls,
};

const struct recorder_ops heap_recorder = {
	.name = "wpr-heap",
	.summary = "Windows Performance Recorder: heap snapshots, or every heap allocation",
	.suits = etw_suits,
	.check = heap_check,
	.version = etw_version,
	.settings = heap_settings,
	.trace = RUN_ETL,
	.service = &service,
	.records_heap = true,
};
