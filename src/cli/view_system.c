#include "cli/view_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/machine_memory.h"
#include "cli/view_limits.h"
#include "config/config.h"
#include "model/concurrency.h"
#include "report/system_view.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/strset.h"
#include "util/text.h"

static void add_int(struct system_rows *rows, const char *section, const char *key, int64_t number)
{
	system_rows_add_number(rows, section, key, COLUMN_INT, number);
}

/* Most traces have none of these: 0 is not shown. */
static void add_if_any(struct system_rows *rows, const char *section, const char *key,
		       enum column_type type, uint64_t number)
{
	if (number)
		system_rows_add_number(rows, section, key, type, (int64_t)number);
}

static void add_command(struct system_rows *rows, const char *section, const char *key,
			const struct strvec *argv)
{
	struct strbuf text = STRBUF_INIT;

	if (argv->nr) {
		quote_add_shell(&text, argv);
		system_rows_add(rows, section, key, text.buf);
	}
	strbuf_release(&text);
}

/* The unit of a number is the end of its key. */
static enum column_type type_of(const char *key)
{
	return text_ends_with(key, "_bytes") ? COLUMN_BYTES
	       : text_ends_with(key, "_ns")  ? COLUMN_DURATION
					     : COLUMN_INT;
}

static void add_host(struct system_rows *rows, const struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->host_nr; i++) {
		const char *key = manifest->host[i].key, *value = manifest->host[i].value;
		int64_t number;

		if (value && text_parse_int(value, 0, INT64_MAX, &number))
			system_rows_add_number(rows, "host", key, type_of(key), number);
		else
			system_rows_add(rows, "host", key, value);
	}
}

static void add_run(struct system_rows *rows, const struct manifest *manifest)
{
	system_rows_add(rows, "run", "name", manifest->name);
	system_rows_add(rows, "run", "state", run_state_name(manifest->state));
	system_rows_add(rows, "run", "reason", manifest->reason);
	system_rows_add(rows, "run", "scrubbed", manifest->scrubbed ? "yes" : NULL);
	system_rows_add(rows, "run", "stagetrace", manifest->version);
	system_rows_add(rows, "run", "source", manifest->source);
	system_rows_add(rows, "run", "git_commit", manifest->git_commit);
	system_rows_add(rows, "run", "git_branch", manifest->git_branch);
	add_int(rows, "run", "git_dirty_files", manifest->git_dirty);
	system_rows_add(rows, "run", "start_utc", manifest->start_utc);
	system_rows_add_number(rows, "run", "stage2_start_ns", COLUMN_TIME,
			       manifest->stage2_start_ns);
	system_rows_add_number(rows, "run", "stage2_end_ns", COLUMN_TIME, manifest->stage2_end_ns);
	for (size_t i = 0; i < manifest->commands_nr; i++)
		add_command(rows, "run", manifest->commands[i].what, &manifest->commands[i].argv);
	for (size_t i = 0; i < manifest->warnings.nr; i++)
		system_rows_add(rows, "run", "warning", manifest->warnings.v[i]);
	for (size_t i = 0; i < manifest->stack_warnings_nr; i++)
		system_rows_add(rows, "run", "warning", manifest->stack_warnings[i].text);
}

static void add_to_load(struct system_rows *rows, const char *key, enum column_type type,
			int64_t number)
{
	system_rows_add_number(rows, "load", key, type, number);
}

static void add_facts(struct system_rows *rows, const struct system_facts *facts)
{
	for (size_t i = 0; i < facts->nr; i++) {
		const struct system_fact *fact = &facts->v[i];

		if (fact->text)
			system_rows_add(rows, fact->section, fact->key, fact->text);
		else
			system_rows_add_number(rows, fact->section, fact->key, type_of(fact->key),
					       fact->number);
	}
}

