/*
 * Heaps by wpr: snapshots of selected processes, or the allocations of every process of an image.
 *
 * A snapshot contains all allocations that are live at that moment, with the stacks of those made since snapshots were
 * enabled: for a process by its number, or for an image by its name before it starts (wpr then sets a value in the
 * registry, which stays). Allocations are traced if an image's TracingFlags are 1 when it starts. Sources: Microsoft's
 * pages "Recording a Heap Snapshot", "Recording for Heap Analysis" and "WPR Command-Line Options"; the versions are
 * from MSO-Scripts (INCLUDE.Heap.ps1).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"
#include "platform/build_tree.h"
#include "platform/shell.h"
#include "profiler/etw/etw_output.h"
#include "profiler/etw/wpr.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* Notes of a session in the manifest: processes ("12 34") and image ("rustc.exe") with snapshots enabled; periodic ones. */
#define NOTE_PIDS     "snapshot_pids"
#define NOTE_IMAGE    "snapshot_image"
#define NOTE_PERIODIC "periodic_snapshots"

/* The setting of an image, before and after its name. */
#define IMAGE_OPTIONS \
	"HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options\\"
#define TRACING_FLAGS "\\TracingFlags"

/* The shortest interval at which wpr takes periodic snapshots. */
#define PERIOD_MIN (5 * NS_PER_S)

static const struct config_heap *heap_of(const struct profiler_job *job)
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
	strvec_push(argv, traces(heap_of(context->job)) ? WPR_HEAP_PROFILE : "HeapSnapshot");
	wpr_add_file_mode(context, argv);
}

static void add_stop(const struct etw_context *context, bool plain, struct strvec *argv)
{
	wpr_add_stop(context, plain,
		     traces(heap_of(context->job))
			     ? "heap allocations of a rustc bootstrap, recorded by stagetrace"
			     : "heap snapshots, taken by stagetrace",
		     argv);
}

/* Does the process run, with memory that is its own? */
static bool is_running(int64_t pid)
{
	return build_process_resident(pid) > 0;
}

static void add_pids(const int64_t *pids, size_t nr, struct strvec *argv)
{
	for (size_t i = 0; i < nr; i++)
		strvec_pushf(argv, "%" PRId64, pids[i]);
}

/* "-snapshotconfig heap BY PIDS|IMAGE enable|disable"; `image` NULL: by `nr` numbers. */
static void add_config(const char *by, const int64_t *pids, size_t nr, const char *image,
		       bool enable, struct strvec *argv)
{
	strvec_push(argv, "-snapshotconfig");
	strvec_push(argv, "heap");
	strvec_push(argv, by);
	add_pids(pids, nr, argv);
	if (image)
		strvec_push(argv, image);
	strvec_push(argv, enable ? "enable" : "disable");
}

/* The noted process numbers; `pids` has room for CONFIG_HEAP_PIDS. */
static size_t noted_pids(const struct manifest *manifest, int64_t *pids)
{
	const char *note = manifest_noted(manifest, NOTE_PIDS);
	size_t nr = 0;

	while (note && *note && nr < CONFIG_HEAP_PIDS) {
		size_t len = strcspn(note, " ");
		char *word = xstrndup(note, len);

		if (text_parse_int(word, 1, UINT32_MAX, &pids[nr]))
			nr++;
		free(word);
		note += len + (note[len] == ' ');
	}
	return nr;
}

static void note_pids(struct manifest *manifest, const int64_t *pids, size_t nr)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&text, "%s%" PRId64, i ? " " : "", pids[i]);
	manifest_note(manifest, NOTE_PIDS, nr ? text.buf : NULL);
	strbuf_release(&text);
}

/* Remove the processes that have ended; true if there were any. */
static bool drop_ended(int64_t *pids, size_t *nr)
{
	size_t kept = 0, before = *nr;

	for (size_t i = 0; i < before; i++) {
		if (is_running(pids[i]))
			pids[kept++] = pids[i];
	}
	*nr = kept;
	return kept < before;
}

/* A call about some processes. */
struct process_call {
	void (*add)(const struct etw_context *context, const struct process_call *call,
		    const int64_t *pids, size_t nr, struct strvec *argv);
	const char *what; /* shown as progress; NULL: none */
	int64_t seconds;
	bool enable;
};

