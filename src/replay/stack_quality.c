#include "replay/stack_quality.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"

/* Outermost functions of threads and processes: glibc's, musl's, the dynamic loader's, the kernel's. */
static const char *const starts[] = {
	"_start",
	"__libc_start_main",
	"__libc_start_main_impl",
	"__libc_start_call_main",
	"start_thread",
	"clone",
	"__clone",
	"clone3",
	"__clone3",
	"__GI___clone3",
	"_dl_start_user",
	"_dl_start",
	"ret_from_fork",
	"ret_from_fork_asm",
};

void stack_quality_release(struct stack_quality *quality)
{
	free(quality->samples);
	memset(quality, 0, sizeof(*quality));
}

void stack_quality_add(struct stack_quality *quality, uint32_t stack)
{
	if (stack >= quality->nr) {
		size_t nr = (size_t)stack + 1;

		ARRAY_GROW(quality->samples, nr, quality->alloc);
		memset(quality->samples + quality->nr, 0,
		       (nr - quality->nr) * sizeof(*quality->samples));
		quality->nr = nr;
	}
	quality->samples[stack]++;
}

static bool is_start(struct function_table *functions, uint32_t frame)
{
	uint32_t id = function_table_of(functions, frame);
	const char *name = functions->v[id].linkage;

	for (size_t i = 0; i < ARRAY_SIZE(starts) && name; i++) {
		if (!strcmp(name, starts[i]))
			return true;
	}
	return false;
}

/* The outermost frame of every stack; a parent has a smaller id than its children. */
static uint32_t *find_roots(const struct stack_table *stacks)
{
	uint32_t *roots = xcalloc(stacks->nodes_nr + 1, sizeof(*roots));

	roots[STACK_EMPTY] = FRAME_TRUNCATED;
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		const struct stack_node *node = &stacks->nodes[i];

		roots[i] = node->parent == STACK_EMPTY ? node->frame : roots[node->parent];
	}
	return roots;
}

/* Where the stack stops: the module of the frame next to [truncated], or of the outermost one. */
static uint32_t *find_ends(const struct stack_table *stacks)
{
	uint32_t *ends = xcalloc(stacks->nodes_nr + 1, sizeof(*ends));

	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		const struct stack_node *node = &stacks->nodes[i];
		bool first = node->parent == STACK_EMPTY ||
			     (stacks->nodes[node->parent].parent == STACK_EMPTY &&
			      stacks->nodes[node->parent].frame == FRAME_TRUNCATED);

		ends[i] = first ? stacks->frames[node->frame].module : ends[node->parent];
	}
	return ends;
}

void stack_quality_judge(const struct stack_quality *quality, const struct machine *machine,
			 struct function_table *functions, struct stack_quality_result *result)
{
	const struct stack_table *stacks = &machine->stacks;
	uint64_t *by_module = xcalloc(machine->modules.nr, sizeof(*by_module));
	uint32_t *roots = find_roots(stacks), *ends = find_ends(stacks);

	memset(result, 0, sizeof(*result));
	for (size_t i = 0; i < quality->nr && i < stacks->nodes_nr; i++) {
		if (!quality->samples[i])
			continue;
		result->samples += quality->samples[i];
		if (i != STACK_EMPTY && is_start(functions, roots[i]))
			result->whole += quality->samples[i];
		else
			by_module[ends[i]] += quality->samples[i];
	}
	for (uint32_t i = 0; i < machine->modules.nr; i++) {
		if (by_module[i] > result->worst_samples) {
			result->worst_samples = by_module[i];
			result->worst_module = i;
		}
	}
	free(by_module);
	free(roots);
	free(ends);
}

void stack_quality_explain(const struct stack_quality_result *result, const struct machine *machine,
			   const char *what, const char *remedy, struct strbuf *text)
{
	double short_share = 0, worst_share = 0;

	if (!result->samples)
		return;
	short_share = 100.0 * (double)(result->samples - result->whole) / (double)result->samples;
	worst_share = 100.0 * (double)result->worst_samples / (double)result->samples;
	strbuf_addf(text, "%.1f %% of %llu %s stop short of the start of their thread", short_share,
		    (unsigned long long)result->samples, what);
	if (result->worst_samples)
		strbuf_addf(text, ", most of them (%.1f %%) in %s", worst_share,
			    result->worst_module == MODULE_ID_UNKNOWN
				    ? "code of no known file"
				    : machine->modules.v[result->worst_module].name);
	if (remedy && result->worst_samples)
		strbuf_addf(text, "; %s", remedy);
	strbuf_addc(text, '\n');
}
