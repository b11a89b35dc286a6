#include "analysis/stack_quality.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

/* Views warn if a smaller share of the stacks is whole. */
#define FEW_WHOLE 0.9

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
	free(quality->v);
	free(quality->of_stack);
	memset(quality, 0, sizeof(*quality));
}

void stack_quality_append(struct stack_quality *quality, uint32_t stack, uint64_t chains,
			  uint64_t unwound)
{
	ARRAY_GROW(quality->v, quality->nr + 1, quality->alloc);
	quality->v[quality->nr++] = (struct stack_samples){ stack, chains, unwound };
}

void stack_quality_add(struct stack_quality *quality, uint32_t stack, uint64_t chains,
		       uint64_t unwound)
{
	struct stack_samples *samples;

	ARRAY_GROW_ZERO(quality->of_stack, (size_t)stack + 1, quality->of_stack_nr);
	if (!quality->of_stack[stack]) {
		stack_quality_append(quality, stack, chains, unwound);
		quality->of_stack[stack] = (uint32_t)quality->nr;
		return;
	}
	samples = &quality->v[quality->of_stack[stack] - 1];
	samples->chains += chains;
	samples->unwound += unwound;
}

/* All threads of Windows start in ntdll, those of its kernel in the kernel. */
static bool is_start_module(const struct module *module)
{
	return module->kind == MODULE_FILE && (text_equal_fold(module->name, "ntdll.dll") ||
					       text_equal_fold(module->name, "ntoskrnl.exe"));
}

static bool is_start(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(starts) && name; i++) {
		if (!strcmp(name, starts[i]))
			return true;
	}
	return false;
}

/*
 * A parent has a smaller id than its children. Frames outside the outermost one that is in a file are not real: the
 * frame pointer register had another value. Frames of the kernel are always right.
 */
struct stack_end *stack_quality_ends(const struct machine *machine)
{
	const struct stack_table *stacks = &machine->stacks;
	struct stack_end *ends = xcalloc(stacks->nodes_nr + 1, sizeof(*ends));

	ends[STACK_EMPTY] = (struct stack_end){ FRAME_TRUNCATED, MODULE_ID_UNKNOWN };
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		const struct stack_node *node = &stacks->nodes[i];
		bool outermost = node->parent == STACK_EMPTY;

		ends[i] = ends[node->parent];
		if (outermost)
			ends[i].frame = node->frame;
		if (ends[i].module == MODULE_ID_UNKNOWN) {
			uint32_t module = stacks->frames[node->frame].module;

			if (outermost || !machine->modules.v[module].kernel)
				ends[i].module = module;
		}
	}
	return ends;
}

static void find_worst(const uint64_t *by_module, const struct module_table *modules,
		       struct stack_quality_result *result)
{
	for (uint32_t i = 0; i < modules->nr; i++) {
		if (by_module[i] > result->worst_samples) {
			result->worst_samples = by_module[i];
			result->worst = i == MODULE_ID_UNKNOWN ? "code of no known file"
							       : modules->v[i].name;
		}
	}
}

void stack_quality_evaluate(const struct stack_quality *quality, const struct stack_end *ends,
			    const struct machine *machine, struct function_table *functions,
			    struct stack_quality_result *result)
{
	const struct stack_table *stacks = &machine->stacks;
	uint64_t *by_module = xcalloc(machine->modules.nr, sizeof(*by_module));

	memset(result, 0, sizeof(*result));
	for (size_t k = 0; k < quality->nr; k++) {
		uint64_t chains = quality->v[k].chains, unwound = quality->v[k].unwound;
		uint32_t i = quality->v[k].stack, root = ends[i].frame;

		result->samples += chains + unwound;
		if (unwound && i != STACK_EMPTY && root != FRAME_TRUNCATED) {
			result->whole += unwound;
			unwound = 0;
		}
		if (chains && i != STACK_EMPTY) {
			uint32_t id = function_table_of(functions, root);
			const char *name = functions->v[id].linkage;

			if (is_start(name) ||
			    is_start_module(&machine->modules.v[stacks->frames[root].module])) {
				result->whole += chains;
				chains = 0;
			} else if (!name && root >= FRAME_FIRST) {
				result->unnamed += chains;
			}
		}
		if (i == STACK_EMPTY || root == FRAME_TRUNCATED)
			result->truncated += chains + unwound;
		result->broken_chains += chains;
		by_module[ends[i].module] += chains + unwound;
	}
	find_worst(by_module, &machine->modules, result);
	free(by_module);
}

bool stack_quality_is_low(const struct stack_quality_result *result)
{
	return (double)result->whole < FEW_WHOLE * (double)result->samples;
}

void stack_quality_explain(const struct stack_quality_result *result, const char *what,
			   const char *remedy, struct strbuf *text)
{
	uint64_t shorter = result->samples - result->whole;

	if (!result->samples)
		return;
	strbuf_addf(text, "%.1f %% of %llu %s end before the start of their thread",
		    100.0 * (double)shorter / (double)result->samples,
		    (unsigned long long)result->samples, what);
	if (result->worst_samples) {
		strbuf_addf(text, ", most often (%.1f %%) in ",
			    100.0 * (double)result->worst_samples / (double)result->samples);
		utf8_add_printable(text, result->worst);
	}
	if (remedy && result->broken_chains > shorter / 2)
		strbuf_addf(text, "; %s", remedy);
	strbuf_addc(text, '\n');
}
