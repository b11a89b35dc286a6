#include <stdio.h>
#include <stdlib.h>

#include "analysis/failure.h"
#include "analysis/failure_cause.h"
#include "analysis/machine_memory.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/view_limits.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "record/runner.h"
#include "report/system_view.h"
#include "rundir/layout.h"
#include "util/array.h"
#include "util/text.h"

/* Of a larger log the end is searched; more processes are not listed. */
#define LOG_MAX    ((int64_t)64 << 20)
#define LISTED     10
#define LINE_BYTES 300

static const struct opt_group groups[] = { VIEW_OUTPUT_GROUP, OPT_GROUP_END };

/* The log of a build, or its end. */
struct build_log {
	struct strbuf text;
	const char *name;
	bool cut; /* it is the end of the log */
};

/* "rustc of crate core (pid 130)" */
static void add_name(struct strbuf *sb, const struct process *process)
{
	strbuf_adds(sb, process_image(process));
	if (process->tag.crate)
		strbuf_addf(sb, " of crate %s", process->tag.crate);
	strbuf_addf(sb, " (pid %lld)", (long long)process->pid);
}

static void add_code(struct strbuf *sb, int64_t code)
{
	const char *name = failure_code_name(code);

	if (code >= INT64_C(0x80000000))
		strbuf_addf(sb, "code 0x%08llX", (unsigned long long)code);
	else
		strbuf_addf(sb, "exit code %lld", (long long)code);
	if (name)
		strbuf_addf(sb, " (%s)", name);
}

static void add_used(struct strbuf *sb, const char *what, const struct failure_evidence *evidence)
{
	strbuf_addf(sb, "%s came to ", what);
	text_add_bytes(sb, evidence->bytes);
	strbuf_adds(sb, " of ");
	text_add_bytes(sb, evidence->limit_bytes);
	if (evidence->at_ns >= 0) {
		strbuf_adds(sb, ", at ");
		text_add_duration(sb, evidence->at_ns);
	}
}

static void add_evidence(struct strbuf *sb, const struct failure_evidence *evidence,
			 const struct process *culprit, const struct build_log *log)
{
	switch (evidence->kind) {
	case FAILURE_EXIT:
		add_name(sb, culprit);
		strbuf_adds(sb, " ended with ");
		add_code(sb, culprit->exit_code);
		break;
	case FAILURE_LINE:
		strbuf_addf(sb, "%s, line %zu%s: ", log->name, evidence->line->number,
			    log->cut ? " of its last 64 MB" : "");
		failure_line_add(evidence->line, LINE_BYTES, sb);
		break;
	case FAILURE_OOM_KILLS:
		strbuf_addf(sb,
			    "while the build ran the kernel ended %lld process%s for want of "
			    "memory",
			    (long long)evidence->nr, evidence->nr == 1 ? "" : "es");
		break;
	case FAILURE_GROUP:
		add_used(sb, "the memory of the control group", evidence);
		break;
	case FAILURE_COMMIT:
		add_used(sb, "the commit charge of the machine", evidence);
		break;
	default: /* FAILURE_IN_USE */
		add_used(sb, "the memory in use on the machine", evidence);
		break;
	}
}

static const char *explain(enum failure_basis basis)
{
	static const char *const texts[] = {
		[FAILURE_BY_CODE] = "the system refused memory: the code says so",
		[FAILURE_BY_LOG] = "an allocation failed: the log says so",
		[FAILURE_BY_KERNEL] = "the kernel ended it for want of memory",
		[FAILURE_BY_LOG_ONLY] =
			"the log says that memory was not there; the exit code does not",
		[FAILURE_BY_LIMIT] = "it ended abnormally, and a limit of memory was reached",
		[FAILURE_BY_KILL] =
			"something ended it from outside; no limit of memory was seen reached",
		[FAILURE_BY_ABORT] = "it ended itself; no limit of memory was seen reached",
		[FAILURE_BY_STOP_AT_LIMIT] =
			"the recording ended the build, after a limit of memory was reached",
		[FAILURE_BY_NOTHING] = "neither a process nor the log says why",
		[FAILURE_BY_STOP] =
			"the recording ended the build; nothing says that memory was short",
		[FAILURE_BY_OTHERS] = "neither the exit code nor the log says anything of memory",
	};

	return texts[basis];
}

