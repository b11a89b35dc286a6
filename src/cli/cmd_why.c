#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/failure.h"
#include "analysis/machine_memory.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/view_limits.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "report/system_view.h"
#include "rundir/layout.h"
#include "util/array.h"
#include "util/text.h"

/* Of a larger log the end is searched; more processes are not listed. */
#define LOG_MAX    ((int64_t)64 << 20)
#define LISTED     10
#define LINE_BYTES 300

static const struct opt_group groups[] = { VIEW_OUTPUT_GROUP, OPT_GROUP_END };

/* What is known of a failed build, and what follows from it. */
struct inquiry {
	const struct view_run *run;
	const struct process **failed; /* by end */
	size_t failed_nr;
	struct strbuf log;
	const char *log_name;
	bool log_cut;                  /* it is the end of the log */
	struct machine_memory machine; /* as the trace has it */
	struct failure_line memory_line, error_line;
	bool has_memory_line, has_error_line;
	enum failure_memory memory;
	struct strbuf cause;
	struct strvec evidence;
};

/* What is lost if the last part is used up: 1/32, or 3 %. */
static bool is_near(int64_t used, int64_t limit)
{
	return used >= 0 && limit > 0 && used >= limit - limit / 32;
}

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

static void add_evidence(struct inquiry *inquiry, struct strbuf *sb)
{
	strvec_push_nodup(&inquiry->evidence, strbuf_detach(sb));
}

static void add_line(struct inquiry *inquiry, const struct failure_line *line)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s, line %zu%s: ", inquiry->log_name, line->number,
		    inquiry->log_cut ? " of its last 64 MB" : "");
	failure_line_add(line, LINE_BYTES, &sb);
	add_evidence(inquiry, &sb);
}

/* Say that a limit was reached; false: it was not, or is unknown. */
static bool add_if_near(struct inquiry *inquiry, const char *what, int64_t used, int64_t limit)
{
	struct strbuf sb = STRBUF_INIT;

	if (!is_near(used, limit))
		return false;
	strbuf_addf(&sb, "%s came to ", what);
	text_add_bytes(&sb, used);
	strbuf_adds(&sb, " of ");
	text_add_bytes(&sb, limit);
	add_evidence(inquiry, &sb);
	return true;
}

/* Windows enforces the limit; Linux if overcommit_memory is 2. */
static bool enforces_commit_limit(const struct manifest *manifest)
{
	return manifest_host_number(manifest, "overcommit_memory") == 2 ||
	       !manifest_host(manifest, "overcommit_memory");
}

/* The same for the commit charge. Where the trace has it, it is also said if it was far from the limit. */
static bool add_commit(struct inquiry *inquiry)
{
	const struct manifest_memory *memory = &inquiry->run->manifest.memory;
	int64_t limit = memory->commit_limit_bytes, used = inquiry->machine.commit_bytes;
	struct strbuf sb = STRBUF_INIT;

	if (!enforces_commit_limit(&inquiry->run->manifest))
		return false;
	if (used < 0 || limit <= 0 || memory->peak_commit_bytes > used)
		return add_if_near(inquiry, "the commit charge of the machine",
				   memory->peak_commit_bytes, limit);
	strbuf_adds(&sb, "the commit charge of the machine came to ");
	text_add_bytes(&sb, used);
	strbuf_adds(&sb, " of ");
	text_add_bytes(&sb, limit);
	strbuf_adds(&sb, ", at ");
	text_add_duration(&sb, inquiry->machine.commit_ns);
	add_evidence(inquiry, &sb);
	return is_near(used, limit);
}

/* Whether a limit was reached that makes allocations fail, or the kernel end processes. */
static bool add_limits(struct inquiry *inquiry)
{
	const struct manifest *manifest = &inquiry->run->manifest;
	const struct manifest_memory *memory = &manifest->memory;
	int64_t all = manifest_host_number(manifest, "memory_bytes");
	bool near = add_if_near(inquiry, "the memory of the control group",
				memory->peak_group_bytes, memory->group_limit_bytes);

	near |= add_commit(inquiry);
	if (memory->least_available_bytes >= 0 && all > 0)
		near |= add_if_near(inquiry, "the memory in use on the machine",
				    all - memory->least_available_bytes, all);
	return near;
}

