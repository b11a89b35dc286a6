#include "compare/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/alloc.h"

_Static_assert(UNIT_TEXTS <= COMPARE_TEXTS, "a key has room for the texts of a process");

static void set_texts(const struct process *process, char *stage, size_t size, const char **texts)
{
	const struct tag *tag = &process->tag;

	texts[UNIT_ROLE] = role_name(tag->role);
	texts[UNIT_PART] = tag->part;
	texts[UNIT_CRATE] = tag->crate;
	texts[UNIT_CRATE_TYPE] = tag->crate_type;
	texts[UNIT_TARGET] = tag->target;
	texts[UNIT_BUILT_BY] = NULL;
	if (tag->built_by != STAGE_UNKNOWN) {
		snprintf(stage, size, "%d", tag->built_by);
		texts[UNIT_BUILT_BY] = stage;
	}
}

uint32_t *unit_keys(const struct process_list *list, struct comparison *comparison)
{
	uint32_t *keys = xcalloc(list->nr, sizeof(*keys));
	size_t *counts = xcalloc(list->nr, sizeof(*counts));
	struct comparison kinds; /* of processes that are equal but for their number */

	comparison_init(&kinds, UNIT_ORDINAL);
	for (size_t i = 0; i < list->nr; i++) {
		const char *texts[UNIT_TEXTS];
		char stage[16], ordinal[24];

		set_texts(list->v[i], stage, sizeof(stage), texts);
		snprintf(ordinal, sizeof(ordinal), "%zu", ++counts[comparison_key(&kinds, texts)]);
		texts[UNIT_ORDINAL] = ordinal;
		keys[i] = comparison_key(comparison, texts);
	}
	comparison_release(&kinds);
	free(counts);
	return keys;
}
