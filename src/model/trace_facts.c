#include "model/trace_facts.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/text.h"

void trace_facts_init(struct trace_facts *facts)
{
	*facts = (struct trace_facts){ .command_line = STRVEC_INIT,
				       .first_damage = STRBUF_INIT,
				       .cpus = -1,
				       .memory_bytes = -1,
				       .counters = { .last_ns = -1 } };
}

void trace_facts_release(struct trace_facts *facts)
{
	free(facts->format);
	free(facts->hostname);
	free(facts->os_release);
	free(facts->arch);
	free(facts->cpu_model);
	free(facts->tool_version);
	strvec_release(&facts->command_line);
	free(facts->start_utc);
	free(facts->boot_utc);
	free(facts->time_zone);
	free(facts->clock);
	free(facts->cpu_event);
	free(facts->cpu_refusal);
	free(facts->caller_refusal);
	free(facts->cpu_note);
	free(facts->switch_refusal);
	free(facts->memory_refusal);
	free(facts->touched_refusal);
	free(facts->heap_refusal);
	free(facts->process_refusal);
	free(facts->gap);
	for (size_t i = 0; i < facts->counts_nr; i++)
		free(facts->counts[i].name);
	free(facts->counts);
	for (size_t i = 0; i < facts->marks_nr; i++)
		free(facts->marks[i].text);
	free(facts->marks);
	free(facts->heaps);
	free(facts->snapshots);
	free(facts->machine_memory);
	system_facts_release(&facts->system);
	strbuf_release(&facts->first_damage);
	free(facts->stop);
	trace_facts_init(facts);
}

void trace_facts_add_count(struct trace_facts *facts, char *name, uint64_t nr, bool stacks)
{
	ARRAY_GROW(facts->counts, facts->counts_nr + 1, facts->counts_alloc);
	facts->counts[facts->counts_nr++] =
		(struct trace_event_count){ .name = name, .nr = nr, .stacks = stacks };
}

bool trace_counters_add_missing(const struct trace_counters *counters, struct strbuf *sb)
{
	bool bytes = counters->missing_bytes;

	if (bytes)
		text_add_bytes(sb, (int64_t)counters->missing_bytes);
	if (counters->missing_buffers)
		strbuf_addf(sb, "%s%llu of %llu buffers%s", bytes ? " (" : "",
			    (unsigned long long)counters->missing_buffers,
			    (unsigned long long)counters->all_buffers, bytes ? ")" : "");
	return bytes || counters->missing_buffers;
}
