#include "cli/view_limits.h"

#include "util/array.h"

void view_limits_add(struct system_rows *rows, const char *section,
		     const struct manifest_memory *memory)
{
	const struct {
		const char *key;
		enum column_type type;
		int64_t number;
	} limits[] = {
		{ "least_available_bytes", COLUMN_BYTES, memory->least_available_bytes },
		{ "least_available_ns", COLUMN_TIME,
		  memory->least_available_bytes < 0 ? -1 : memory->least_available_ns },
		{ "peak_commit_bytes", COLUMN_BYTES, memory->peak_commit_bytes },
		{ "commit_limit_bytes", COLUMN_BYTES, memory->commit_limit_bytes },
		{ "peak_group_bytes", COLUMN_BYTES, memory->peak_group_bytes },
		{ "group_limit_bytes", COLUMN_BYTES, memory->group_limit_bytes },
		{ "address_space_limit_bytes", COLUMN_BYTES, memory->address_space_limit_bytes },
		{ "oom_kills", COLUMN_INT, memory->oom_kills },
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		system_rows_add_number(rows, section, limits[i].key, limits[i].type,
				       limits[i].number);
}
