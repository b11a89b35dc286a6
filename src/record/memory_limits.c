#include "record/memory_limits.h"

#include "platform/clock.h"
#include "platform/host.h"

void memory_limits_begin(struct manifest *manifest)
{
	struct manifest_memory *memory = &manifest->memory;
	struct host_memory now;

	host_memory_read(&now);
	memory->commit_limit_bytes = now.commit_limit_bytes;
	memory->group_limit_bytes = now.group_limit_bytes;
	memory->address_space_limit_bytes = now.address_space_limit_bytes;
	memory->oom_kills_before = now.oom_kills;
	memory_limits_sample(manifest);
}

void memory_limits_sample(struct manifest *manifest)
{
	struct manifest_memory *memory = &manifest->memory;
	struct host_memory now;

	host_memory_read(&now);
	if (now.available_bytes >= 0 && (memory->least_available_bytes < 0 ||
					 now.available_bytes < memory->least_available_bytes)) {
		memory->least_available_bytes = now.available_bytes;
		memory->least_available_ns = clock_now() - manifest->clock_base_ns;
	}
	if (now.commit_bytes > memory->peak_commit_bytes)
		memory->peak_commit_bytes = now.commit_bytes;
	if (now.group_bytes > memory->peak_group_bytes)
		memory->peak_group_bytes = now.group_bytes;
	if (memory->oom_kills_before >= 0 && now.oom_kills >= memory->oom_kills_before)
		memory->oom_kills = now.oom_kills - memory->oom_kills_before;
}