static bool add_oom_kills(struct inquiry *inquiry)
{
	int64_t kills = inquiry->run->manifest.memory.oom_kills;
	struct strbuf sb = STRBUF_INIT;

	if (kills <= 0)
		return false;
	strbuf_addf(&sb, "while the build ran the kernel ended %lld process%s for want of memory",
		    (long long)kills, kills == 1 ? "" : "es");
	add_evidence(inquiry, &sb);
	return true;
}

/* Of the processes that failed, the one that says most about memory; else the first. NULL: none is known. */
static const struct process *find_culprit(const struct inquiry *inquiry)
{
	for (size_t i = 0; i < inquiry->failed_nr; i++)
		if (failure_code_is_memory(inquiry->failed[i]->exit_code))
			return inquiry->failed[i];
	for (size_t i = 0; i < inquiry->failed_nr; i++)
		if (failure_code_is_kill(inquiry->failed[i]->exit_code) ||
		    failure_code_is_abort(inquiry->failed[i]->exit_code))
			return inquiry->failed[i];
	return inquiry->failed_nr ? inquiry->failed[0] : NULL;
}

static enum failure_memory judge(const struct inquiry *inquiry, int64_t code,
				 bool killed_for_memory, bool near)
{
	if (failure_code_is_memory(code))
		return FAILURE_MEMORY_YES;
	/* Who exits with an ordinary code has written its own message; the line may be another one's. */
	if (inquiry->has_memory_line)
		return failure_code_is_kill(code) || failure_code_is_abort(code)
			       ? FAILURE_MEMORY_YES
			       : FAILURE_MEMORY_LIKELY;
	if (failure_code_is_kill(code))
		return killed_for_memory ? FAILURE_MEMORY_YES
		       : near            ? FAILURE_MEMORY_LIKELY
					 : FAILURE_MEMORY_UNKNOWN;
	if (failure_code_is_abort(code))
		return near ? FAILURE_MEMORY_LIKELY : FAILURE_MEMORY_UNKNOWN;
	if (!inquiry->failed_nr && !inquiry->has_error_line)
		return FAILURE_MEMORY_UNKNOWN;
	return FAILURE_MEMORY_NO;
}

static const char *explain(const struct inquiry *inquiry, int64_t code)
{
	switch (inquiry->memory) {
	case FAILURE_MEMORY_YES:
		return failure_code_is_memory(code) ? "the system refused memory: the code says so"
		       : inquiry->has_memory_line   ? "an allocation failed: the log says so"
						    : "the kernel ended it for want of memory";
	case FAILURE_MEMORY_LIKELY:
		return inquiry->has_memory_line
			       ? "the log says that memory was not there; the exit code does not"
			       : "it ended abnormally, and a limit of memory was reached";
	case FAILURE_MEMORY_UNKNOWN:
		return failure_code_is_kill(code) ? "something ended it from outside; no limit of "
						    "memory was seen reached"
		       : failure_code_is_abort(code)
			       ? "it ended itself; no limit of memory was seen reached"
			       : "neither a process nor the log says why";
	default:
		return "neither the exit code nor the log says anything of memory";
	}
}

