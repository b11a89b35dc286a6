/*
 * Hints for --focus and --ignore that match no function of a call tree.
 */
#ifndef REPORT_CALL_HINT_H
#define REPORT_CALL_HINT_H

#include "report/call_tree.h"
#include "util/strbuf.h"

/*
 * Append a line for each pattern of the options that no function on the stacks matches, with the most similar names, those
 * with the largest values first. Each of these names matches a function if it is given instead.
 */
void call_hint_add(const struct call_tree *tree, const struct call_tree_stacks *stacks,
		   const struct call_tree_options *options, struct strbuf *notes);

#endif
