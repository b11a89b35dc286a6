#include "report/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "model/stack.h"
#include "report/frame_kind.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

const char *const stack_metric_names[] = {
	[METRIC_CPU] = "cpu",
	[METRIC_SIZE] = "size",
	[METRIC_PEAK] = "peak",
	[METRIC_OUTSTANDING] = "outstanding",
	NULL,
};

#define UNSEEN UINT32_MAX

/* What a stack became: good where `first` is the builder's. */
struct seen {
	uint32_t first, node;
};

/* Stacks and names of a grouping, and what became of them in the tree. */
struct stack_tree {
	struct frame_tree *tree;
	const struct group_names *names;
	const struct stack_table *stacks;
	uint32_t *tree_names; /* by function.name */
	struct seen *seen;    /* by stack */
	uint32_t first;       /* the node of the key's text; FRAME_TREE_ROOT */
	bool alone;           /* all nodes are of these stacks: one that was not seen is new */
	uint32_t *path;
	size_t path_alloc;
};

static uint32_t *new_ids(size_t nr)
{
	uint32_t *ids = xreallocarray(NULL, nr ? nr : 1, sizeof(*ids));

	memset(ids, 0xff, nr * sizeof(*ids));
	return ids;
}

/* Of the C library, which allocations are never put down to, only what its name says is the allocator. */
static enum frame_kind kind_of(const struct module *module, const char *name)
{
	if (module->kernel)
		return FRAME_KERNEL;
	if (frame_kind_guess(name) == FRAME_ALLOCATOR)
		return FRAME_ALLOCATOR;
	if (text_starts_with(module->name, "libLLVM"))
		return FRAME_LLVM;
	return FRAME_UNTOLD;
}

/* Names of functions are the names of frames; the first module that has one tells its kind. */
static void add_names(struct stack_tree *builder)
{
	const struct function_table *functions = builder->names->functions;
	bool first = !builder->tree->names_nr;

	builder->tree_names = new_ids(functions->names_nr);
	for (size_t i = 0; i < functions->nr; i++) {
		const struct function *function = &functions->v[i];
		const char *text = function_table_name(functions, function->name);
		struct frame_name *name;
		uint32_t id;

		if (builder->tree_names[function->name] != UNSEEN)
			continue;
		id = first ? frame_tree_append_name(builder->tree, text, strlen(text))
			   : frame_tree_name(builder->tree, text, strlen(text));
		builder->tree_names[function->name] = id;
		name = &builder->tree->names[id];
		if (name->kind == FRAME_UNTOLD)
			name->kind = kind_of(&builder->names->modules->v[function->module], text);
	}
}

static void begin(struct stack_tree *builder, struct frame_tree *tree,
		  const struct group_names *names)
{
	*builder = (struct stack_tree){
		.tree = tree,
		.names = names,
		.stacks = grouping_names(names->grouping),
		.first = FRAME_TREE_ROOT,
		.alone = tree->nodes_nr == 1,
	};
	builder->seen = xcalloc(builder->stacks->nodes_nr, sizeof(*builder->seen));
	add_names(builder);
}

static void end(struct stack_tree *builder)
{
	free(builder->tree_names);
	free(builder->seen);
	free(builder->path);
}

static void set_first(struct stack_tree *builder, const char *text)
{
	uint32_t name;

	builder->first = FRAME_TREE_ROOT;
	if (!text)
		return;
	builder->alone = false;
	name = frame_tree_name(builder->tree, text, strlen(text));
	builder->tree->names[name].kind = FRAME_PROCESS;
	builder->first = frame_tree_child(builder->tree, FRAME_TREE_ROOT, name);
}

static uint32_t find_name(struct stack_tree *builder, uint32_t name)
{
	const char *text;

	if (builder->tree_names[name] == UNSEEN) {
		text = function_table_name(builder->names->functions, name);
		builder->tree_names[name] = frame_tree_name(builder->tree, text, strlen(text));
	}
	return builder->tree_names[name];
}

static bool is_seen(const struct stack_tree *builder, uint32_t stack)
{
	const struct seen *seen = &builder->seen[stack];

	return seen->node != FRAME_TREE_ROOT && seen->first == builder->first;
}

static uint32_t find_node(struct stack_tree *builder, uint32_t stack)
{
	const struct stack_node *nodes = builder->stacks->nodes;
	uint32_t at = stack, node;
	size_t depth = 0;

	for (; at != STACK_EMPTY && !is_seen(builder, at); at = nodes[at].parent) {
		ARRAY_GROW(builder->path, depth + 1, builder->path_alloc);
		builder->path[depth++] = at;
	}
	node = at == STACK_EMPTY ? builder->first : builder->seen[at].node;
	while (depth-- > 0) {
		uint32_t name;

		at = builder->path[depth];
		name = find_name(builder, nodes[at].frame);
		node = builder->alone ? frame_tree_append(builder->tree, node, name)
				      : frame_tree_child(builder->tree, node, name);
		builder->seen[at] = (struct seen){ builder->first, node };
	}
	return node;
}

static void add_value(struct stack_tree *builder, uint32_t key, int64_t value)
{
	const struct group *group = grouping_get(builder->names->grouping, key);

	if (value <= 0)
		return;
	set_first(builder, group->text);
	frame_tree_add(builder->tree, find_node(builder, group->stack), value);
}

/* Where all stacks have samples: one after the other, callers first, rather than as they are met. */
static void add_all_stacks(struct stack_tree *builder)
{
	const struct stack_table *stacks = builder->stacks;

	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		const struct stack_node *node = &stacks->nodes[i];
		uint32_t parent = node->parent == STACK_EMPTY ? FRAME_TREE_ROOT
							      : builder->seen[node->parent].node;

		builder->seen[i] =
			(struct seen){ FRAME_TREE_ROOT,
				       frame_tree_append(builder->tree, parent,
							 find_name(builder, node->frame)) };
	}
}

void stack_tree_add_cpu(struct frame_tree *tree, const struct group_names *names,
			const struct cpu_entry *entries, size_t nr)
{
	struct stack_tree builder;

	begin(&builder, tree, names);
	if (builder.alone && !grouping_has_roots(names->grouping))
		add_all_stacks(&builder);
	for (size_t i = 0; i < nr; i++)
		add_value(&builder, (uint32_t)i, entries[i].self_ns);
	end(&builder);
}

static int64_t metric_of(const struct ledger_entry *entry, enum stack_metric metric)
{
	if (metric == METRIC_SIZE)
		return entry->size;
	return metric == METRIC_PEAK ? entry->at_peak : entry->at;
}

int64_t stack_tree_add_ledger(struct frame_tree *tree, const struct group_names *names,
			      const struct ledger *ledger, enum stack_metric metric)
{
	size_t nr = grouping_nr(names->grouping);
	struct stack_tree builder;
	int64_t surplus = 0;

	if (nr > ledger->keys_nr)
		nr = ledger->keys_nr;
	begin(&builder, tree, names);
	for (size_t i = 0; i < nr; i++) {
		int64_t value = metric_of(&ledger->keys[i], metric);

		add_value(&builder, (uint32_t)i, value);
		/* Weights of a damaged trace may be anything. */
		if (value < 0)
			surplus = wrap_subtract(surplus, value);
	}
	end(&builder);
	return surplus;
}
