#include "report/call_hint.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/name_hint.h"
#include "util/alloc.h"
#include "util/utf8.h"
#include "util/wrap.h"

/* By name of a function: what all stacks through it have. A stack counts as often as it has the function. */
static int64_t *find_weights(const struct call_tree_stacks *stacks)
{
	int64_t *weights = xcalloc(stacks->names_nr + 1, sizeof(*weights));
	int64_t *totals = xcalloc(stacks->nr + 1, sizeof(*totals));
	uint32_t names[CALL_TREE_LEVELS];

	for (size_t i = stacks->nr; i-- > STACK_EMPTY + 1;) {
		size_t levels = stacks->levels(stacks->data, stacks->nodes[i].frame, names);

		if (stacks->values[i] > 0)
			wrap_add_to(&totals[i], stacks->values[i]);
		wrap_add_to(&totals[stacks->nodes[i].parent], totals[i]);
		while (levels)
			wrap_add_to(&weights[names[--levels]], totals[i]);
	}
	free(totals);
	return weights;
}

/* "typeck" is meant as "query typeck". */
static void see_name(struct name_hints *hints, const char *name, bool plumbing, int64_t weight)
{
	struct strbuf brief = STRBUF_INIT;

	if (call_tree_name(&brief, name, plumbing))
		name_hints_see(hints, brief.buf + strlen("query "), brief.buf, weight);
	else
		name_hints_see_function(hints, name, brief.buf, weight);
	strbuf_release(&brief);
}

static void add_hint(const struct call_tree_stacks *stacks, const int64_t *weights, bool plumbing,
		     const char *pattern, const char *option, struct strbuf *notes)
{
	struct name_hints hints;

	name_hints_init(&hints, pattern);
	for (size_t i = 0; i < stacks->names_nr; i++) {
		if (weights[i] > 0)
			see_name(&hints, stacks->name(stacks->data, (uint32_t)i), plumbing,
				 weights[i]);
	}
	strbuf_addf(notes, "no function on the stacks matches --%s '", option);
	utf8_add_printable(notes, pattern);
	strbuf_addc(notes, '\'');
	name_hints_add(&hints, notes);
	strbuf_addc(notes, '\n');
	name_hints_release(&hints);
}

void call_hint_add(const struct call_tree *tree, const struct call_tree_stacks *stacks,
		   const struct call_tree_options *options, struct strbuf *notes)
{
	const struct strvec *const lists[] = { options->focus, options->ignore };
	const bool *const used[] = { tree->focus_used, tree->ignore_used };
	int64_t *weights = NULL;

	for (size_t list = 0; list < 2; list++) {
		for (size_t i = 0; lists[list] && i < lists[list]->nr; i++) {
			if (used[list][i])
				continue;
			if (!weights)
				weights = find_weights(stacks);
			add_hint(stacks, weights, options->plumbing, lists[list]->v[i],
				 list ? "ignore" : "focus", notes);
		}
	}
	free(weights);
}
