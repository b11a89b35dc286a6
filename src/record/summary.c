#include "record/collect.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "model/concurrency.h"
#include "platform/fs.h"
#include "platform/shell.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "util/text.h"
#include "util/utf8.h"

#define TOP    10
#define COLUMN 40 /* of the right one of two lists */

/* Add what the run says, of which nothing may end a line. */
static void add_untrusted(struct strbuf *sb, const char *before, const char *text,
			  const char *after)
{
	if (!text)
		return;
	strbuf_adds(sb, before);
	utf8_add_printable(sb, text);
	strbuf_adds(sb, after);
}

static void add_roles(const struct process_list *list, struct strbuf *sb)
{
	size_t count[ROLE_COUNT] = { 0 };
	bool first = true;

	for (size_t i = 0; i < list->nr; i++)
		count[list->v[i]->tag.role]++;
	if (!list->nr)
		return;
	strbuf_addf(sb, "  processes   %zu", list->nr);
	for (int role = ROLE_OTHER + 1; role <= ROLE_COUNT; role++) {
		/* `other` comes last */
		enum role shown = role == ROLE_COUNT ? ROLE_OTHER : (enum role)role;

		if (!count[shown])
			continue;
		strbuf_addf(sb, "%s%zu %s", first ? ": " : ", ", count[shown], role_name(shown));
		first = false;
	}
	strbuf_addc(sb, '\n');
}

static bool is_bootstrap(const struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->commands_nr; i++)
		if (config_runs_x_py(&manifest->commands[i].argv))
			return true;
	return false;
}

static void add_times(const struct manifest *manifest, const struct process_list *list,
		      struct strbuf *sb)
{
	int64_t cpu = process_list_cpu(list);

	if (manifest->stage2_end_ns < 0)
		return;
	strbuf_adds(sb, is_bootstrap(manifest) ? "  stage 2     " : "  command     ");
	text_add_duration(sb, manifest->stage2_end_ns - manifest->stage2_start_ns);
	if (cpu != PROCESS_UNKNOWN) {
		strbuf_adds(sb, " wall, ");
		text_add_duration(sb, cpu);
		strbuf_adds(sb, " CPU");
	}
	if (manifest->peak_memory_bytes > 0) {
		strbuf_adds(sb, ", ");
		text_add_bytes(sb, manifest->peak_memory_bytes);
		strbuf_adds(sb, " resident at most");
	}
	strbuf_addc(sb, '\n');
}

/*
 * "76 % of 2 processors; one process at work for 41.2 s, longest rustc_middle 12.3 s; other programs 0.8
 * %"
 */
static void add_machine(const struct manifest *manifest, const struct process_list *list,
			struct strbuf *sb)
{
	int64_t cpus = manifest_host_number(manifest, "cpus");
	int64_t wall = manifest->stage2_end_ns - manifest->stage2_start_ns;
	struct concurrency work;

	if (cpus < 1 || manifest->stage2_end_ns < 0 || wall <= 0)
		return;
	concurrency_measure(list, manifest->stage2_start_ns, manifest->stage2_end_ns, cpus, &work);
	if (work.cpu_ns < 0)
		return;
	strbuf_addf(sb, "  machine     %.0f %% of %lld processor%s used",
		    concurrency_percent(work.cpu_ns, wall, cpus), (long long)cpus,
		    cpus == 1 ? "" : "s");
	if (work.longest && cpus > 1 &&
	    work.longest_end_ns - work.longest_start_ns < wall * 9 / 10) {
		strbuf_adds(sb, "; one process at work for ");
		text_add_duration(sb, work.alone_ns);
		add_untrusted(sb, ", longest ",
			      work.longest->tag.crate ? work.longest->tag.crate
						      : process_image(work.longest),
			      " ");
		text_add_duration(sb, work.longest_end_ns - work.longest_start_ns);
		strbuf_adds(sb, " from ");
		text_add_duration(sb, work.longest_start_ns);
		strbuf_adds(sb, " on");
	}
	/* It was measured from the start of the profiler to its end. */
	if (manifest->foreign_cpu_ns >= 0 && wall >= 5 * NS_PER_S) {
		strbuf_adds(sb, "; other programs ");
		text_add_percent(sb, concurrency_percent(manifest->foreign_cpu_ns, wall, cpus));
		strbuf_adds(sb, " %");
	}
	strbuf_addc(sb, '\n');
}

static int64_t by_memory(const struct process *process)
{
	return process->peak_rss_bytes;
}

static int64_t by_time(const struct process *process)
{
	return process_duration(process);
}

/* A linker may need the most memory, but its time is that of the rustc that waits for it. */
static bool takes_part(const struct process *process, int64_t (*value)(const struct process *))
{
	if (value == by_time)
		return process->tag.role == ROLE_RUSTC;
	return process->tag.crate && process->tag.role != ROLE_CARGO &&
	       process->tag.role != ROLE_OTHER;
}

