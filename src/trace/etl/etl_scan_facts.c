#include "trace/etl/etl_scan.h"

#include <stdlib.h>

#include "platform/clock.h"
#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_merge.h"
#include "util/array.h"
#include "util/text.h"

/* Limit of StackWalk events, learn.microsoft.com. */
#define STACK_FRAMES_MAX 192

static const char *clock_name_of(enum etl_clock clock)
{
	switch (clock) {
	case ETL_CLOCK_SYSTEM:
		return "system time";
	case ETL_CLOCK_CYCLES:
		return "CPU cycles";
	default:
		return "QPC";
	}
}

static const char *architecture_name(uint16_t architecture)
{
	static const struct {
		enum etl_architecture architecture;
		const char *name;
	} names[] = {
		{ ETL_X86, "i686" },
		{ ETL_ARM, "arm" },
		{ ETL_AMD64, "x86_64" },
		{ ETL_ARM64, "aarch64" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].architecture == architecture)
			return names[i].name;
	return NULL;
}

/* From 1601, when FILETIMEs start, to 1970; in units of 100 ns. */
#define FILETIME_1970 INT64_C(116444736000000000)

/* A FILETIME as text; NULL: it is unknown, or not of our time. */
static char *utc_of(int64_t time)
{
	char text[CLOCK_UTC_SIZE];

	if (time < FILETIME_1970 || time - FILETIME_1970 > INT64_MAX / 100)
		return NULL;
	clock_format_utc((time - FILETIME_1970) * 100, text);
	return xstrdup(text);
}

/* `bias`: minutes from local time to UTC. */
static char *time_zone_of(int32_t bias)
{
	if (bias <= -24 * 60 || bias >= 24 * 60)
		return NULL;
	return xasprintf("UTC%c%02d:%02d", bias > 0 ? '-' : '+', abs(bias) / 60, abs(bias) % 60);
}

/* Of the file that begins first, as time zero is. */
static void report_dates(struct etl_file *const *files, size_t nr, struct trace_facts *facts)
{
	const struct etl_header *first = etl_file_header(files[0]);

	for (size_t i = 1; i < nr; i++) {
		if (etl_file_header(files[i])->first_tick < first->first_tick)
			first = etl_file_header(files[i]);
	}
	facts->start_utc = utc_of(first->start_time);
	facts->boot_utc = utc_of(first->boot_time);
	facts->time_zone = time_zone_of(first->timezone_bias);
}

static void report_machine(const struct etl_scan *scan, const struct etl_header *header,
			   struct trace_facts *facts)
{
	facts->hostname = xstrdup_or_null(scan->computer);
	facts->os_release = xasprintf("Windows %u.%u.%u%s%s", header->os_major, header->os_minor,
				      (unsigned)header->build, scan->build ? " " : "",
				      scan->build ? scan->build : "");
	facts->arch = xstrdup_or_null(architecture_name(scan->architecture));
	facts->cpu_model = xstrdup_or_null(scan->cpu_name);
	if (!facts->cpu_model && header->cpu_mhz)
		facts->cpu_model = xasprintf("%u MHz", (unsigned)header->cpu_mhz);
	facts->cpus = header->cpus;
	facts->memory_bytes = scan->memory_bytes;
}

static void report_stop(const struct etl_damage *damage, const struct etl_file *file,
			bool one_of_many, struct trace_facts *facts)
{
	facts->counters.unread_bytes += damage->unread;
	if (!facts->stop && damage->unread)
		facts->stop =
			one_of_many ? xasprintf("%s of '%s'", damage->stop.buf, etl_file_path(file))
				    : xstrdup(damage->stop.buf);
}

static void report_first_damage(const struct strbuf *damage, const struct etl_file *file,
				bool one_of_many, struct trace_facts *facts)
{
	if (facts->first_damage.len || !damage->len)
		return;
	strbuf_adds(&facts->first_damage, damage->buf);
	if (one_of_many)
		strbuf_addf(&facts->first_damage, " of '%s'", etl_file_path(file));
}

static void report_damage(const struct etl_scan *scan, struct etl_file *const *files, size_t nr,
			  struct trace_facts *facts)
{
	uint64_t dropped = etl_keys_dropped(scan->keys);

	for (size_t i = 0; i < nr; i++) {
		const struct etl_header *header = etl_file_header(files[i]);
		const struct etl_damage *damage = etl_file_damage(files[i]);

		facts->counters.lost += header->events_lost;
		facts->counters.lost_buffers += header->buffers_lost;
		facts->counters.damaged += damage->buffers + damage->events;
		facts->counters.damaged_buffers += damage->buffers;
		facts->counters.damaged_buffers_bytes += damage->buffer_bytes;
		facts->counters.unknown += damage->unknown;
		facts->counters.truncated |= damage->truncated;
		facts->counters.missing_bytes += damage->missing;
		facts->counters.missing_buffers += damage->missing_buffers;
		if (damage->missing_buffers)
			facts->counters.all_buffers += header->buffers_written;
		report_stop(damage, files[i], nr > 1, facts);
		report_first_damage(&damage->first, files[i], nr > 1, facts);
	}
	facts->counters.unordered = scan->unordered;
	facts->counters.damaged += scan->damaged + dropped;
	report_first_damage(&scan->first_damage, files[scan->first_damaged], nr > 1, facts);
	if (dropped && !facts->first_damage.len)
		strbuf_adds(&facts->first_damage, "more stacks than the limit");
}

static void report_count(struct trace_facts *facts, const char *name, uint64_t nr)
{
	if (nr)
		trace_facts_add_count(facts, xstrdup(name), nr, false);
}