/* How the build used the machine, and what else ran there. */
static void add_load(struct system_rows *rows, const struct view_run *run)
{
	const struct manifest *manifest = &run->manifest;
	int64_t cpus = manifest_host_number(manifest, "cpus");
	int64_t wall = manifest->stage2_end_ns - manifest->stage2_start_ns;
	struct concurrency work;

	if (cpus > 0 && manifest->stage2_end_ns >= 0 && wall > 0 && run->processes.nr) {
		concurrency_measure(&run->processes, manifest->stage2_start_ns,
				    manifest->stage2_end_ns, cpus, &work);
		add_to_load(rows, "cpu_ns", COLUMN_DURATION, work.cpu_ns);
		if (work.cpu_ns >= 0)
			add_to_load(rows, "percent_of_processors", COLUMN_INT,
				    llround(concurrency_percent(work.cpu_ns, wall, cpus)));
		add_to_load(rows, "none_at_work_ns", COLUMN_DURATION, work.none_ns);
		add_to_load(rows, "one_at_work_ns", COLUMN_DURATION, work.alone_ns);
		add_to_load(rows, "enough_at_work_ns", COLUMN_DURATION, work.full_ns);
		if (work.longest) {
			system_rows_add(rows, "load", "longest_alone",
					work.longest->tag.crate ? work.longest->tag.crate
								: process_image(work.longest));
			add_to_load(rows, "longest_alone_start_ns", COLUMN_TIME,
				    work.longest_start_ns);
			add_to_load(rows, "longest_alone_ns", COLUMN_DURATION,
				    work.longest_end_ns - work.longest_start_ns);
		}
	}
	add_to_load(rows, "foreign_cpu_ns", COLUMN_DURATION, manifest->foreign_cpu_ns);
	add_to_load(rows, "stolen_cpu_ns", COLUMN_DURATION, manifest->stolen_cpu_ns);
	add_to_load(rows, "foreign_memory_bytes", COLUMN_BYTES, manifest->foreign_memory_bytes);
	view_limits_add(rows, "load", &manifest->memory);
}

static void add_tracker(struct system_rows *rows, const struct view_run *run)
{
	const struct manifest *manifest = &run->manifest;

	add_int(rows, "tracker", "processes", (int64_t)run->processes.nr);
	system_rows_add(rows, "tracker", "method", manifest->tracker);
	add_int(rows, "tracker", "lost_events", manifest->lost_tracker_events);
	add_int(rows, "tracker", "lost_command_lines", manifest->lost_command_lines);
	add_int(rows, "tracker", "missed_processes", manifest->missed_processes);
}

static void add_origin(struct system_rows *rows, const struct trace_facts *facts)
{
	const struct trace_counters *counters = &facts->counters;

	system_rows_add(rows, "trace", "format", facts->format);
	system_rows_add(rows, "trace", "start_utc", facts->start_utc);
	system_rows_add(rows, "trace", "boot_utc", facts->boot_utc);
	system_rows_add(rows, "trace", "time_zone", facts->time_zone);
	system_rows_add(rows, "trace", "hostname", facts->hostname);
	system_rows_add(rows, "trace", "kernel", facts->os_release);
	system_rows_add(rows, "trace", "arch", facts->arch);
	system_rows_add(rows, "trace", "cpu_model", facts->cpu_model);
	add_int(rows, "trace", "cpus", facts->cpus);
	system_rows_add_number(rows, "trace", "memory_bytes", COLUMN_BYTES, facts->memory_bytes);
	system_rows_add(rows, "trace", "recorder_version", facts->tool_version);
	add_command(rows, "trace", "command_line", &facts->command_line);
	system_rows_add(rows, "trace", "clock", facts->clock);
	add_int(rows, "trace", "time_zero_ns", counters->base_ns);
	system_rows_add_number(rows, "trace", "first_event_ns", COLUMN_TIME, counters->first_ns);
	system_rows_add_number(rows, "trace", "last_event_ns", COLUMN_TIME, counters->last_ns);
}

/* The counts of one name: a tracepoint may be recorded twice, plain, and with stacks for some of its events. */
struct namesakes {
	bool plain;
	int with_stacks; /* so far */
};

