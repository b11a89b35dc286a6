#include "report/frame_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/key_hash.h"
#include "util/radix_sort.h"
#include "util/text.h"
#include "util/wrap.h"

#define FIRST_ALLOC 1024

void frame_tree_init(struct frame_tree *tree)
{
	*tree = (struct frame_tree){ 0 };
	ARRAY_GROW(tree->nodes, FIRST_ALLOC, tree->nodes_alloc);
	tree->nodes[FRAME_TREE_ROOT] = (struct frame_node){ FRAME_TREE_ROOT, UINT32_MAX, 0 };
	tree->nodes_nr = 1;
}

void frame_tree_release(struct frame_tree *tree)
{
	for (size_t i = 0; i < tree->names_nr; i++)
		free(tree->names[i].text);
	free(tree->names);
	free(tree->nodes);
	hash_index_release(&tree->node_index);
	hash_index_release(&tree->name_index);
	*tree = (struct frame_tree){ 0 };
}

static uint64_t node_key(const struct frame_node *node)
{
	return (uint64_t)node->parent << 32 | node->name;
}

/* Add the names that are not in the index yet. */
static void index_names(struct frame_tree *tree)
{
	for (size_t i = tree->name_index.nr; i < tree->names_nr; i++) {
		const struct frame_name *name = &tree->names[i];

		hash_index_add(&tree->name_index,
			       key_hash_add(key_hash_first(), name->text, name->len), (uint32_t)i);
	}
}

/* The same for nodes, without the root. */
static void index_nodes(struct frame_tree *tree)
{
	for (size_t i = tree->node_index.nr + 1; i < tree->nodes_nr; i++)
		hash_index_add(&tree->node_index, node_key(&tree->nodes[i]), (uint32_t)i);
}

uint32_t frame_tree_append_name(struct frame_tree *tree, const char *text, size_t len)
{
	assert(tree->names_nr < HASH_INDEX_NONE);
	ARRAY_GROW(tree->names, tree->names_nr + 1, tree->names_alloc);
	tree->names[tree->names_nr] =
		(struct frame_name){ xstrndup(text, len), (uint32_t)len, FRAME_UNKNOWN_KIND };
	return (uint32_t)tree->names_nr++;
}

static uint32_t intern_name(struct frame_tree *tree, const char *text, size_t len)
{
	uint64_t hash = key_hash_add(key_hash_first(), text, len);
	uint32_t id;

	index_names(tree);
	HASH_INDEX_FIND(id, &tree->name_index, hash, i,
			tree->names[i].len == len && !memcmp(tree->names[i].text, text, len));
	return id == HASH_INDEX_NONE ? frame_tree_append_name(tree, text, len) : id;
}

uint32_t frame_tree_name(struct frame_tree *tree, const char *text, size_t len)
{
	uint32_t id;
	char *copy;

	if (!memchr(text, '\0', len))
		return intern_name(tree, text, len);
	copy = xmalloc(len);
	for (size_t i = 0; i < len; i++)
		copy[i] = text[i] ? text[i] : '?';
	id = intern_name(tree, copy, len);
	free(copy);
	return id;
}

uint32_t frame_tree_append(struct frame_tree *tree, uint32_t parent, uint32_t name)
{
	assert(tree->nodes_nr < HASH_INDEX_NONE);
	ARRAY_GROW(tree->nodes, tree->nodes_nr + 1, tree->nodes_alloc);
	tree->nodes[tree->nodes_nr] = (struct frame_node){ parent, name, 0 };
	return (uint32_t)tree->nodes_nr++;
}

uint32_t frame_tree_child(struct frame_tree *tree, uint32_t parent, uint32_t name)
{
	const struct frame_node child = { parent, name, 0 };
	uint32_t id;

	index_nodes(tree);
	HASH_INDEX_FIND(id, &tree->node_index, node_key(&child), i,
			tree->nodes[i].parent == parent && tree->nodes[i].name == name);
	return id == HASH_INDEX_NONE ? frame_tree_append(tree, parent, name) : id;
}

bool frame_tree_add(struct frame_tree *tree, uint32_t node, int64_t value)
{
	if (value <= 0 || value > INT64_MAX - tree->total)
		return false;
	tree->nodes[node].self += value;
	tree->total += value;
	return true;
}

const char *frame_tree_text(const struct frame_tree *tree, uint32_t node)
{
	return tree->names[tree->nodes[node].name].text;
}

struct ranked {
	uint64_t number; /* eight bytes of the text, the first the highest; 0 after its end */
	const char *remaining;
	uint32_t name;
};

/* Fewer names are sorted by their texts. */
#define FEW 64

/*
 * The same for names whose first bytes, this many, are equal: there are few of them, and they may be equal for a
 * million bytes.
 */