static int run_once(const struct etw_context *context, const struct process_call *call,
		    const int64_t *pids, size_t nr, uint32_t *code, struct err *err)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_argv(context);
	int rc;

	call->add(context, call, pids, nr, &argv);
	rc = etw_run(context, &argv, call->what, &result, err);
	*code = result.code;
	strbuf_release(&result.output);
	strvec_release(&argv);
	return rc;
}

/* Repeat a failed call without the processes that have ended meanwhile, and once after a time limit. */
static int run_on(const struct etw_context *context, const struct process_call *call, int64_t *pids,
		  size_t *nr, struct err *err)
{
	bool again = true;

	drop_ended(pids, nr);
	while (*nr) {
		uint32_t code = 0;

		if (!run_once(context, call, pids, *nr, &code, err))
			return 0;
		/* It could not be run, or hangs. */
		if (!code)
			return -1;
		if (!drop_ended(pids, nr)) {
			if (code != ETW_TIMED_OUT || !again)
				return -1;
			again = false;
		}
		err_clear(err);
	}
	return 0;
}

static void add_config_call(const struct etw_context *context, const struct process_call *call,
			    const int64_t *pids, size_t nr, struct strvec *argv)
{
	(void)context;
	add_config("-pid", pids, nr, NULL, call->enable, argv);
}

static void add_snapshot(const struct etw_context *context, const struct process_call *call,
			 const int64_t *pids, size_t nr, struct strvec *argv)
{
	(void)call;
	strvec_push(argv, "-singlesnapshot");
	strvec_push(argv, "heap");
	add_pids(pids, nr, argv);
	wpr_add_instance(context, argv);
}

static void add_periodic(const struct etw_context *context, const struct process_call *call,
			 const int64_t *pids, size_t nr, struct strvec *argv)
{
	strvec_push(argv, "-enableperiodicsnapshot");
	strvec_push(argv, "heap");
	strvec_pushf(argv, "%" PRId64, call->seconds);
	add_pids(pids, nr, argv);
	wpr_add_instance(context, argv);
}

/* Snapshots by image name are enabled for processes that start later, until they are disabled. */
static int set_image(const struct etw_context *context, const char *image, bool enable,
		     struct err *err)
{
	struct strvec argv = etw_argv(context);

	add_config("-name", NULL, 0, image, enable, &argv);
	return etw_run_ok(context, &argv, err);
}

/* What is noted may never have been enabled, or ended with its process: that is no failure. */
static int disable_pids(const struct etw_context *context, struct err *err)
{
	const struct process_call call = { .add = add_config_call, .enable = false };
	struct manifest *manifest = context->session->manifest;
	int64_t pids[CONFIG_HEAP_PIDS];
	size_t nr = noted_pids(manifest, pids);

	if (run_on(context, &call, pids, &nr, err)) {
		note_pids(manifest, pids, nr);
		return err_wrap(err, "heap snapshots are not disabled yet");
	}
	manifest_note(manifest, NOTE_PIDS, NULL);
	return 0;
}

static int disable_image(const struct etw_context *context, struct err *err)
{
	struct manifest *manifest = context->session->manifest;
	const char *image = manifest_noted(manifest, NOTE_IMAGE);

	if (image && value_is_image(image) && set_image(context, image, false, err))
		return err_wrap(err, "heap snapshots of %s are not disabled yet", image);
	manifest_note(manifest, NOTE_IMAGE, NULL);
	return 0;
}

static int end_periodic(const struct etw_context *context, struct err *err)
{
	struct manifest *manifest = context->session->manifest;
	struct strvec argv;

	if (!manifest_noted(manifest, NOTE_PERIODIC))
		return 0;
	argv = etw_argv(context);
	strvec_push(&argv, "-disableperiodicsnapshot");
	strvec_push(&argv, "heap");
	wpr_add_instance(context, &argv);
	if (etw_run_ok(context, &argv, err))
		return err_wrap(err, "periodic heap snapshots are not ended yet");
	manifest_note(manifest, NOTE_PERIODIC, NULL);
	return 0;
}