static void add_count(struct system_rows *rows, const struct trace_event_count *count,
		      struct namesakes *namesakes)
{
	struct strbuf key = STRBUF_INIT;

	namesakes->with_stacks += count->stacks;
	strbuf_adds(&key, count->name);
	if (namesakes->plain && count->stacks && namesakes->with_stacks > 1)
		strbuf_addf(&key, " (with stack, %d)", namesakes->with_stacks);
	else if (namesakes->plain && count->stacks)
		strbuf_adds(&key, " (with stack)");
	add_int(rows, "events", key.buf, (int64_t)count->nr);
	strbuf_adds(&key, ", lost");
	add_if_any(rows, "events", key.buf, COLUMN_INT, count->lost);
	strbuf_release(&key);
}

/* A trace may have some ten thousand kinds of events. */
static void add_counts(struct system_rows *rows, const struct trace_facts *facts)
{
	struct namesakes *namesakes = xcalloc(facts->counts_nr + 1, sizeof(*namesakes));
	struct strset names = STRSET_INIT;

	for (size_t i = 0; i < facts->counts_nr; i++)
		namesakes[strset_add(&names, facts->counts[i].name)].plain |=
			!facts->counts[i].stacks;
	for (size_t i = 0; i < facts->counts_nr; i++)
		add_count(rows, &facts->counts[i],
			  &namesakes[strset_find(&names, facts->counts[i].name)]);
	strset_release(&names);
	free(namesakes);
}

static void add_contents(struct system_rows *rows, const struct trace_facts *facts)
{
	const struct trace_counters *counters = &facts->counters;

	system_rows_add(rows, "trace", "cpu_time_by", facts->cpu_event ? facts->cpu_event : "none");
	system_rows_add(rows, "trace", "cpu_note", facts->cpu_note);
	system_rows_add(rows, "trace", "memory_accounting",
			facts->memory_refusal ? facts->memory_refusal : "possible");
	system_rows_add(rows, "trace", "touched_memory",
			facts->touched_refusal ? facts->touched_refusal : "possible");
	add_if_any(rows, "trace", "memory_stacks", COLUMN_INT, counters->stack_copies);
	add_counts(rows, facts);
	add_int(rows, "events", "lost", (int64_t)counters->lost);
	add_if_any(rows, "events", "lost_buffers", COLUMN_INT, counters->lost_buffers);
	add_int(rows, "events", "damaged", (int64_t)counters->damaged);
	add_if_any(rows, "events", "damaged_buffers", COLUMN_INT, counters->damaged_buffers);
	add_int(rows, "events", "unknown", (int64_t)counters->unknown);
	add_int(rows, "events", "unordered", (int64_t)counters->unordered);
	system_rows_add(rows, "events", "cut", counters->truncated ? "yes" : NULL);
	add_if_any(rows, "events", "missing_bytes", COLUMN_BYTES, counters->missing_bytes);
	add_if_any(rows, "events", "missing_buffers", COLUMN_INT, counters->missing_buffers);
	add_if_any(rows, "events", "unread_bytes", COLUMN_BYTES, counters->unread_bytes);
}

/* What all programs used, as the trace has it. */
static void add_memory_used(struct system_rows *rows, const struct trace_facts *facts)
{
	const struct machine_memory memory = machine_memory_of(facts, INT64_MIN, INT64_MAX);
	const struct {
		const char *key;
		enum column_type type;
		int64_t value;
	} used[] = {
		{ "peak_commit_bytes", COLUMN_BYTES, memory.commit_bytes },
		{ "peak_commit_ns", COLUMN_TIME, memory.commit_ns },
		{ "least_available_bytes", COLUMN_BYTES, memory.available_bytes },
		{ "least_available_ns", COLUMN_TIME, memory.available_ns },
	};

	add_if_any(rows, "memory_used", "measurements", COLUMN_INT, facts->machine_memory_nr);
	for (size_t i = 0; i < ARRAY_SIZE(used); i++)
		system_rows_add_number(rows, "memory_used", used[i].key, used[i].type,
				       used[i].value);
}

