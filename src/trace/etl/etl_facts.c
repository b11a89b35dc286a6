#include "trace/etl/etl_facts.h"

#include <stdlib.h>

#include "trace/etl/etl_system.h"
#include "util/array.h"

/* Of StackWalk, learn.microsoft.com. */
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

static void tell_machine(const struct etl_prelude *prelude, const struct etl_header *header,
			 struct trace_facts *facts)
{
	facts->hostname = xstrdup_or_null(prelude->computer);
	facts->os_release = xasprintf("Windows %u.%u.%u%s%s", header->os_major, header->os_minor,
				      (unsigned)header->build, prelude->build ? " " : "",
				      prelude->build ? prelude->build : "");
	facts->arch = xstrdup_or_null(architecture_name(prelude->architecture));
	facts->cpu_model = xstrdup_or_null(prelude->cpu_name);
	if (!facts->cpu_model && header->cpu_mhz)
		facts->cpu_model = xasprintf("%u MHz", (unsigned)header->cpu_mhz);
	facts->cpus = header->cpus;
	facts->memory_bytes = prelude->memory_bytes;
}

static void tell_first_damage(const struct strbuf *damage, const struct etl_file *file,
			      bool one_of_many, struct trace_facts *facts)
{
	if (facts->first_damage.len || !damage->len)
		return;
	strbuf_adds(&facts->first_damage, damage->buf);
	if (one_of_many)
		strbuf_addf(&facts->first_damage, " of '%s'", etl_file_path(file));
}

static void tell_damage(const struct etl_prelude *prelude, struct etl_file *const *files, size_t nr,
			struct trace_facts *facts)
{
	uint64_t dropped = etl_keys_dropped(prelude->keys);

	for (size_t i = 0; i < nr; i++) {
		const struct etl_header *header = etl_file_header(files[i]);
		const struct etl_damage *damage = etl_file_damage(files[i]);

		facts->lost += header->events_lost;
		facts->lost_buffers += header->buffers_lost;
		facts->damaged += damage->buffers + damage->events;
		facts->unknown += damage->unknown;
		facts->cut |= damage->cut;
		facts->missing += damage->missing;
		tell_first_damage(&damage->first, files[i], nr > 1, facts);
	}
	facts->unordered = prelude->unordered;
	facts->damaged += prelude->damaged + dropped;
	tell_first_damage(&prelude->first_damage, files[prelude->first_damaged], nr > 1, facts);
	if (dropped && !facts->first_damage.len)
		strbuf_adds(&facts->first_damage, "more stacks than are kept");
}

static void tell_count(struct trace_facts *facts, const char *name, uint64_t nr)
{
	if (nr)
		trace_facts_count(facts, xstrdup(name), nr, false);
}

/* Samples of the idle thread are no time of a process, in a DPC or ISR neither; other programs count these. */
static void tell_samples(const struct etl_prelude *prelude, struct trace_facts *facts)
{
	tell_count(facts, "idle: SampledProfile of thread 0", prelude->idle);
	tell_count(facts, "idle: of these in a DPC or ISR", prelude->idle_busy);
	if (!etl_counts_get(prelude->counts, ETL_PERF_INFO, ETL_PERF_SAMPLE)) {
		facts->cpu_refusal = xstrdup("it has no CPU samples: record with 'cpu = yes', or "
					     "WPR's profile CPU");
		return;
	}
	facts->cpu_event = xstrdup("SampledProfile");
	if (!etl_rates_told(prelude->rates))
		facts->cpu_note = xstrdup("the trace does not tell the interval of its samples: "
					  "they are taken for 1 ms each");
}

static void tell_memory(const struct etl_prelude *prelude, struct trace_facts *facts)
{
	facts->has_memory = prelude->asked_for_memory ||
			    etl_counts_get(prelude->counts, ETL_PAGE_FAULT, ETL_VIRTUAL_ALLOC) ||
			    etl_counts_get(prelude->counts, ETL_PAGE_FAULT, ETL_VIRTUAL_FREE);
	if (!facts->has_memory)
		facts->memory_refusal =
			xstrdup("it has no VirtualAlloc events: record with 'virtualalloc = "
				"yes', or WPR's profile VirtualAllocation");
}

/* Their times come later. */
static void tell_marks(const struct etl_prelude *prelude, struct trace_facts *facts)
{
	facts->marks = xcalloc(prelude->marks_nr + 1, sizeof(*facts->marks));
	facts->marks_nr = prelude->marks_nr;
	for (size_t i = 0; i < prelude->marks_nr; i++)
		facts->marks[i].text = xstrdup(prelude->marks[i].text);
}

void etl_facts_tell(const struct etl_prelude *prelude, struct etl_file *const *files, size_t nr,
		    struct trace_facts *facts)
{
	facts->format = xstrdup("etl");
	facts->max_stack = STACK_FRAMES_MAX;
	facts->clock = xstrdup(clock_name_of(etl_file_header(files[0])->clock));
	tell_machine(prelude, etl_file_header(files[0]), facts);
	tell_damage(prelude, files, nr, facts);
	etl_counts_tell(prelude->counts, facts);
	etl_heaps_tell(prelude->heaps, facts);
	tell_samples(prelude, facts);
	tell_memory(prelude, facts);
	tell_marks(prelude, facts);
}

void etl_facts_tell_times(const struct etl_prelude *prelude, const struct etl_clock_base *base,
			  struct trace_facts *facts)
{
	facts->base_ns = base->base_ns;
	for (size_t i = 0; i < facts->marks_nr; i++)
		facts->marks[i].time_ns = etl_clock_time(base, prelude->marks[i].time);
	if (prelude->first > prelude->last)
		return;
	facts->first_ns = etl_clock_time(base, prelude->first);
	facts->last_ns = etl_clock_time(base, prelude->last);
}
