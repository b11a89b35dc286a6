#include "cli/view_report_parts.h"

#include <math.h>
#include <string.h>

#include "cli/view_report.h"
#include "model/concurrency.h"
#include "model/trace_facts.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/text.h"
#include "util/wrap.h"

void view_report_add_fact(struct view_report *report, const char *label, char *text)
{
	ARRAY_ADD(report->facts, report->facts_nr, report->facts_alloc,
		  (struct page_fact){ label, text });
}

/* A fact that comes after those of the recording. */
static void add_later(struct view_report *report, const char *label, const char *text)
{
	if (text)
		ARRAY_ADD(report->later, report->later_nr, report->later_alloc,
			  (struct page_fact){ label, xstrdup(text) });
}

static void add_fact_copy(struct view_report *report, const char *label, const char *text)
{
	if (text)
		view_report_add_fact(report, label, xstrdup(text));
}

void view_report_add_problem(struct view_report *report, const char *text)
{
	if (*text)
		strset_add(&report->problems, text);
}

void view_report_add_problems(struct view_report *report, struct strbuf *lines)
{
	for (char *at = lines->buf, *end; *at; at = end) {
		end = at + strcspn(at, "\n");
		if (*end)
			*end++ = '\0';
		view_report_add_problem(report, at);
	}
	strbuf_release(lines);
}

static void add_number(struct page_columns *columns, const char *name, int64_t number)
{
	page_columns_begin(columns);
	page_columns_add_signed(columns, number);
	page_columns_end(columns, name, 1, PAGE_SIGNED);
}

/* Arguments of the shell whose script only runs those after them: where these begin. */
static size_t skip_shell(const struct strvec *argv, size_t i)
{
	const char *run = "\"$@\"", *script = i + 4 < argv->nr ? argv->v[i + 2] : "";
	size_t length = strlen(script);

	if (length < strlen(run) || strcmp(argv->v[i], "/bin/sh") != 0 ||
	    strcmp(argv->v[i + 1], "-c") != 0 || strcmp(script + length - strlen(run), run) != 0)
		return i;
	return i + 4;
}

/* Where the command of the build begins: a profiler that runs it has its own arguments first, up to "--". */
static size_t build_begins(const struct strvec *argv)
{
	for (size_t i = 0; i < argv->nr; i++) {
		if (!strcmp(argv->v[i], "--"))
			return skip_shell(argv, i + 1);
	}
	return argv->nr;
}

static void add_command(struct view_report *report, const char *label,
			const struct manifest_command *command)
{
	bool profiler = !strcmp(command->what, "recorder");
	struct strbuf text = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;

	for (size_t i = profiler ? build_begins(&command->argv) : 0; i < command->argv.nr; i++)
		strvec_push(&argv, command->argv.v[i]);
	if (!argv.nr)
		return;
	quote_add_shell(&text, &argv);
	strvec_release(&argv);
	if (command->end_ns >= command->start_ns) {
		strbuf_adds(&text, " (");
		text_add_duration(&text, command->end_ns - command->start_ns);
		if (command->exit_code > 0)
			strbuf_addf(&text, ", exit code %lld", (long long)command->exit_code);
		strbuf_addc(&text, ')');
	}
	view_report_add_fact(report, label, strbuf_detach(&text));
}

static void add_commands(struct view_report *report)
{
	const struct manifest *manifest = &report->run.manifest;
	bool stages = false;

	for (size_t i = 0; i < manifest->commands_nr; i++) {
		const struct manifest_command *command = &manifest->commands[i];

		if (!strcmp(command->what, "stage1")) {
			stages = true;
			add_command(report, "Stage 1", command);
		} else if (!strcmp(command->what, "before")) {
			add_command(report, "Before stage 2", command);
		} else if (!strcmp(command->what, "stage2") || !strcmp(command->what, "recorder")) {
			add_command(report, stages ? "Stage 2" : "Command", command);
		}
	}
}

static void add_source(struct view_report *report)
{
	char *text = manifest_commit_text(&report->run.manifest);

	if (text)
		view_report_add_fact(report, "Commit", text);
}

static void add_recorder(struct view_report *report)
{
	const struct manifest *manifest = &report->run.manifest;

	if (manifest->recorder)
		view_report_add_fact(
			report, "Recorder",
			xasprintf("%s%s%s", manifest->recorder,
				  manifest->recorder_version ? " " : "",
				  manifest->recorder_version ? manifest->recorder_version : ""));
}

static void add_duration(struct view_report *report)
{
	struct strbuf text = STRBUF_INIT;

	text_add_duration(&text, report->end_ns);
	strbuf_addf(&text, ", %zu process%s", report->run.processes.nr,
		    report->run.processes.nr == 1 ? "" : "es");
	view_report_add_fact(report, "Recorded", strbuf_detach(&text));
}

/* The time of the build: stage 2 of a run, or all of the recording. False: nothing is known to have worked in it. */
static bool build_time(const struct view_report *report, int64_t *from_ns, int64_t *to_ns)
{
	const struct manifest *manifest = &report->run.manifest;

	*from_ns = report->run.source ? manifest->stage2_start_ns : 0;
	*to_ns = report->run.source && manifest->stage2_end_ns > 0 ? manifest->stage2_end_ns
								   : report->end_ns;
	return report->cpus > 0 && *to_ns > *from_ns && report->run.processes.nr;
}