static void add_heap(struct system_rows *rows, const struct trace_heap *heap)
{
	const struct {
		const char *name;
		enum column_type type;
		int64_t value;
	} facts[] = {
		{ "allocs", COLUMN_INT, heap->allocs },
		{ "allocated_bytes", COLUMN_BYTES, heap->allocated_bytes },
		{ "reallocs", COLUMN_INT, heap->reallocs },
		{ "grown_bytes", COLUMN_BYTES, heap->grown_bytes },
		{ "frees", COLUMN_INT, heap->frees },
	};
	struct strbuf key = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		strbuf_clear(&key);
		if (heap->pid >= 0)
			strbuf_addf(&key, "process %lld ", (long long)heap->pid);
		strbuf_adds(&key, facts[i].name);
		system_rows_add_number(rows, "heap", key.buf, facts[i].type, facts[i].value);
	}
	strbuf_release(&key);
}

static void add_snapshot(struct system_rows *rows, const struct trace_snapshot *snapshot)
{
	struct strbuf key = STRBUF_INIT;
	size_t len;

	if (snapshot->pid >= 0)
		strbuf_addf(&key, "process %lld ", (long long)snapshot->pid);
	strbuf_addf(&key, "number %lld ", (long long)snapshot->instance);
	len = key.len;
	strbuf_adds(&key, "time");
	system_rows_add_number(rows, "heap_snapshot", key.buf, COLUMN_TIME, snapshot->time_ns);
	strbuf_set_len(&key, len);
	strbuf_adds(&key, "bytes");
	system_rows_add_number(rows, "heap_snapshot", key.buf, COLUMN_BYTES, snapshot->bytes);
	strbuf_set_len(&key, len);
	strbuf_adds(&key, "parts");
	system_rows_add(rows, "heap_snapshot", key.buf,
			snapshot->whole ? NULL : "some are missing");
	strbuf_release(&key);
}

/* What decides what the build does; hashes of files are for `rerun`. */
static void add_build(struct system_rows *rows, const struct system_facts *facts)
{
	for (size_t i = 0; i < facts->nr; i++) {
		const struct system_facts one = { .v = &facts->v[i], .nr = 1 };

		if (strcmp(facts->v[i].section, "files") != 0)
			add_facts(rows, &one);
	}
}

/* The settings of the recording, as they were given. */
static void add_settings(struct system_rows *rows, struct run_source *source)
{
	struct config config = CONFIG_INIT;
	struct strbuf key = STRBUF_INIT;
	struct err unread = ERR_INIT;

	run_source_settings(source, &config, &unread);
	err_clear(&unread);
	for (size_t i = 0; i < config.entries_nr; i++) {
		const struct config_entry *entry = &config.entries[i];

		strbuf_clear(&key);
		strbuf_addf(&key, "%s.%s", entry->section, entry->key);
		system_rows_add(rows, "configuration", key.buf, entry->value);
	}
	strbuf_release(&key);
	config_release(&config);
}

void view_system_add_run(struct system_rows *rows, const struct view_run *run)
{
	if (!run->source)
		return;
	add_host(rows, &run->manifest);
	add_facts(rows, &run->manifest.system);
	add_run(rows, &run->manifest);
	add_build(rows, &run->manifest.build);
	add_settings(rows, run->source);
	add_load(rows, run);
	add_tracker(rows, run);
}

void view_system_add_trace(struct system_rows *rows, const struct trace_facts *facts)
{
	add_origin(rows, facts);
	add_contents(rows, facts);
	for (size_t i = 0; i < facts->marks_nr; i++)
		system_rows_add_number(rows, "marks", facts->marks[i].text, COLUMN_TIME,
				       facts->marks[i].time_ns);
	for (size_t i = 0; i < facts->heaps_nr; i++)
		add_heap(rows, &facts->heaps[i]);
	for (size_t i = 0; i < facts->snapshots_nr; i++)
		add_snapshot(rows, &facts->snapshots[i]);
	add_facts(rows, &facts->system);
	add_memory_used(rows, facts);
}
