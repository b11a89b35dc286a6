/*
 * Compiles whose own peaks changed while the crate's did not: another process of the crate needs more, as the linker of its
 * build script. A table by crate does not show them.
 */
#ifndef CLI_COMPARE_HIDDEN_H
#define CLI_COMPARE_HIDDEN_H

#include <stdbool.h>

#include "analysis/process_filter.h"
#include "cli/compare_take.h"
#include "compare/verdicts.h"

struct compare_hidden {
	bool is_read; /* the spec is to be read with the shown one */
	struct compare_spec compiles;
	struct process_filter filter; /* of the shown one, of compilers alone */
};

/* Of a spec by crate that does not choose processes by their roles or names. */
void compare_hidden_init(struct compare_hidden *hidden, const struct compare_spec *shown);
void compare_hidden_release(struct compare_hidden *hidden);

/* Once all runs were read, and the shown spec was judged: name these crates in a note, those that changed most first. */
void compare_hidden_say(struct compare_hidden *hidden, const struct compare_spec *shown,
			const struct verdicts *verdicts, const struct compare_effect *effect);

#endif