/* The same crate may be compiled twice, for host and target: only the larger value is shown. */
static bool is_same(const struct process *a, const struct process *b)
{
	return a == b || (a->tag.crate && b->tag.crate && a->tag.role == b->tag.role &&
			  !strcmp(a->tag.crate, b->tag.crate));
}

/* The process with the next lower value, each crate once. */
static const struct process *next_process(const struct process_list *list,
					  int64_t (*value)(const struct process *),
					  const struct process **taken, size_t taken_nr)
{
	const struct process *best = NULL;

	for (size_t i = 0; i < list->nr; i++) {
		const struct process *process = list->v[i];
		bool again = false;

		for (size_t k = 0; k < taken_nr; k++)
			again |= taken[k] && is_same(taken[k], process);
		if (!again && takes_part(process, value) && value(process) > 0 &&
		    (!best || value(process) > value(best)))
			best = process;
	}
	return best;
}

static void add_entry(const struct process *process, int64_t (*value)(const struct process *),
		      struct strbuf *sb)
{
	size_t start = sb->len;

	if (value == by_memory)
		text_add_bytes(sb, value(process));
	else
		text_add_duration(sb, value(process));
	strbuf_pad(sb, ' ', start + 10);
	utf8_add_printable(sb, process->tag.crate ? process->tag.crate : process_image(process));
	if (process->tag.role != ROLE_RUSTC)
		strbuf_addf(sb, " (%s)", role_name(process->tag.role));
}

static void add_top(const struct process_list *list, struct strbuf *sb)
{
	const struct process *memory[TOP], *time[TOP];

	for (size_t i = 0; i < TOP; i++) {
		size_t start = sb->len;

		memory[i] = next_process(list, by_memory, memory, i);
		time[i] = next_process(list, by_time, time, i);
		if (!memory[i] && !time[i])
			break;
		if (!i) {
			strbuf_adds(sb, "\n  biggest crates, peak resident");
			strbuf_pad(sb, ' ', start + COLUMN + 3);
			strbuf_adds(sb, "longest crates\n");
			start = sb->len;
		}
		strbuf_adds(sb, "  ");
		if (memory[i])
			add_entry(memory[i], by_memory, sb);
		if (time[i]) {
			strbuf_pad(sb, ' ', start + COLUMN + 2);
			add_entry(time[i], by_time, sb);
		}
		strbuf_addc(sb, '\n');
	}
}

static bool is_truncated(const struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->warnings.nr; i++) {
		if (text_starts_with(manifest->warnings.v[i], MANIFEST_TRUNCATED))
			return true;
	}
	return false;
}

static void add_losses(const struct manifest *manifest, struct strbuf *sb)
{
	bool truncated = is_truncated(manifest), tracker = manifest->lost_tracker_events >= 0;
	bool events = manifest->lost_trace_events >= 0;

	if (!tracker && !events && !truncated)
		return;
	strbuf_adds(sb, "  lost        ");
	if (truncated)
		strbuf_addf(sb, "the end of the trace%s", tracker || events ? ", " : "\n");
	if (events)
		strbuf_addf(sb, "%lld trace events%s", (long long)manifest->lost_trace_events,
			    tracker ? ", " : "\n");
	if (!tracker)
		return;
	strbuf_addf(sb, "%lld tracker events, %lld command lines",
		    (long long)manifest->lost_tracker_events,
		    (long long)manifest->lost_command_lines);
	if (manifest->missed_processes > 0)
		strbuf_addf(sb, "; at most %lld short processes not seen",
			    (long long)manifest->missed_processes);
	add_untrusted(sb, " (", manifest->tracker, ")");
	strbuf_addc(sb, '\n');
}

static void add_trace(struct run_source *source, const struct manifest *manifest, struct strbuf *sb)
{
	int64_t size = run_source_size(source, RUN_PERF_DATA);

	if (size < 0)
		size = run_source_size(source, RUN_ETL);
	add_untrusted(sb, "  profiler    ", manifest->recorder ? manifest->recorder : "?", "");
	add_untrusted(sb, " ", manifest->recorder_version, "");
	if (size >= 0) {
		strbuf_adds(sb, ", trace ");
		text_add_bytes(sb, size);
	}
	strbuf_addc(sb, '\n');
}

/* So many snapshots of a process are listed. */
#define SNAPSHOTS_LISTED 6

/* "              rustc_middle: 1.20 s 55.0 KB, 6.20 s 1.20 MB, and 3 more": the snapshots of a process. */
static void list_snapshots(const struct manifest *manifest, const struct manifest_snapshot *first,
			   struct strbuf *sb)
{
	const struct manifest_snapshot *all = manifest->snapshots;
	size_t nr = 0;

