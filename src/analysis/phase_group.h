/*
 * The phases of the compiler (analysis/stack_tags.h) in a few groups, for pictures: what each process did over time.
 */
#ifndef ANALYSIS_PHASE_GROUP_H
#define ANALYSIS_PHASE_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/timeline.h"
#include "model/process.h"

enum phase_group {
	PHASE_FRONTEND, /* parsing up to borrow checking */
	PHASE_MIR,
	PHASE_CODEGEN, /* rustc's own part of it */
	PHASE_LLVM,
	PHASE_LINK,
	PHASE_OTHER, /* metadata, incremental data, and what has no phase */
	PHASE_GROUPS
};

/* The group of a phase by its name, as in profiles/rustc.stacktags; "[untagged]" and the like are PHASE_OTHER. */
enum phase_group phase_group_of(const char *phase);

/* CPU time of a process in a step of a timeline. */
struct phase_step {
	size_t process; /* its index in the list */
	uint32_t step;
	int64_t ns[PHASE_GROUPS];
};

/* The group with the most time, PHASE_OTHER only if it is alone. */
enum phase_group phase_step_most(const struct phase_step *step);

/*
 * The steps in which a process of `list` had CPU time, by process and step, their number in `*nr`; the caller frees
 * them. `grouping`, of the CPU time of `keys`, is by process and phase. What a linker does is PHASE_LINK, whatever its
 * functions.
 */
struct phase_step *phase_steps_collect(const struct timeline_keys *keys,
				       const struct grouping *grouping,
				       const struct process_list *list, size_t *nr);

#endif