#define NUMBERED 64

static int compare_remaining(const void *a, const void *b)
{
	return strcmp(((const struct ranked *)a)->remaining, ((const struct ranked *)b)->remaining);
}

static void take_number(struct ranked *ranked)
{
	ranked->number = 0;
	for (int shift = 56; shift >= 0 && *ranked->remaining; shift -= 8)
		ranked->number |= (uint64_t)(unsigned char)*ranked->remaining++ << shift;
}

RADIX_SORT_DEFINE(sort_numbers, struct ranked, number)

/* The texts are equal for `same` bytes. The common beginning of many names in a library is skipped at once. */
static void sort_texts(struct ranked *v, size_t nr, size_t same, struct ranked *room)
{
	struct ranked *sorted;

	if (nr < FEW || same >= NUMBERED) {
		qsort(v, nr, sizeof(*v), compare_remaining);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		take_number(&v[i]);
	sorted = sort_numbers(v, nr, room);
	if (sorted != v)
		memcpy(v, sorted, nr * sizeof(*v));
	for (size_t i = 0, equal; i < nr; i += equal) {
		for (equal = 1; i + equal < nr && v[i + equal].number == v[i].number;)
			equal++;
		if (equal > 1)
			sort_texts(&v[i], equal, same + 8, room);
	}
}

void frame_tree_take_names(struct frame_tree *to, struct frame_tree *from)
{
	to->names = from->names;
	to->names_nr = from->names_nr;
	to->names_alloc = from->names_alloc;
	to->name_index = from->name_index;
	from->names = NULL;
	from->names_nr = from->names_alloc = 0;
	memset(&from->name_index, 0, sizeof(from->name_index));
}

uint32_t *frame_tree_ranks(const struct frame_tree *tree)
{
	struct ranked *ranked = xcalloc(tree->names_nr + 1, sizeof(*ranked));
	struct ranked *room = xcalloc(tree->names_nr + 1, sizeof(*room));
	uint32_t *ranks = xcalloc(tree->names_nr + 1, sizeof(*ranks));

	for (size_t i = 0; i < tree->names_nr; i++)
		ranked[i] = (struct ranked){ 0, tree->names[i].text, (uint32_t)i };
	sort_texts(ranked, tree->names_nr, 0, room);
	for (size_t i = 0; i < tree->names_nr; i++)
		ranks[ranked[i].name] = (uint32_t)i;
	free(ranked);
	free(room);
	return ranks;
}

int64_t *frame_tree_totals(const struct frame_tree *tree)
{
	int64_t *totals = xcalloc(tree->nodes_nr, sizeof(*totals));

	for (size_t i = tree->nodes_nr - 1; i; i--) {
		totals[i] += tree->nodes[i].self;
		totals[tree->nodes[i].parent] += totals[i];
	}
	totals[FRAME_TREE_ROOT] += tree->nodes[FRAME_TREE_ROOT].self;
	return totals;
}

struct frame_family *frame_tree_families(const struct frame_tree *tree)
{
	struct frame_family *families = xcalloc(tree->nodes_nr, sizeof(*families));

	for (size_t i = tree->nodes_nr - 1; i; i--) {
		uint32_t *child = &families[tree->nodes[i].parent].child;

		families[i].sibling = *child;
		*child = (uint32_t)i;
	}
	return families;
}

#define UNSEEN UINT32_MAX

/* The node of a stack; valid if `first` is that of the builder. */
struct seen {
	uint32_t first, node;
};

/* Builds a tree from stacks of a grouping. */
struct tree_builder {
	struct frame_tree *tree;
	const struct results *results;
	const struct stack_table *stacks;
	uint32_t *tree_names; /* by function.name */
	struct seen *seen;    /* by stack */
	uint32_t first;       /* the node of the root of the key; FRAME_TREE_ROOT: it has none */
	bool alone;           /* all nodes are of these stacks: a stack that was not seen is new */
	uint32_t *path;
	size_t path_alloc;
};

/* All functions of the C library count as allocator, but most of them do not allocate: decide by the name only. */
static enum frame_kind kind_of(const struct module *module, const char *name)
{
	if (module->kernel)
		return FRAME_KERNEL;
	if (frame_kind_guess(name) == FRAME_ALLOCATOR)
		return FRAME_ALLOCATOR;
	if (text_starts_with(module->name, "libLLVM"))
		return FRAME_LLVM;
	return FRAME_UNKNOWN_KIND;
}

/* Names of functions are names of frames; the kind is that of the first module with the name. */
static void add_names(struct tree_builder *builder)
{
	const struct function_table *functions = builder->results->functions;
	/* Short names of several functions may be equal. */
	bool first = !builder->tree->names_nr && builder->results->request.full_names;

	builder->tree_names = xcalloc(functions->names_nr, sizeof(*builder->tree_names));
	for (size_t i = 0; i < functions->names_nr; i++)
		builder->tree_names[i] = UNSEEN;
	for (size_t i = 0; i < functions->nr; i++) {
		const struct function *function = &functions->v[i];
		const char *text = results_function_name(builder->results, function->name);
		struct frame_name *name;
		uint32_t id;

		if (builder->tree_names[function->name] != UNSEEN)
			continue;
		id = first ? frame_tree_append_name(builder->tree, text, strlen(text))
			   : frame_tree_name(builder->tree, text, strlen(text));
		builder->tree_names[function->name] = id;
		name = &builder->tree->names[id];
		if (name->kind == FRAME_UNKNOWN_KIND)
			name->kind = kind_of(&builder->results->modules->v[function->module], text);
	}
}

static void begin(struct tree_builder *builder, struct frame_tree *tree,
		  const struct results *results)
{
	*builder = (struct tree_builder){
		.tree = tree,
		.results = results,
		.stacks = dimension_names(grouping_dimension(results->grouping, BY_STACK)),
		.first = FRAME_TREE_ROOT,
		.alone = tree->nodes_nr == 1 && results->request.full_names,
	};
	builder->seen = xcalloc(builder->stacks->nodes_nr, sizeof(*builder->seen));
	add_names(builder);
}

static void end(struct tree_builder *builder)
{
	free(builder->tree_names);
	free(builder->seen);
	free(builder->path);
}

static void set_first(struct tree_builder *builder, const char *text)
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

static uint32_t find_name(struct tree_builder *builder, uint32_t name)
{
	const char *text;

	if (builder->tree_names[name] == UNSEEN) {
		text = results_function_name(builder->results, name);
		builder->tree_names[name] = frame_tree_name(builder->tree, text, strlen(text));
	}
	return builder->tree_names[name];
}

static bool is_seen(const struct tree_builder *builder, uint32_t stack)
{
	const struct seen *seen = &builder->seen[stack];

	return seen->node != FRAME_TREE_ROOT && seen->first == builder->first;
}

static uint32_t find_node(struct tree_builder *builder, uint32_t stack)
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

/* Add all stacks one after the other, callers first: faster than in the order of their values. */
static void add_all_stacks(struct tree_builder *builder)
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

/* If most keys have a value, nearly all stacks have one or are part of one that has. */
static bool needs_most_stacks(const struct results *results, const struct metric *metric)
{
	size_t nr = 0;

	for (size_t i = 0; i < results->nr; i++)
		nr += metric_value(metric, results, results_entry(results, i)) > 0;
	return nr > results->nr / 2 && grouping_only(results->grouping);
}

/* The name of the frame at the root; NULL: there is none. */
static const char *root_text(const struct results *results, uint32_t key)
{
	static const enum group_by roots[] = { BY_IMAGE, BY_IMAGE_AND_CRATE, BY_THREAD_NAME,
					       BY_PHASE, BY_QUERY };

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		const struct group *root = grouping_part(results->grouping, key, roots[i]);

		if (root)
			return root->text;
	}
	return NULL;
}

