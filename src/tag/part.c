#include "tag/part.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* Directories that the renumbering moved up by one. */
static bool is_renumbered(struct span mode)
{
	static const char *const modes[] = { "rustc", "codegen", "tools" };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (span_is(mode, modes[i]))
			return true;
	return false;
}

enum tag_numbering part_numbering(const struct build_path *where, int compiler)
{
	if (where->tree != TREE_STAGE || !is_renumbered(where->mode))
		return NUMBERING_UNKNOWN;
	/* There is no stage 0 compiler to build: its crates would be in new stage0-rustc. */
	if (where->stage == 0 || compiler == where->stage)
		return NUMBERING_OLD;
	return compiler + 1 == where->stage && compiler >= 0 ? NUMBERING_NEW : NUMBERING_UNKNOWN;
}

char *part_name(const struct build_path *where, int compiler, enum tag_numbering numbering)
{
	enum tag_numbering shown = part_numbering(where, compiler);
	bool old = (shown == NUMBERING_UNKNOWN ? numbering : shown) == NUMBERING_OLD;

	if (where->tree != TREE_STAGE)
		return span_dup(where->mode);
	return xasprintf("stage%d-%.*s", where->stage + (old && is_renumbered(where->mode)),
			 (int)where->mode.len, where->mode.s);
}

int part_compiler(const char *part, bool host)
{
	const char *mode;
	int stage;

	if (!part)
		return STAGE_UNKNOWN;
	if (text_starts_with(part, "bootstrap"))
		return 0;
	if (!text_starts_with(part, "stage"))
		return STAGE_UNKNOWN;
	stage = atoi(part + strlen("stage"));
	mode = strchr(part, '-');
	if (!mode)
		return STAGE_UNKNOWN;
	mode++;
	if (!strcmp(mode, "std"))
		return host ? 0 : stage;
	return is_renumbered((struct span){ mode, strlen(mode) }) && stage > 0 ? stage - 1
									       : STAGE_UNKNOWN;
}