static void add_process(struct system_rows *rows, const char *section,
			const struct process *process)
{
	struct strbuf key = STRBUF_INIT, value = STRBUF_INIT;

	add_name(&key, process);
	strbuf_adds(&value, role_name(process->tag.role));
	if (process->exit_code > 0) {
		strbuf_adds(&value, ", ");
		add_code(&value, process->exit_code);
	}
	if (process->end_ns != PROCESS_UNKNOWN) {
		strbuf_adds(&value, ", ended at ");
		text_add_duration(&value, process->end_ns);
	}
	if (process->peak_rss_bytes >= 0) {
		strbuf_adds(&value, ", peak resident ");
		text_add_bytes(&value, process->peak_rss_bytes);
	}
	if (process->peak_commit_bytes >= 0) {
		strbuf_adds(&value, ", peak commit ");
		text_add_bytes(&value, process->peak_commit_bytes);
	}
	system_rows_add(rows, section, key.buf, value.buf);
	strbuf_release(&key);
	strbuf_release(&value);
}

static void add_processes(struct system_rows *rows, const char *section,
			  const struct process *const *processes, size_t nr)
{
	for (size_t i = 0; i < nr && i < LISTED; i++)
		add_process(rows, section, processes[i]);
}

static void add_number(struct system_rows *rows, const char *key, enum column_type type,
		       int64_t number)
{
	system_rows_add_number(rows, "limits", key, type, number);
}

static void add_measured(struct system_rows *rows, const struct manifest *manifest,
			 const struct machine_memory *machine)
{
	add_number(rows, "memory_bytes", COLUMN_BYTES,
		   manifest_host_number(manifest, "memory_bytes"));
	view_limits_add(rows, "limits", &manifest->memory);
	system_rows_add(rows, "limits", "overcommit_memory",
			manifest_host(manifest, "overcommit_memory"));
	add_number(rows, "build_peak_resident_bytes", COLUMN_BYTES, manifest->peak_memory_bytes);
	add_number(rows, "trace_peak_commit_bytes", COLUMN_BYTES, machine->commit_bytes);
	add_number(rows, "trace_peak_commit_ns", COLUMN_TIME, machine->commit_ns);
	add_number(rows, "trace_least_available_bytes", COLUMN_BYTES, machine->available_bytes);
	add_number(rows, "trace_least_available_ns", COLUMN_TIME, machine->available_ns);
}

static const char *memory_name(enum failure_memory memory)
{
	static const char *const names[] = { "no", "unknown", "likely", "yes" };

	return names[memory];
}

static void add_cause(struct system_rows *rows, const struct failure_cause *cause,
		      const struct build_log *log)
{
	char number[24];

	system_rows_add(rows, "cause", "memory", memory_name(cause->memory));
	system_rows_add(rows, "cause", "because", explain(cause->basis));
	for (size_t i = 0; i < cause->evidence_nr; i++) {
		struct strbuf sb = STRBUF_INIT;

		add_evidence(&sb, &cause->evidence[i], cause->culprit, log);
		snprintf(number, sizeof(number), "%zu", i + 1);
		system_rows_add(rows, "evidence", number, sb.buf);
		strbuf_release(&sb);
	}
}

/* The log of the stage that was built last. One that is not there, as in a run that was interrupted early, has no lines. */
static void read_log(struct run_source *source, struct build_log *log)
{
	static const char *const names[] = { RUN_STAGE2_LOG, RUN_STAGE1_LOG };
	struct err err = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int64_t size = run_source_size(source, names[i]);

		if (size <= 0)
			continue;
		log->name = names[i];
		log->cut = size > LOG_MAX;
		if (run_source_read_end(source, names[i], LOG_MAX, &log->text, &err))
			message_printf("warning: ", "'%s' is not searched: %s", names[i], err.msg);
		err_clear(&err);
		return;
	}
}

/* What the trace has of the machine's memory while the build ran, which that of Windows has. */
static struct machine_memory read_trace(struct view_run *run)
{
	const struct view_trace_options options = { .tags = false };
	const struct manifest *manifest = &run->manifest;
	struct machine_memory memory = { -1, -1, -1, -1 };
	struct err err = ERR_INIT;
	struct replay replay;

	if (!run_source_has(run->source, RUN_ETL) ||
	    view_trace_open_optional(run, &options, &replay, &err))
		return memory;
	memory = machine_memory_of(replay_facts(&replay),
				   manifest->stage2_start_ns > 0 ? manifest->stage2_start_ns : 0,
				   manifest->stage2_end_ns > 0 ? manifest->stage2_end_ns
							       : INT64_MAX);
	replay_close(&replay);
	return memory;
}