/* Undo all that is noted. Every step is tried, the first failure reported. */
static int disable_all(const struct etw_context *context, struct err *err)
{
	static int (*const steps[])(const struct etw_context *,
				    struct err *) = { end_periodic, disable_image, disable_pids };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct err failure = ERR_INIT;

		if (!steps[i](context, &failure))
			continue;
		if (rc)
			err_clear(&failure);
		else
			*err = failure;
		rc = -1;
	}
	return rc;
}

/* Without the rights nothing was enabled, and nothing could be disabled: drop the note. */
static int check_rights(int rc, const struct etw_context *context, const char *note,
			const struct err *err)
{
	if (rc && err->code == ERR_UNSUPPORTED)
		manifest_note(context->session->manifest, note, NULL);
	return rc;
}

static int enable_image(const struct etw_context *context, const char *image, struct err *err)
{
	if (profiler_session_note(context->session, NOTE_IMAGE, image, err))
		return -1;
	return check_rights(set_image(context, image, true, err), context, NOTE_IMAGE, err);
}

static int enable_pids(const struct etw_context *context, const struct config_numbers *wanted,
		       struct err *err)
{
	const struct process_call call = { .add = add_config_call, .enable = true };
	struct manifest *manifest = context->session->manifest;
	int64_t pids[CONFIG_HEAP_PIDS];
	size_t nr = wanted->nr;

	memcpy(pids, wanted->v, nr * sizeof(*pids));
	note_pids(manifest, pids, nr);
	if (manifest_write(manifest, context->job->dir, err) ||
	    check_rights(run_on(context, &call, pids, &nr, err), context, NOTE_PIDS, err))
		return -1;
	return nr ? 0 : err_set(err, ERR_NOT_FOUND, "the processes have ended");
}

static void heap_forget(struct profiler_session *session, int64_t pid)
{
	int64_t pids[CONFIG_HEAP_PIDS];
	size_t nr = noted_pids(session->manifest, pids), kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (pids[i] != pid)
			pids[kept++] = pids[i];
	}
	note_pids(session->manifest, pids, kept);
}

static int enable_noted(const struct etw_context *context, int64_t pid, struct err *err)
{
	const struct process_call call = { .add = add_config_call, .enable = true };
	size_t nr = 1;
	int rc;

	if (manifest_write(context->session->manifest, context->job->dir, err))
		return -1;
	rc = run_on(context, &call, &pid, &nr, err);
	if (!rc && !nr)
		rc = err_set(err, ERR_NOT_FOUND, "it has ended");
	if (rc && (!nr || err->code == ERR_UNSUPPORTED))
		heap_forget(context->session, pid);
	return rc;
}

static int heap_enable(struct profiler_session *session, int64_t pid, struct err *err)
{
	int64_t pids[CONFIG_HEAP_PIDS + 1];
	size_t nr = noted_pids(session->manifest, pids);
	struct etw_context *context;

	if (session->job->config->heap_job.image)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		if (pids[i] == pid)
			return 0;
	}
	if (nr == CONFIG_HEAP_PIDS)
		return err_set(err, ERR_FAILED, "snapshots of %d processes are enabled already",
			       (int)nr);
	context = etw_open(session, err);
	if (!context)
		return -1;
	pids[nr] = pid;
	note_pids(session->manifest, pids, nr + 1);
	return enable_noted(context, pid, err);
}

static int heap_take(struct profiler_session *session, int64_t *pids, size_t *nr, struct err *err)
{
	const struct process_call call = { .add = add_snapshot, .what = "taking a heap snapshot" };
	struct etw_context *context = etw_open(session, err);

	return context ? run_on(context, &call, pids, nr, err) : -1;
}

static int heap_repeat(struct profiler_session *session, int64_t interval_ns, int64_t *pids,
		       size_t *nr, struct err *err)
{
	const struct process_call call = { .add = add_periodic, .seconds = interval_ns / NS_PER_S };
	struct etw_context *context = etw_open(session, err);

	if (!context)
		return -1;
	drop_ended(pids, nr);
	if (!*nr)
		return end_periodic(context, err);
	if (profiler_session_note(session, NOTE_PERIODIC, "enabled", err))
		return -1;
	return run_on(context, &call, pids, nr, err);
}