int64_t frame_tree_add_results(struct frame_tree *tree, const struct results *results,
			       const struct metric *metric)
{
	struct tree_builder builder;
	int64_t surplus = 0;

	begin(&builder, tree, results);
	if (builder.alone && needs_most_stacks(results, metric))
		add_all_stacks(&builder);
	for (size_t i = 0; i < results->nr; i++) {
		int64_t value = metric_value(metric, results, results_entry(results, i));
		const struct group *group = grouping_part(results->grouping, (uint32_t)i, BY_STACK);

		/* In a damaged trace weights may have any value. */
		if (value <= 0) {
			surplus = wrap_subtract(surplus, value);
			continue;
		}
		set_first(&builder, root_text(results, (uint32_t)i));
		frame_tree_add(tree, find_node(&builder, group->stack), value);
	}
	end(&builder);
	return surplus;
}

uint32_t *frame_tree_nodes(struct frame_tree *tree, const struct results *results)
{
	struct tree_builder builder;
	uint32_t *nodes;

	begin(&builder, tree, results);
	nodes = xcalloc(builder.stacks->nodes_nr, sizeof(*nodes));
	for (size_t i = STACK_EMPTY + 1; i < builder.stacks->nodes_nr; i++) {
		const struct stack_node *node = &builder.stacks->nodes[i];
		uint32_t parent = nodes[node->parent], name = find_name(&builder, node->frame);

		nodes[i] = builder.alone ? frame_tree_append(tree, parent, name)
					 : frame_tree_child(tree, parent, name);
	}
	end(&builder);
	return nodes;
}
