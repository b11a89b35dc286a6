/*
 * A differential flame graph: each frame is as wide as the mean of both sides, so that what is gone is there as what
 * is new, and the same runs in the other order make the same picture. Red grew, blue shrank.
 */
#include "report/compare_format.h"

#include <stdlib.h>
#include <string.h>

#include "report/flamegraph.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

static int64_t value_of(int64_t value)
{
	return value > 0 ? value : 0;
}

/* The node of a stack; a role, part or crate before it is the first frame. */
static uint32_t find_node(struct frame_tree *tree, const struct compare_row *row)
{
	const struct joined_stacks *stacks = row->keys->stacks;
	uint32_t stack = compare_row_stack(row), *path = NULL, node = FRAME_TREE_ROOT;
	size_t depth = 0, alloc = 0;
	struct compare_labels labels;

	compare_labels_init(&labels, row);
	for (size_t i = 0; i < labels.nr; i++) {
		const char *text = labels.v[i].text ? labels.v[i].text : "-";
		uint32_t name;

		if (!strcmp(labels.v[i].key, "stack"))
			continue;
		name = frame_tree_name(tree, text, strlen(text));
		tree->names[name].kind = FRAME_PROCESS;
		node = frame_tree_child(tree, node, name);
	}
	compare_labels_release(&labels);
	for (; stack != JOINED_ROOT; stack = stacks->v[stack].parent)
		ARRAY_ADD(path, depth, alloc, stack);
	while (depth-- > 0) {
		const char *text = joined_stacks_text(stacks, path[depth]);

		node = frame_tree_child(tree, node, frame_tree_name(tree, text, strlen(text)));
	}
	free(path);
	return node;
}

/* The values of both sides by node, with all that continues it. */
static void sum_sides(const struct frame_tree *tree, struct flame_sides *sides)
{
	for (size_t i = tree->nodes_nr - 1; i; i--) {
		wrap_add_to(&sides[tree->nodes[i].parent].base, sides[i].base);
		wrap_add_to(&sides[tree->nodes[i].parent].new, sides[i].new);
	}
}

void compare_flame_graph(const struct compare_rows *rows, enum measure measure,
			 const struct flame_options *options, FILE *out)
{
	struct flame_options with_sides = *options;
	struct flame_sides *sides = NULL;
	size_t sides_nr = 0, alloc = 0;
	struct frame_tree tree;

	frame_tree_init(&tree);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct compare_row *row = rows->pointers[i];
		int64_t base = value_of(row->changes[measure].base);
		int64_t new = value_of(row->changes[measure].new);
		uint32_t node = find_node(&tree, row);

		ARRAY_REACH(sides, tree.nodes_nr, sides_nr, alloc);
		wrap_add_to(&sides[node].base, base);
		wrap_add_to(&sides[node].new, new);
		/* Both halves are rounded in the same way: a width is never below its callees'. */
		frame_tree_add(&tree, node, base / 2 + new / 2 + (base % 2 + new % 2) / 2);
	}
	ARRAY_REACH(sides, tree.nodes_nr, sides_nr, alloc);
	sum_sides(&tree, sides);
	with_sides.sides = sides;
	flamegraph_write(&tree, &with_sides, out);
	free(sides);
	frame_tree_release(&tree);
}

static void write_svg(const struct compare_report *report, FILE *out)
{
	static const char *const titles[] = { "Memory at own peaks of crates",
					      "Memory at the peak of the whole build",
					      "Memory committed", "CPU time", NULL };
	struct strbuf subtitle = STRBUF_INIT;
	struct flame_options options = {
		.title = titles[report->measure],
		.unit = measure_is_bytes(report->measure) ? COLUMN_BYTES : COLUMN_DURATION,
	};

	strbuf_addf(&subtitle, "%s -> %s", report->base, report->new);
	options.subtitle = subtitle.buf;
	compare_flame_graph(report->rows, report->measure, &options, out);
	strbuf_release(&subtitle);
}

const struct compare_format compare_svg = {
	.name = "svg",
	.ending = ".svg",
	.help = "a differential flame graph",
	.by = { BY_STACK },
	.by_nr = 1,
	.write = write_svg,
};