/* How much of the processors was used, and how long nobody, or one alone, worked. */
static void add_processors(struct view_report *report, const struct concurrency *work,
			   int64_t wall_ns)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%lld", (long long)report->cpus);
	if (work->cpu_ns >= 0)
		strbuf_addf(&text, ", used to %lld %%",
			    llround(concurrency_percent(work->cpu_ns, wall_ns, report->cpus)));
	strbuf_adds(&text, "; no process at work for ");
	text_add_duration(&text, work->none_ns);
	strbuf_adds(&text, ", one alone for ");
	text_add_duration(&text, work->alone_ns);
	view_report_add_fact(report, "Processors", strbuf_detach(&text));
}

/* The average of the steps that are wholly inside; below 0: unknown. */
static double processors_used(const struct view_report *report, const struct stretch *stretch)
{
	int64_t step_ns = report->step_ns, sum = 0;
	int64_t first = (stretch->start_ns + step_ns - 1) / step_ns,
		end = stretch->end_ns / step_ns;

	if (!report->step_cpu_ns || first >= end)
		return -1;
	for (int64_t i = first; i < end && i + 1 < report->steps; i++)
		wrap_add_to(&sum, report->step_cpu_ns[i + 1]);
	return (double)sum / (double)((end - first) * step_ns);
}

static void add_idle(struct view_report *report, int64_t from_ns, int64_t to_ns)
{
	struct stretch longest[PAGE_IDLE_MOST];

	report->idle_nr = concurrency_longest(&report->run.processes, from_ns, to_ns, longest,
					      PAGE_IDLE_MOST);
	for (size_t i = 0; i < report->idle_nr; i++) {
		const struct process *process = longest[i].process;

		report->idle[i] = (struct page_idle){
			.start_ns = longest[i].start_ns,
			.duration_ns = longest[i].end_ns - longest[i].start_ns,
			.image = process ? process_image(process) : NULL,
			.crate = process ? process->tag.crate : NULL,
			.processors = processors_used(report, &longest[i]),
		};
		report->idle_pointers[i] = &report->idle[i];
	}
}

static void add_work(struct view_report *report)
{
	struct concurrency work;
	int64_t from_ns, to_ns;

	if (!build_time(report, &from_ns, &to_ns))
		return;
	concurrency_measure(&report->run.processes, from_ns, to_ns, report->cpus, &work);
	if (!work.most)
		return;
	add_processors(report, &work, to_ns - from_ns);
	add_idle(report, from_ns, to_ns);
}

static void add_memory(struct view_report *report)
{
	int64_t bytes = manifest_host_number(&report->run.manifest, "memory_bytes");
	struct strbuf text = STRBUF_INIT;

	if (bytes < 0)
		return;
	text_add_bytes(&text, bytes);
	view_report_add_fact(report, "Memory", strbuf_detach(&text));
}

/* The machine and the profiler of a run. */
static void add_machine(struct view_report *report)
{
	const struct manifest *manifest = &report->run.manifest;

	add_fact_copy(report, "Host", manifest_host(manifest, "hostname"));
	add_fact_copy(report, "System", manifest_host(manifest, "os"));
	add_fact_copy(report, "Processor", manifest_host(manifest, "cpu_model"));
	add_memory(report);
	add_recorder(report);
	add_fact_copy(report, "Start", manifest->start_utc);
}

void view_report_add_trace(struct view_report *report, const struct trace_facts *facts)
{
	struct strbuf command = STRBUF_INIT, memory = STRBUF_INIT;

	if (report->run.source)
		return;
	quote_add_shell(&command, &facts->command_line);
	add_later(report, "Recorded by", command.len ? command.buf : NULL);
	add_later(report, "Host", facts->hostname);
	add_later(report, "Kernel", facts->os_release);
	add_later(report, "Processor", facts->cpu_model);
	if (facts->memory_bytes > 0)
		text_add_bytes(&memory, facts->memory_bytes);
	add_later(report, "Memory", memory.len ? memory.buf : NULL);
	add_later(report, "Recorder's version", facts->tool_version);
	add_later(report, "Start", facts->start_utc);
	strbuf_release(&command);
	strbuf_release(&memory);
}

static void add_cpu_fact(struct view_report *report)
{
	struct strbuf text = STRBUF_INIT;
	int64_t sum = 0;

	if (!report->cpu_ns)
		return;
	for (size_t i = 0; i <= report->run.processes.nr; i++)
		wrap_add_to(&sum, report->cpu_ns[i]);
	text_add_duration(&text, sum);
	view_report_add_fact(report, "CPU time", strbuf_detach(&text));
}

/* Without tags tables by crate have one row. */
static void add_tags_problem(struct view_report *report)
{
	const struct process_list *processes = &report->run.processes;

	for (size_t i = 0; i < processes->nr; i++) {
		if (processes->v[i]->tag.crate)
			return;
	}
	view_report_add_problem(report, processes->nr ? "no process is known to work on a crate: "
							"what they had is in rows without a name"
						      : "no processes were recorded");
}

void view_report_add_facts(struct view_report *report)
{
	add_tags_problem(report);
	add_duration(report);
	add_cpu_fact(report);
	add_work(report);
	add_commands(report);
	add_source(report);
	add_machine(report);
	for (size_t i = 0; i < report->later_nr; i++)
		view_report_add_fact(report, report->later[i].label, report->later[i].text);
	report->later_nr = 0;
	add_number(&report->columns, "fact.step_ns", report->step_ns);
	add_number(&report->columns, "fact.steps", report->steps);
	add_number(&report->columns, "fact.end_ns", report->end_ns);
	add_number(&report->columns, "fact.cpus", report->cpus);
}