/* Snapshots of future processes are enabled by image, of running ones by number. */
static int prepare(const struct etw_context *context, struct err *err)
{
	const struct config_heap *heap = heap_of(context->job);

	if (traces(heap))
		return 0;
	if (context->job->attached)
		return enable_pids(context, &heap->pids, err);
	return heap->image ? enable_image(context, heap->image, err) : 0;
}

static const struct etw_calls calls = {
	.tool = &wpr_tool_calls,
	.prepare = prepare,
	.undo = disable_all,
	.start = add_start,
	.stop = add_stop,
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
			    "wpr takes periodic snapshots only at a fixed interval",
			    "leave out [heap] at, or periodic",
			    "[heap] at and periodic contradict each other");
	if (heap->interval_ns < PERIOD_MIN || heap->interval_ns % NS_PER_S)
		finding_add(findings, FINDING_ERROR,
			    "wpr counts whole seconds, and the shortest interval is 5",
			    "set [heap] interval to 5s or longer, in whole seconds, or leave out "
			    "periodic",
			    "periodic snapshots need an interval of at least 5 whole seconds");
}

static void check_processes(const struct profiler_job *job, struct finding_list *findings)
{
	const struct config_heap *heap = heap_of(job);

	if (heap->pids.nr && (heap->crates.nr || heap->image))
		finding_add(findings, FINDING_ERROR,
			    "crate and image select processes of a build, and with pid nothing is "
			    "built",
			    "leave out [heap] pid, or the others",
			    "[heap] pid cannot be combined with crate or image");
	if (!heap->pids.nr && !heap->crates.nr)
		finding_add(findings, FINDING_ERROR, "snapshots are of single processes",
			    "set [heap] crate, as in crate = rustc_middle",
			    "[heap] selects no process");
	for (size_t i = 0; i < heap->pids.nr; i++) {
		if (!is_running(heap->pids.v[i]))
			finding_add(findings, FINDING_ERROR, "[heap] pid requests a snapshot of it",
				    "find its number in the Task Manager, or with tasklist",
				    "there is no process %" PRId64, heap->pids.v[i]);
	}
	if (heap->image && heap->crates.nr)
		finding_add(findings, FINDING_WARNING,
			    "each of their allocations is tracked with its stack, so they are "
			    "slower and use more memory while the recording runs",
			    "leave out [heap] image: then only the selected processes are tracked, "
			    "from the moment they are seen",
			    "snapshots will be enabled for every %s of this machine", heap->image);
}

void wpr_heap_check_tracing(const struct config_heap *heap, struct finding_list *findings)
{
	finding_add(findings, FINDING_WARNING,
		    "each allocation becomes an event with its stack: the build takes many times "
		    "longer, and the trace may fill the disk; rustc's own guide advises against it",
		    "use recipe = snapshots, or build stage 2 first and record one crate only",
		    "every allocation of every %s on this machine will be recorded",
		    traced_image(heap));
}