static void inquire(struct inquiry *inquiry)
{
	const struct process *culprit = find_culprit(inquiry);
	int64_t code = culprit ? culprit->exit_code : -1;
	struct strbuf sb = STRBUF_INIT;
	bool kills, near;

	inquiry->has_memory_line =
		failure_find_memory(inquiry->log.buf, inquiry->log.len, &inquiry->memory_line);
	inquiry->has_error_line =
		failure_find_error(inquiry->log.buf, inquiry->log.len, &inquiry->error_line);
	if (culprit) {
		add_name(&sb, culprit);
		strbuf_adds(&sb, " ended with ");
		add_code(&sb, code);
		add_evidence(inquiry, &sb);
	}
	if (inquiry->has_memory_line)
		add_line(inquiry, &inquiry->memory_line);
	else if (inquiry->has_error_line)
		add_line(inquiry, &inquiry->error_line);
	kills = add_oom_kills(inquiry);
	near = add_limits(inquiry);
	inquiry->memory = judge(inquiry, code, kills, near);
	strbuf_adds(&inquiry->cause, explain(inquiry, code));
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

static int by_memory(const void *a, const void *b)
{
	const struct process *x = *(const struct process *const *)a;
	const struct process *y = *(const struct process *const *)b;

	if (x->peak_rss_bytes != y->peak_rss_bytes)
		return x->peak_rss_bytes > y->peak_rss_bytes ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The largest processes that lived when this one ended. */
static void add_alive(struct system_rows *rows, const struct process_list *list,
		      const struct process *died)
{
	const struct process **alive = NULL;
	size_t nr = 0, alloc = 0;

	for (size_t i = 0; i < list->nr; i++) {
		const struct process *process = list->v[i];

		if (process != died && process->start_ns <= died->end_ns && process->exec_seen &&
		    (process->end_ns == PROCESS_UNKNOWN || process->end_ns >= died->end_ns))
			ARRAY_ADD(alive, nr, alloc, process);
	}
	if (nr)
		qsort(alive, nr, sizeof(*alive), by_memory);
	for (size_t i = 0; i < nr && i < LISTED; i++)
		add_process(rows, "alive", alive[i]);
	free(alive);
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

static void add_inquiry(struct system_rows *rows, const struct inquiry *inquiry)
{
	const struct process *culprit = find_culprit(inquiry);
	char number[24];

	system_rows_add(rows, "cause", "memory", memory_name(inquiry->memory));
	system_rows_add(rows, "cause", "because", inquiry->cause.buf);
	for (size_t i = 0; i < inquiry->evidence.nr; i++) {
		snprintf(number, sizeof(number), "%zu", i + 1);
		system_rows_add(rows, "evidence", number, inquiry->evidence.v[i]);
	}
	for (size_t i = 0; i < inquiry->failed_nr && i < LISTED; i++)
		add_process(rows, "failed", inquiry->failed[i]);
	if (culprit && culprit->end_ns != PROCESS_UNKNOWN)
		add_alive(rows, &inquiry->run->processes, culprit);
}

/* The log of the stage that was built last. One that is not there, as in a run that was interrupted early, has no lines. */
static void read_log(struct inquiry *inquiry)
{
	static const char *const names[] = { RUN_STAGE2_LOG, RUN_STAGE1_LOG };
	struct run_source *source = inquiry->run->source;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int64_t size = run_source_size(source, names[i]);

		if (size <= 0)
			continue;
		inquiry->log_name = names[i];
		inquiry->log_cut = size > LOG_MAX;
		if (run_source_read_end(source, names[i], LOG_MAX, &inquiry->log, &err))
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

static void add_answer(struct system_rows *rows, struct view_run *run)
{
	const struct manifest *manifest = &run->manifest;
	struct inquiry inquiry = {
		.run = run,
		.log = STRBUF_INIT,
		.machine = { -1, -1, -1, -1 },
		.cause = STRBUF_INIT,
		.evidence = STRVEC_INIT,
	};

	system_rows_add(rows, "result", "state", run_state_name(manifest->state));
	system_rows_add(rows, "result", "reason", manifest->reason);
	if (manifest->state == RUN_DONE && !manifest->reason) {
		system_rows_add(rows, "cause", "memory", "no");
		system_rows_add(rows, "cause", "because", "the build succeeded");
	} else {
		read_log(&inquiry);
		inquiry.machine = read_trace(run);
		inquiry.failed = failure_find(&run->processes, &inquiry.failed_nr);
		inquire(&inquiry);
		add_inquiry(rows, &inquiry);
	}
	add_measured(rows, manifest, &inquiry.machine);
	free(inquiry.failed);
	strbuf_release(&inquiry.log);
	strbuf_release(&inquiry.cause);
	strvec_release(&inquiry.evidence);
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