	strbuf_adds(sb, "              ");
	if (first->crate)
		utf8_add_printable(sb, first->crate);
	else
		strbuf_addf(sb, "process %lld", (long long)first->pid);
	for (size_t i = 0; i < manifest->snapshots_nr; i++) {
		if (all[i].pid != first->pid || nr++ >= SNAPSHOTS_LISTED)
			continue;
		strbuf_adds(sb, nr == 1 ? ": " : ", ");
		text_add_duration(sb, all[i].time_ns > 0 ? all[i].time_ns : 0);
		if (all[i].bytes < 0)
			continue;
		strbuf_addc(sb, ' ');
		text_add_bytes(sb, all[i].bytes);
	}
	if (nr > SNAPSHOTS_LISTED)
		strbuf_addf(sb, ", and %zu more", nr - SNAPSHOTS_LISTED);
	strbuf_addc(sb, '\n');
}

/* Whether it is the first one of its process. */
static bool is_first(const struct manifest *manifest, size_t i)
{
	size_t first = 0;

	while (manifest->snapshots[first].pid != manifest->snapshots[i].pid)
		first++;
	return first == i;
}

/* "3 of rustc_middle (process 71), 2 of process 90": in the order of their first. Then their times and sizes. */
static void add_snapshots(const struct manifest *manifest, struct strbuf *sb)
{
	const struct manifest_snapshot *all = manifest->snapshots;
	size_t nr = manifest->snapshots_nr;

	if (!nr)
		return;
	strbuf_addf(sb, "  snapshots   %zu", nr);
	for (size_t i = 0; i < nr; i++) {
		size_t count = 0;

		if (!is_first(manifest, i))
			continue;
		for (size_t k = i; k < nr; k++)
			count += all[k].pid == all[i].pid;
		strbuf_addf(sb, "%s%zu of ", i ? ", " : ": ", count);
		if (all[i].crate)
			utf8_add_printable(sb, all[i].crate);
		strbuf_addf(sb, "%sprocess %lld%s", all[i].crate ? " (" : "", (long long)all[i].pid,
			    all[i].crate ? ")" : "");
	}
	strbuf_addc(sb, '\n');
	for (size_t i = 0; i < nr; i++) {
		if (is_first(manifest, i))
			list_snapshots(manifest, &all[i], sb);
	}
}

static void add_places(const char *dir, const char *bundle, bool failed,
		       const struct process_list *list, struct strbuf *sb)
{
	struct strbuf word = STRBUF_INIT;
	bool compilers = false;

	add_untrusted(sb, "\n  run         ", dir, "\n");
	if (bundle) {
		add_untrusted(sb, "  bundle      ", bundle, ", ");
		text_add_bytes(sb, fs_size(bundle));
		strbuf_addc(sb, '\n');
	}
	if (!list->nr)
		return;
	for (size_t i = 0; i < list->nr; i++)
		compilers |= list->v[i]->tag.role == ROLE_RUSTC;
	shell_add_word(&word, dir);
	if (failed) {
		add_untrusted(sb, "  next        stagetrace why ", word.buf, "\n");
	} else {
		add_untrusted(sb, "  next        stagetrace processes ", word.buf, "");
		strbuf_addf(sb, "%s --sort peak_rss_bytes --top 20\n",
			    compilers ? " --role rustc" : "");
	}
	strbuf_release(&word);
}

int summary_add(const char *dir, const char *bundle, struct strbuf *sb, struct err *err)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct run_source *source = NULL;
	struct strbuf first = STRBUF_INIT;
	struct manifest manifest;
	int64_t damaged = 0;
	int rc;

	manifest_init(&manifest);
	rc = run_source_open(dir, &source, err);
	if (!rc)
		rc = run_source_manifest(source, &manifest, err);
	if (!rc && run_source_has(source, RUN_PROCESSES))
		rc = run_source_processes(source, &list, &damaged, &first, err);
	if (!rc) {
		add_untrusted(sb, "", manifest.name ? manifest.name : dir, ": ");
		strbuf_adds(sb, run_state_name(manifest.state));
		add_untrusted(sb, ": ", manifest.reason, "");
		strbuf_addc(sb, '\n');
		add_times(&manifest, &list, sb);
		add_machine(&manifest, &list, sb);
		add_trace(source, &manifest, sb);
		add_snapshots(&manifest, sb);
		add_roles(&list, sb);
		add_losses(&manifest, sb);
		add_top(&list, sb);
		add_places(dir, bundle, manifest.state == RUN_FAILED, &list, sb);
	}
	process_list_release(&list);
	strbuf_release(&first);
	manifest_release(&manifest);
	run_source_free(source);
	return rc;
}