/* Windows has no such setting, and never grants more than its limit. */
static bool overcommits(const struct manifest *manifest)
{
	return manifest_host(manifest, "overcommit_memory") &&
	       manifest_host_number(manifest, "overcommit_memory") != 2;
}

static struct failure_measures measures_of(const struct manifest *manifest,
					   const struct machine_memory *machine)
{
	const struct manifest_memory *memory = &manifest->memory;

	return (struct failure_measures){
		.oom_kills = memory->oom_kills,
		.group_bytes = memory->peak_group_bytes,
		.group_limit_bytes = memory->group_limit_bytes,
		.commit_bytes = memory->peak_commit_bytes,
		.commit_limit_bytes = memory->commit_limit_bytes,
		.trace_commit_bytes = machine->commit_bytes,
		.trace_commit_ns = machine->commit_ns,
		.overcommits = overcommits(manifest),
		.memory_bytes = manifest_host_number(manifest, "memory_bytes"),
		.least_available_bytes = memory->least_available_bytes,
	};
}

static void add_failure(struct system_rows *rows, struct view_run *run,
			struct machine_memory *machine)
{
	struct build_log log = { .text = STRBUF_INIT };
	struct failure_line memory_line, error_line, code_line;
	struct failure_measures measures;
	struct failure_cause cause;
	const struct process **failed, **alive = NULL;
	size_t alive_nr = 0;

	read_log(run->source, &log);
	*machine = read_trace(run);
	measures = measures_of(&run->manifest, machine);
	measures.stopped = run_end_is_reason(run->manifest.reason);
	measures.failed = failed = failure_find(&run->processes, &measures.failed_nr);
	if (failure_find_memory(log.text.buf, log.text.len, &memory_line))
		measures.memory_line = &memory_line;
	if (failure_find_error(log.text.buf, log.text.len, &error_line))
		measures.error_line = &error_line;
	if (failure_find_code(log.text.buf, log.text.len, &code_line, &measures.code))
		measures.code_line = &code_line;
	cause = failure_cause_of(&measures);
	add_cause(rows, &cause, &log);
	add_processes(rows, "failed", failed, measures.failed_nr);
	if (cause.culprit)
		alive = failure_alive(&run->processes, cause.culprit, &alive_nr);
	add_processes(rows, "alive", alive, alive_nr);
	free(alive);
	free(failed);
	strbuf_release(&log.text);
}

static void add_answer(struct system_rows *rows, struct view_run *run)
{
	const struct manifest *manifest = &run->manifest;
	struct machine_memory machine = { -1, -1, -1, -1 };

	system_rows_add(rows, "result", "state", run_state_name(manifest->state));
	system_rows_add(rows, "result", "reason", manifest->reason);
	if (manifest->state == RUN_DONE && !manifest->reason) {
		system_rows_add(rows, "cause", "memory", "no");
		system_rows_add(rows, "cause", "because", "the build succeeded");
	} else {
		add_failure(rows, run, &machine);
	}
	add_measured(rows, manifest, &machine);
}

static int run_why(const void *data, struct err *err)
{
	const struct view_values *values = data;
	const struct view_subject subject = { .processes = true, .failure = true };
	struct system_rows rows = { NULL, 0, 0 };
	struct table_options options;
	struct view_run run;
	int rc;

	if (view_get_table_options(values, &system_table, &options, err) ||
	    view_run_open(&values->traces, subject, &run, err))
		return -1;
	if (run.source) {
		add_answer(&rows, &run);
		options.width = 0; /* evidence is shown whole */
		rc = view_print_table(values, &system_table, &options, rows.v, rows.nr, err);
	} else {
		rc = err_set(err, ERR_USAGE,
			     "'%s' is a bare trace, which does not say how the build ended: give a "
			     "run directory or a bundle",
			     run.path);
	}
	system_rows_release(&rows);
	view_run_close(&run);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command why_command = {
	.name = "why",
	.summary = "show why a build failed, and whether memory was the cause",
	.details = "Which process failed first, with which code, what the build's log says, which "
		   "processes lived then, and how near the limits of memory came. 'memory' is "
		   "yes, likely, unknown or no.",
	.syntax = { groups, view_args, sizeof(struct view_values) },
	.table = &system_table,
	.examples = { { "Was it memory?", "stagetrace why run" },
		      { "For a script", "stagetrace why run --format json" } },
	.run = run_why,
};
