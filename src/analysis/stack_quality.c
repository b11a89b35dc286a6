#include "analysis/stack_quality.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

/* Views warn if a smaller share of the stacks is complete. */
#define FEW_COMPLETE 0.9

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
	hash_index_release(&quality->index);
	memset(quality, 0, sizeof(*quality));
}

void stack_quality_add(struct stack_quality *quality, struct stack_end end, uint64_t chains,
		       uint64_t unwound)
{
	uint64_t key = (uint64_t)end.module << 32 | end.frame;
	uint32_t at;

	HASH_INDEX_FIND(at, &quality->index, key, i,
			quality->v[i].end.frame == end.frame &&
				quality->v[i].end.module == end.module);
	if (at == HASH_INDEX_NONE) {
		at = (uint32_t)quality->nr;
		ARRAY_ADD(quality->v, quality->nr, quality->alloc,
			  (struct samples_by_end){ .end = end });
		hash_index_add(&quality->index, key, at);
	}
	quality->v[at].chains += chains;
	quality->v[at].unwound += unwound;
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

enum chain_end stack_chain_end(const struct machine *machine, struct function_table *functions,
			       uint32_t root)
{
	uint32_t function;
	const char *name;

	if (root == FRAME_TRUNCATED)
		return CHAIN_BROKEN;
	function = function_table_of(functions, root);
	name = functions->v[function].linkage;
	if (is_start(name) ||
	    is_start_module(&machine->modules.v[machine->stacks.frames[root].module]))
		return CHAIN_WHOLE;
	return !name && root >= FRAME_FIRST ? CHAIN_UNNAMED : CHAIN_BROKEN;
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

void stack_quality_evaluate(const struct stack_quality *quality, const struct machine *machine,
			    struct function_table *functions, struct stack_quality_result *result)
{
	uint64_t *by_module = xcalloc(machine->modules.nr, sizeof(*by_module));

	memset(result, 0, sizeof(*result));
	for (size_t i = 0; i < quality->nr; i++) {
		uint64_t chains = quality->v[i].chains, unwound = quality->v[i].unwound;
		uint32_t root = quality->v[i].end.frame;

		result->samples += chains + unwound;
		if (unwound && root != FRAME_TRUNCATED) {
			result->complete += unwound;
			unwound = 0;
		}
		if (chains) {
			enum chain_end end = stack_chain_end(machine, functions, root);

			if (end == CHAIN_UNNAMED)
				result->unnamed += chains;
			if (end == CHAIN_WHOLE) {
				result->complete += chains;
				chains = 0;
			}
		}
		if (root == FRAME_TRUNCATED)
			result->truncated += chains + unwound;
		result->broken_chains += chains;
		by_module[quality->v[i].end.module] += chains + unwound;
	}
	find_worst(by_module, &machine->modules, result);
	free(by_module);
}

bool stack_quality_is_low(const struct stack_quality_result *result)
{
	return (double)result->complete < FEW_COMPLETE * (double)result->samples;
}

void stack_quality_explain(const struct stack_quality_result *result, const char *what,
			   const char *remedy, struct strbuf *text)
{
	uint64_t shorter = result->samples - result->complete;

	if (!result->samples)
		return;
	if (result->none) {
		strbuf_addf(text, "%s\n", result->none);
		return;
	}
	if (!shorter) {
		strbuf_addf(text, "all %llu stacks of %s are complete\n",
			    (unsigned long long)result->samples, what);
		return;
	}
	text_add_percent(text, 100.0 * (double)shorter / (double)result->samples);
	strbuf_addf(text, " %% of %llu stacks of %s are incomplete, with outer callers missing",
		    (unsigned long long)result->samples, what);
	if (result->worst_samples) {
		strbuf_adds(text, "; they end most often in ");
		utf8_add_printable(text, result->worst);
		strbuf_adds(text, " (");
		text_add_percent(text,
				 100.0 * (double)result->worst_samples / (double)result->samples);
		strbuf_adds(text, " %)");
	}
	if (remedy && result->broken_chains > shorter / 2)
		strbuf_addf(text, "; %s", remedy);
	strbuf_addc(text, '\n');
}