static void heap_check(struct profiler_job *job, struct finding_list *findings)
{
	const struct config_heap *heap = heap_of(job);
	struct etw_context context;
	bool found;

	job->cpu = job->memory = false;
	found = etw_check(&calls, job, &context, findings);
	if (traces(heap)) {
		if (job->attached)
			finding_add(findings, FINDING_ERROR,
				    "heap tracing begins when a process starts",
				    "set [heap] recipe = snapshots",
				    "running processes cannot be traced");
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

void wpr_heap_add_setting(const struct config_heap *heap, struct profiler_settings *settings)
{
	char *path = xasprintf(IMAGE_OPTIONS "%s" TRACING_FLAGS, traced_image(heap));

	profiler_settings_add(settings, path, "dword:1", true);
	free(path);
}

/* A number, as Windows keeps it, a string with one, or nothing. */
static bool is_flags(const char *value)
{
	int64_t flags;

	if (text_starts_with(value, "sz:"))
		return strspn(value + strlen("sz:"), "0123456789abcdefxABCDEFX") ==
		       strlen(value) - strlen("sz:");
	if (text_starts_with(value, "dword:"))
		return text_parse_int(value + strlen("dword:"), 0, UINT32_MAX, &flags);
	return !strcmp(value, "none") || !strcmp(value, "no key");
}

bool wpr_heap_restores(const char *path, const char *value)
{
	char *image;
	bool may;

	if (!text_starts_with(path, IMAGE_OPTIONS))
		return false;
	path += strlen(IMAGE_OPTIONS);
	if (!text_ends_with(path, TRACING_FLAGS))
		return false;
	image = xstrndup(path, strlen(path) - strlen(TRACING_FLAGS));
	/* cmd.exe replaces %NAME%. */
	may = value_is_image(image) && !strchr(image, '%') && is_flags(value);
	free(image);
	return may;
}

static void heap_settings(const struct profiler_job *job, struct profiler_settings *settings)
{
	if (traces(heap_of(job)))
		wpr_heap_add_setting(heap_of(job), settings);
}

static void heap_find_leftovers(const struct profiler_ops *profiler,
				const struct manifest *manifest, const char *dir,
				struct finding_list *findings)
{
	const char *image = manifest_noted(manifest, NOTE_IMAGE);
	char *remedy = xasprintf("stagetrace recover %s", dir);

	etw_find_leftovers(profiler, manifest, dir, findings);
	if (image)
		finding_add(findings, FINDING_WARNING,
			    "each of their allocations is tracked, which costs time and memory",
			    remedy,
			    "an interrupted recording has left heap snapshots enabled for every %s",
			    image);
	free(remedy);
}

/* The command that enables snapshots before the recording, or disables them after it. */
static void show_config(const struct profiler_job *job, bool enable, struct strbuf *sb)
{
	const struct config_heap *heap = heap_of(job);
	struct etw_context context;
	struct strvec argv;

	etw_context_init(&context, &calls, job);
	argv = etw_argv(&context);
	if (job->attached)
		add_config("-pid", heap->pids.v, heap->pids.nr, NULL, enable, &argv);
	else if (heap->image)
		add_config("-name", NULL, 0, heap->image, enable, &argv);
	if (argv.nr > 1) {
		shell_add_comment(sb, enable ? "enable snapshots" : "disable snapshots");
		shell_add_words(sb, &argv);
		strbuf_addc(sb, '\n');
	}
	strvec_release(&argv);
	etw_context_release(&context);
}

static void heap_show(const struct profiler_ops *profiler, const struct profiler_job *job, bool end,
		      struct strbuf *sb)
{
	const struct config_heap *heap = heap_of(job);
	bool snapshots = !traces(heap), by_pid = !job->attached && !heap->image;

	if (snapshots && !end)
		show_config(job, true, sb);
	etw_show(profiler, job, end, sb);
	if (snapshots && !end) {
		char *call = heap->periodic
				     ? xasprintf("-singlesnapshot heap P; wpr "
						 "-enableperiodicsnapshot heap %" PRId64 " P",
						 heap->interval_ns / NS_PER_S)
				     : xstrdup("-singlesnapshot heap P");
		char *text =
			xasprintf("meanwhile, for each selected process P: %swpr %s",
				  by_pid ? "wpr -snapshotconfig heap -pid P enable; " : "", call);

		shell_add_comment(sb, text);
		free(text);
		free(call);
	}
	if (snapshots && end && heap->periodic)
		shell_add_comment(sb, "wpr -disableperiodicsnapshot heap");
	if (snapshots && end)
		show_config(job, false, sb);
}

const struct profiler_ops heap_profiler = {
	.name = "wpr-heap",
	.summary = "Windows Performance Recorder: heap snapshots, or every heap allocation",
	.check = heap_check,
	.settings = heap_settings,
	.restores = wpr_heap_restores,
	.records_heap = true,
	.find_leftovers = heap_find_leftovers,
	.show = heap_show,
	ETW_HOOKS,
	.etw = &calls,
	.snapshot_processes = CONFIG_HEAP_PIDS,
	.enable_snapshots = heap_enable,
	.take_snapshots = heap_take,
	.repeat_snapshots = heap_repeat,
	.forget_snapshots = heap_forget,
};