static bool has_stacks(const struct etl_counts *counts)
{
	return etl_counts_get(counts, ETL_STACK_WALK, ETL_STACK) ||
	       etl_counts_get(counts, ETL_STACK_WALK, ETL_STACK_KERNEL_KEY) ||
	       etl_counts_get(counts, ETL_STACK_WALK, ETL_STACK_USER_KEY);
}

/* Samples of the idle thread are not CPU time of a process, not even in a DPC or ISR; other tools count the latter. */
static void report_samples(const struct etl_scan *scan, struct trace_facts *facts)
{
	report_count(facts, "idle: SampledProfile of thread 0", scan->idle);
	report_count(facts, "idle: of these in a DPC or ISR", scan->idle_busy);
	if (!etl_counts_get(scan->counts, ETL_PERF_INFO, ETL_PERF_SAMPLE)) {
		facts->cpu_refusal = xstrdup("it has no CPU samples: record with 'cpu = yes', or "
					     "WPR's profile CPU");
		return;
	}
	facts->cpu_event = xstrdup("SampledProfile");
	if (!has_stacks(scan->counts))
		facts->caller_refusal =
			xstrdup("CPU samples have no callers: record with WPR's profile "
				"CPU, or 'xperf -stackwalk Profile'");
	if (!etl_rates_known(scan->rates))
		facts->cpu_note = xstrdup("the trace does not contain the sampling interval: "
					  "each sample counts as 1 ms");
}

static void report_switches(const struct etl_scan *scan, struct trace_facts *facts)
{
	facts->has_switches = etl_counts_get(scan->counts, ETL_THREAD, ETL_THREAD_SWITCH) > 0;
	facts->has_wakeups = facts->has_switches &&
			     etl_counts_get(scan->counts, ETL_THREAD, ETL_THREAD_READY) > 0;
	if (!facts->has_switches && etl_counts_get(scan->counts, ETL_THREAD, ETL_THREAD_COMPACT))
		facts->switch_refusal =
			xstrdup("its context switches are compact (CompactCSwitch), which are not "
				"read: record with the keyword CSwitch");
}

static void report_memory(const struct etl_scan *scan, struct trace_facts *facts)
{
	const char *snapshots = facts->snapshots_nr
					? "; it has heap snapshots, whose content only programs of "
					  "Microsoft can show (docs/heap.md)"
					: "";

	facts->touched_refusal = xstrdup("it was recorded on Windows, where touched pages are not "
					 "recorded");
	facts->has_memory = scan->asked_for_memory ||
			    etl_counts_get(scan->counts, ETL_PAGE_FAULT, ETL_VIRTUAL_ALLOC) ||
			    etl_counts_get(scan->counts, ETL_PAGE_FAULT, ETL_VIRTUAL_FREE);
	if (!facts->has_memory)
		facts->memory_refusal = xasprintf(
			"it has no VirtualAlloc events: record with 'virtualalloc = yes', or WPR's "
			"profile VirtualAllocation%s",
			facts->heaps_nr ? "; it has heap events, which `memory --of heap` counts"
					: snapshots);
	if (!facts->heaps_nr)
		facts->heap_refusal = xasprintf(
			"it has no heap events: record with 'stagetrace heap' and 'recipe = "
			"tracing' in [heap], or WPR's profile Heap%s",
			snapshots);
}

static void report_processes(const struct etl_scan *scan, struct trace_facts *facts)
{
	for (uint8_t opcode = ETL_OPCODE_START; opcode <= ETL_OPCODE_DC_END; opcode++) {
		if (etl_counts_get(scan->counts, ETL_PROCESS, opcode))
			return;
	}
	facts->process_refusal = xstrdup("it has no process events: give the file of the kernel's "
					 "events too, or record with WPR's profile CPU");
}

/* The times of marks are set later. */
static void report_marks(const struct etl_scan *scan, struct trace_facts *facts)
{
	facts->marks = xcalloc(scan->marks_nr + 1, sizeof(*facts->marks));
	facts->marks_nr = scan->marks_nr;
	for (size_t i = 0; i < scan->marks_nr; i++)
		facts->marks[i].text = xstrdup(scan->marks[i].text);
}

void etl_scan_set_facts(const struct etl_scan *scan, struct etl_file *const *files, size_t nr,
			struct trace_facts *facts)
{
	facts->format = xstrdup("etl");
	facts->max_stack = STACK_FRAMES_MAX;
	facts->clock = xstrdup(clock_name_of(etl_file_header(files[0])->clock));
	report_machine(scan, etl_file_header(files[0]), facts);
	report_dates(files, nr, facts);
	report_damage(scan, files, nr, facts);
	facts->gap = etl_merge_gap(files, nr);
	etl_counts_report(scan->counts, facts);
	etl_heaps_report(scan->heaps, facts);
	etl_snapshots_report(scan->snapshots, facts);
	etl_machine_memory_report(scan->machine_memory, scan->page_size, facts);
	etl_config_report(scan->config, &facts->system);
	report_samples(scan, facts);
	report_switches(scan, facts);
	report_memory(scan, facts);
	report_processes(scan, facts);
	report_marks(scan, facts);
}

void etl_scan_set_times(const struct etl_scan *scan, const struct etl_clock_base *base,
			struct trace_facts *facts)
{
	facts->counters.base_ns = base->base_ns;
	for (size_t i = 0; i < facts->marks_nr; i++)
		facts->marks[i].time_ns = etl_clock_time(base, scan->marks[i].time);
	etl_snapshots_set_times(scan->snapshots, base, facts);
	etl_machine_memory_set_times(scan->machine_memory, base, facts);
	if (scan->first > scan->last)
		return;
	facts->counters.first_ns = etl_clock_time(base, scan->first);
	facts->counters.last_ns = etl_clock_time(base, scan->last);
}
