/*
 * Trace events: JSON of slices, counters and names, as Chrome, Perfetto and others read it. Times are microseconds. There
 * are no stacks: those of the format are read by nobody together with slices. The whole build is process 0.
 * Format: "Trace Event Format", docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
 *
 * Slices of a thread nest: phases are inside the slice of their process. Bootstrap's own trace (BOOTSTRAP_TRACING) is of
 * the same format, and begins when bootstrap does: "bootstrap_start_us" says when that is here.
 */
#include <stdlib.h>
#include <string.h>

#include "report/export_format.h"
#include "report/json_out.h"

/* Digits from nanoseconds to microseconds. */
#define US 3

struct chrome {
	const struct profile *profile;
	struct json_out json;
	size_t nr;
};

static void raw(struct chrome *chrome, const char *text)
{
	json_out_raw(&chrome->json, text);
}

static void begin_event(struct chrome *chrome, const char *ph, int64_t pid, int64_t tid)
{
	raw(chrome, chrome->nr++ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	raw(chrome, ph);
	raw(chrome, "\",\"pid\":");
	json_out_int(&chrome->json, pid);
	raw(chrome, ",\"tid\":");
	json_out_int(&chrome->json, tid);
}

static void add_time(struct chrome *chrome, const char *key, int64_t ns)
{
	raw(chrome, key);
	json_out_fixed(&chrome->json, ns, US);
}

static void add_text(struct chrome *chrome, const char *key, const char *text)
{
	raw(chrome, key);
	json_out_string(&chrome->json, text);
}

static void add_int(struct chrome *chrome, const char *key, int64_t value)
{
	raw(chrome, key);
	json_out_int(&chrome->json, value);
}

static void write_name(struct chrome *chrome, const char *kind, int64_t pid, int64_t tid,
		       const char *name)
{
	begin_event(chrome, "M", pid, tid);
	raw(chrome, ",\"name\":\"");
	raw(chrome, kind);
	add_text(chrome, "\",\"args\":{\"name\":", name);
	raw(chrome, "}}");
}

/* The start of a slice, up to its arguments. */
static void begin_slice(struct chrome *chrome, int64_t pid, int64_t tid, const char *category,
			const char *name, int64_t start_ns, int64_t end_ns)
{
	begin_event(chrome, "X", pid, tid);
	add_time(chrome, ",\"ts\":", start_ns);
	add_time(chrome, ",\"dur\":", end_ns - start_ns);
	raw(chrome, ",\"cat\":\"");
	raw(chrome, category);
	add_text(chrome, "\",\"name\":", name);
	raw(chrome, ",\"args\":{");
}

static void write_process(struct chrome *chrome, const struct profile_process *process)
{
	begin_slice(chrome, process->pid, process->pid, "process", process->name, process->start_ns,
		    process->end_ns);
	add_int(chrome, "\"process_id\":", process->real_pid);
	add_text(chrome, ",\"role\":", process->role);
	if (process->crate)
		add_text(chrome, ",\"crate\":", process->crate);
	if (process->part)
		add_text(chrome, ",\"part\":", process->part);
	if (process->built_by != STAGE_UNKNOWN)
		add_int(chrome, ",\"built_by\":", process->built_by);
	if (process->exit_code != PROCESS_UNKNOWN)
		add_int(chrome, ",\"exit_code\":", process->exit_code);
	if (process->command_line)
		add_text(chrome, ",\"command_line\":", process->command_line);
	raw(chrome, "}}");
}

static void write_phases(struct chrome *chrome, const struct profile_thread *thread)
{
	const struct profile *profile = chrome->profile;
	int64_t pid = profile->processes[thread->process].pid;
	struct profile_span span;
	size_t at = 0;

	while (profile_next_span(profile, thread, &at, &span)) {
		begin_slice(chrome, pid, thread->tid, "phase",
			    profile->phases.strings.v[span.phase], span.start_ns, span.end_ns);
		add_int(chrome, "\"cpu_ns\":", span.ns);
		raw(chrome, "}}");
	}
}

static void write_memory(struct chrome *chrome, int64_t pid, const struct profile_curve *memory)
{
	for (size_t i = 0; i < memory->nr; i++) {
		begin_event(chrome, "C", pid, pid);
		add_time(chrome, ",\"ts\":", memory->v[i].time_ns);
		add_int(chrome, ",\"name\":\"memory\",\"args\":{\"bytes\":", memory->v[i].held);
		raw(chrome, "}}");
	}
}

static void write_build(struct chrome *chrome)
{
	const struct profile *profile = chrome->profile;
	size_t nr;
	struct profile_part *parts = profile_parts(profile, &nr);

	write_name(chrome, "process_name", 0, 0, "build");
	/* Parts overlap: each has a thread of its own, as slices of one would have to nest. */
	for (size_t i = 0; i < nr; i++) {
		write_name(chrome, "thread_name", 0, (int64_t)i, parts[i].name);
		begin_slice(chrome, 0, (int64_t)i, "part", parts[i].name, parts[i].start_ns,
			    parts[i].end_ns);
		raw(chrome, "}}");
	}
	write_memory(chrome, 0, &profile->memory);
	free(parts);
}

/* When bootstrap started, in the range or not; -1: unknown. */
static int64_t bootstrap_start(const struct profile *profile)
{
	for (size_t i = 0; i < profile->processes_nr; i++) {
		if (!strcmp(profile->processes[i].role, role_name(ROLE_BOOTSTRAP)))
			return profile->processes[i].known_start_ns;
	}
	return -1;
}

static void write_head(struct chrome *chrome, const char *subject)
{
	int64_t start_ns = bootstrap_start(chrome->profile);

	raw(chrome, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"program\":"
		    "\"stagetrace " STAGETRACE_VERSION "\"");
	if (subject)
		add_text(chrome, ",\"recording\":", subject);
	if (start_ns >= 0)
		add_time(chrome, ",\"bootstrap_start_us\":", start_ns);
	raw(chrome, "},\n\"traceEvents\":[");
}

static void chrome_write(const struct export_data *data, FILE *out)
{
	const struct profile *profile = data->profile;
	struct chrome chrome = { .profile = profile, .json = JSON_OUT_INIT(out) };

	write_head(&chrome, data->subject);
	write_build(&chrome);
	for (size_t i = 0; i < profile->processes_nr; i++) {
		const struct profile_process *process = &profile->processes[i];

		write_name(&chrome, "process_name", process->pid, process->pid, process->name);
		write_process(&chrome, process);
		write_memory(&chrome, process->pid, &process->memory);
	}
	for (size_t i = 0; i < profile->threads_nr; i++) {
		const struct profile_thread *thread = &profile->threads[i];

		write_name(&chrome, "thread_name", profile->processes[thread->process].pid,
			   thread->tid, thread->name);
		write_phases(&chrome, thread);
	}
	raw(&chrome, "\n]}\n");
	json_out_end(&chrome.json);
}

const struct export_format export_chrome = {
	.name = "chrome",
	.help = "processes, phases and memory over time, as trace events",
	.ending = ".chrome.json",
	.carries = EXPORT_SUBJECT | EXPORT_EVENTS,
	.write = chrome_write,
};
