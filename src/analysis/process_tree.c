#include "analysis/process_tree.h"

#include <stdint.h>
#include <stdlib.h>

#include "model/process_index.h"
#include "util/alloc.h"
#include "util/array.h"

#define NONE SIZE_MAX

/* The links of a process, as indices of the list. */
struct link {
	size_t parent;
	size_t first_child;
	size_t next; /* sibling */
	bool kept;
};

/* The last process with the pid of the parent that started before the child, if it had not ended by then. */
static size_t find_parent(const struct process_index *index, const struct process *process,
			  size_t child)
{
	const struct indexed_process *v = index->v;
	size_t low;

	ARRAY_SEARCH(low, process->ppid == PROCESS_UNKNOWN ? 0 : index->nr, i,
		     v[i].pid < process->ppid ||
			     (v[i].pid == process->ppid && v[i].start_ns <= process->start_ns));
	while (low-- > 0 && v[low].pid == process->ppid) {
		if (v[low].row != child)
			return v[low].end_ns == PROCESS_UNKNOWN ||
					       v[low].end_ns >= process->start_ns
				       ? v[low].row
				       : NONE;
	}
	return NONE;
}

static struct link *find_parents(const struct process_list *list, const bool *matched)
{
	struct link *links = xcalloc(list->nr, sizeof(*links));
	struct process_index index;

	process_index_init(&index, list);
	for (size_t i = 0; i < list->nr; i++) {
		links[i].parent = find_parent(&index, list->v[i], i);
		links[i].first_child = NONE;
		links[i].next = NONE;
		links[i].kept = !matched || matched[i];
	}
	process_index_release(&index);
	return links;
}

/*
 * In a damaged recording processes that started at the same time may be each other's parents: break every such cycle at one
 * process.
 */
static void break_cycles(struct link *links, size_t nr)
{
	size_t *walk = xcalloc(nr, sizeof(*walk)); /* the walk that came here; 0: none */

	for (size_t i = 0; i < nr; i++) {
		size_t at = i, up;

		while (at != NONE && !walk[at]) {
			walk[at] = i + 1;
			up = links[at].parent;
			if (up != NONE && walk[up] == i + 1)
				links[at].parent = NONE;
			at = links[at].parent;
		}
	}
	free(walk);
}

/* Keep all ancestors of kept rows. The walk up ends at a kept row: its ancestors are kept by its own walk. */
static void keep_ancestors(struct link *links, size_t nr, const bool *matched)
{
	for (size_t i = 0; i < nr; i++) {
		if (matched && !matched[i])
			continue;
		for (size_t at = links[i].parent; at != NONE && !links[at].kept;
		     at = links[at].parent)
			links[at].kept = true;
	}
}

/* Link the kept rows to their parents, and roots to `*root`; from the last row on, as each becomes the first child. */
static void link_children(struct link *links, size_t nr, const size_t *order, size_t *root)
{
	*root = NONE;
	for (size_t i = nr; i-- > 0;) {
		size_t at = order ? order[i] : i;
		size_t *front =
			links[at].parent == NONE ? root : &links[links[at].parent].first_child;

		if (!links[at].kept)
			continue;
		links[at].next = *front;
		*front = at;
	}
}

void process_tree_build(const struct process_list *list, const bool *matched, const size_t *order,
			struct process_tree *tree)
{
	struct link *links;
	size_t at, depth = 0;

	*tree = (struct process_tree){ NULL, 0 };
	if (!list->nr)
		return;
	links = find_parents(list, matched);
	break_cycles(links, list->nr);
	keep_ancestors(links, list->nr, matched);
	link_children(links, list->nr, order, &at);
	tree->v = xcalloc(list->nr, sizeof(*tree->v));
	while (at != NONE) {
		tree->v[tree->nr++] = (struct process_node){
			.process = list->v[at],
			.index = at,
			.depth = depth,
			.last = links[at].next == NONE,
			.matched = !matched || matched[at],
		};
		if (links[at].first_child != NONE) {
			at = links[at].first_child;
			depth++;
			continue;
		}
		while (at != NONE && links[at].next == NONE) {
			at = links[at].parent;
			depth--;
		}
		if (at != NONE)
			at = links[at].next;
	}
	free(links);
}

void process_tree_release(struct process_tree *tree)
{
	free(tree->v);
	*tree = (struct process_tree){ NULL, 0 };
}

/* The index of the parent of each node; NONE of a root. */
static size_t *find_parent_nodes(const struct process_tree *tree)
{
	size_t *parents = xcalloc(tree->nr, sizeof(*parents));
	size_t *above = xcalloc(tree->nr, sizeof(*above)); /* by depth: the last node */

	for (size_t i = 0; i < tree->nr; i++) {
		size_t depth = tree->v[i].depth;

		parents[i] = depth ? above[depth - 1] : NONE;
		above[depth] = i;
	}
	free(above);
	return parents;
}

static bool runs_long(const struct process_node *node, int64_t duration_ns)
{
	int64_t duration = process_duration(node->process);

	return node->matched && (duration == PROCESS_UNKNOWN || duration >= duration_ns);
}

void process_tree_prune(struct process_tree *tree, size_t depth, int64_t duration_ns)
{
	size_t *parents = find_parent_nodes(tree), nr = 0, root_seen = 0;
	bool *wanted = xcalloc(tree->nr, sizeof(*wanted));
	bool *seen = xcalloc(tree->nr, sizeof(*seen)); /* a later child of the node is kept */

	/* From the last one on, children before their parents. */
	for (size_t i = tree->nr; i-- > 0;) {
		struct process_node *node = &tree->v[i];
		size_t parent = parents[i];
		bool kept;

		wanted[i] |= runs_long(node, duration_ns);
		if (wanted[i] && parent != NONE)
			wanted[parent] = true;
		kept = wanted[i] && (!depth || node->depth < depth);
		if (!kept) {
			if (parent != NONE)
				tree->v[parent].hidden += node->hidden + node->matched;
			wanted[i] = false;
			continue;
		}
		wanted[i] = true;
		node->last = parent == NONE ? !root_seen++ : !seen[parent];
		if (parent != NONE)
			seen[parent] = true;
	}
	for (size_t i = 0; i < tree->nr; i++) {
		if (wanted[i])
			tree->v[nr++] = tree->v[i];
	}
	tree->nr = nr;
	free(parents);
	free(wanted);
	free(seen);
}
