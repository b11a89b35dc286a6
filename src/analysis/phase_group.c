#include "analysis/phase_group.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/intmap.h"
#include "util/text.h"
#include "util/wrap.h"

static const struct {
	const char *phase; /* ends with a blank: all that begin with it */
	enum phase_group group;
} phases[] = {
	{ "LLVM: ", PHASE_LLVM },
	{ "linking: ", PHASE_LINK },
	{ "rustc: parse and expand", PHASE_FRONTEND },
	{ "rustc: resolve names", PHASE_FRONTEND },
	{ "rustc: lower to HIR", PHASE_FRONTEND },
	{ "rustc: type check", PHASE_FRONTEND },
	{ "rustc: trait selection", PHASE_FRONTEND },
	{ "rustc: inference", PHASE_FRONTEND },
	{ "rustc: layouts and instances", PHASE_FRONTEND },
	{ "rustc: match checking", PHASE_FRONTEND },
	{ "rustc: borrow check", PHASE_FRONTEND },
	{ "rustc: lints and passes", PHASE_FRONTEND },
	{ "rustc: MIR ", PHASE_MIR },
	{ "rustc: const evaluation", PHASE_MIR },
	{ "rustc: monomorphization", PHASE_CODEGEN },
	{ "rustc: codegen", PHASE_CODEGEN },
	{ "rustc: symbol names", PHASE_CODEGEN },
};

enum phase_group phase_group_of(const char *phase)
{
	for (size_t i = 0; i < ARRAY_SIZE(phases); i++) {
		if (text_ends_with(phases[i].phase, " ") ? text_starts_with(phase, phases[i].phase)
							 : !strcmp(phase, phases[i].phase))
			return phases[i].group;
	}
	return PHASE_OTHER;
}

enum phase_group phase_step_most(const struct phase_step *step)
{
	enum phase_group most = PHASE_OTHER;

	for (int group = 0; group < PHASE_OTHER; group++) {
		if (step->ns[group] > (most == PHASE_OTHER ? 0 : step->ns[most]))
			most = (enum phase_group)group;
	}
	return most;
}

static int compare_steps(const void *a, const void *b)
{
	const struct phase_step *x = a, *y = b;

	if (x->process != y->process)
		return compare_u64(x->process, y->process);
	return compare_u64(x->step, y->step);
}

/* Join those of one process and step. */
static size_t join(struct phase_step *steps, size_t nr)
{
	size_t joined = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!joined || compare_steps(&steps[joined - 1], &steps[i]) != 0) {
			steps[joined++] = steps[i];
			continue;
		}
		for (int group = 0; group < PHASE_GROUPS; group++)
			wrap_add_to(&steps[joined - 1].ns[group], steps[i].ns[group]);
	}
	return joined;
}

struct phase_step *phase_steps_collect(const struct timeline_keys *keys,
				       const struct grouping *grouping,
				       const struct process_list *list, size_t *nr)
{
	struct phase_step *steps = xcalloc(keys->cpu_nr, sizeof(*steps));
	struct intmap indices = INTMAP_INIT;

	/* The map has pointers, so indices are stored plus one. */
	for (size_t i = 0; i < list->nr; i++)
		intmap_put(&indices, (int64_t)(intptr_t)list->v[i], (void *)(uintptr_t)(i + 1));
	*nr = 0;
	for (size_t i = 0; i < keys->cpu_nr; i++) {
		const struct timeline_key_cpu *cpu = &keys->cpu[i];
		const struct process *process =
			grouping_part(grouping, cpu->key, BY_PROCESS)->process;
		uintptr_t index = (uintptr_t)intmap_get(&indices, (int64_t)(intptr_t)process);
		enum phase_group group =
			phase_group_of(grouping_part(grouping, cpu->key, BY_PHASE)->text);

		if (!index)
			continue;
		if (group == PHASE_OTHER && process->tag.role == ROLE_LINK)
			group = PHASE_LINK;
		steps[*nr] = (struct phase_step){ .process = index - 1, .step = cpu->step };
		steps[(*nr)++].ns[group] = cpu->cpu_ns;
	}
	intmap_release(&indices);
	if (*nr)
		qsort(steps, *nr, sizeof(*steps), compare_steps);
	*nr = join(steps, *nr);
	return steps;
}
