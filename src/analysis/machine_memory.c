#include "analysis/machine_memory.h"

static const struct machine_memory none = { -1, -1, -1, -1 };

static void add(struct machine_memory *memory, const struct trace_machine_memory *measured)
{
	if (measured->commit_bytes > memory->commit_bytes) {
		memory->commit_bytes = measured->commit_bytes;
		memory->commit_ns = measured->time_ns;
	}
	if (memory->available_bytes < 0 || measured->available_bytes < memory->available_bytes) {
		memory->available_bytes = measured->available_bytes;
		memory->available_ns = measured->time_ns;
	}
}

struct machine_memory machine_memory_of(const struct trace_facts *facts, int64_t from_ns,
					int64_t to_ns)
{
	struct machine_memory memory = none;

	for (size_t i = 0; i < facts->machine_memory_nr; i++) {
		const struct trace_machine_memory *measured = &facts->machine_memory[i];

		if (measured->time_ns >= from_ns && measured->time_ns < to_ns)
			add(&memory, measured);
	}
	return memory;
}

void machine_memory_steps(const struct trace_facts *facts, int64_t from_ns, int64_t step_ns,
			  struct machine_memory *steps, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		steps[i] = none;
	for (size_t i = 0; i < facts->machine_memory_nr; i++) {
		const struct trace_machine_memory *measured = &facts->machine_memory[i];
		uint64_t step;

		if (measured->time_ns < from_ns)
			continue;
		step = ((uint64_t)measured->time_ns - (uint64_t)from_ns) / (uint64_t)step_ns;
		if (step < nr)
			add(&steps[step], measured);
	}
}
