#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/flamegraph.h"
#include "report/folded.h"
#include "util/alloc.h"
#include "util/array.h"

#include "capture.h"
#include "stream.h"

static void read_tree(struct frame_tree *tree, const char *folded)
{
	struct folded_damage damage = FOLDED_DAMAGE_INIT;
	FILE *file = stream_new();
	struct err err = ERR_INIT;

	assert_non_null(file);
	fputs(folded, file);
	rewind(file);
	frame_tree_init(tree);
	assert_int_equal(folded_read(file, tree, &damage, &err), 0);
	assert_int_equal(damage.lines, 0);
	fclose(file);
}

static char *draw(const struct frame_tree *tree, struct flame_options options)
{
	FILE *file = capture_start();

	flamegraph_write(tree, &options, file);
	return capture_end(file);
}

static void expect_layout(const struct frame_tree *tree, const struct flame_layout *layout,
			  const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < layout->nr; i++) {
		const struct flame_frame *frame = &layout->v[i];

		strbuf_addf(&sb, "%u %lld+%lld %s\n", (unsigned int)frame->depth,
			    (long long)frame->start, (long long)frame->total,
			    frame->node ? frame_tree_text(tree, frame->node) : "all");
	}
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

static const char three[] = "b;y 20\nb;x;z 5\na 3\nb 1\nb;x 7\nc 1\n";

static void flame_layout__siblings__by_name_side_by_side(void **state)
{
	struct flame_layout layout;
	struct frame_tree tree;

	(void)state;
	read_tree(&tree, three);
	flame_layout_init(&layout, &tree, 0, 100);
	expect_layout(&tree, &layout,
		      "0 0+37 all\n"
		      "1 0+3 a\n"
		      "1 3+33 b\n"
		      "1 36+1 c\n"
		      "2 3+12 x\n"
		      "2 15+20 y\n"
		      "3 3+5 z\n");
	assert_int_equal(layout.depth, 3);
	assert_int_equal(layout.narrow, 0);
	flame_layout_release(&layout);
	frame_tree_release(&tree);
}

static void flame_layout__narrow_frames__are_counted_not_drawn(void **state)
{
	static const struct {
		int64_t least;
		size_t max, narrow;
		const char *expected;
	} cases[] = {
		{ 4, 100, 2, "0 0+37 all\n1 0+33 b\n2 0+12 x\n2 12+20 y\n3 0+5 z\n" },
		{ 0, 3, 3, "0 0+37 all\n1 0+33 b\n2 0+12 x\n2 12+20 y\n" },
		{ 0, 5, 1, "0 0+37 all\n1 0+3 a\n1 3+33 b\n2 3+12 x\n2 15+20 y\n3 3+5 z\n" },
		{ 100, 100, 6, "0 0+37 all\n" },
	};
	struct frame_tree tree;

	(void)state;
	read_tree(&tree, three);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct flame_layout layout;

		flame_layout_init(&layout, &tree, cases[i].least, cases[i].max);
		expect_layout(&tree, &layout, cases[i].expected);
		assert_int_equal(layout.narrow, cases[i].narrow);
		flame_layout_release(&layout);
	}
	frame_tree_release(&tree);
}

static void flame_layout__children__never_wider_than_their_caller(void **state)
{
	struct strbuf folded = STRBUF_INIT;
	struct flame_layout layout;
	struct frame_tree tree;
	int64_t *ends;
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		for (int depth = 0; depth < 8; depth++) {
			seed = seed * 1103515245 + 12345;
			strbuf_addf(&folded, "%sf%u", depth ? ";" : "", (seed >> 16) % 4);
		}
		strbuf_addf(&folded, " %u\n", (seed >> 20) % 100 + 1);
	}
	read_tree(&tree, folded.buf);
	flame_layout_init(&layout, &tree, 30, 1000);
	assert_true(layout.nr > 100 && layout.nr <= 1001);
	ends = xcalloc(tree.nodes_nr, sizeof(*ends));
	for (size_t i = 0; i < layout.nr; i++) {
		const struct flame_frame *frame = &layout.v[i];

		for (size_t j = 0; i && j < i; j++) {
			const struct flame_frame *parent = &layout.v[j];

			if (parent->node != tree.nodes[frame->node].parent)
				continue;
			assert_int_equal(parent->depth + 1, frame->depth);
			assert_int_equal(frame->start, ends[parent->node]);
			ends[parent->node] += frame->total;
			assert_true(ends[parent->node] <= parent->start + parent->total);
		}
		ends[frame->node] = frame->start;
	}
	free(ends);
	flame_layout_release(&layout);
	frame_tree_release(&tree);
	strbuf_release(&folded);
}

static void flamegraph_write__frames__have_place_class_and_title(void **state)
{
	static const char *const expected[] = {
		"aria-label=\"T &lt;1&gt;\"",
		">T &lt;1&gt;</text>",
		">run 1; 4.00 KB</text>",
		/* the root, below; half of 1180 pixels each for its two frames */
		"<g class=\"process\"><title>all (4.00 KB, 100.00%)</title>"
		"<rect x=\"10\" y=\"126\" width=\"1180\" height=\"16\"/>"
		"<text x=\"13\" y=\"138\">all</text></g>\n",
		"<title>&lt;core::A as &amp;B&gt;::f (2.00 KB, 50.00%)</title>"
		"<rect x=\"10\" y=\"109\" width=\"590\" height=\"16\"/>",
		"<g class=\"alloc\"><title>malloc (1.00 KB, 25.00%)</title>"
		"<rect x=\"600\" y=\"92\" width=\"295\" height=\"16\"/>",
		"<g class=\"kernel\">",
		">C, C++</text>",
		"<?xml version=\"1.0\" encoding=\"UTF-8\"",
	};
	struct frame_tree tree;
	char *svg;

	(void)state;
	read_tree(&tree, "main;malloc 1024\n<core::A as &B>::f 2048\nmain;x_[k] 1024\n");
	svg = draw(&tree, (struct flame_options){
				  .title = "T <1>", .subtitle = "run 1", .unit = COLUMN_BYTES });
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		if (!strstr(svg, expected[i]))
			fail_msg("no %s in:\n%s", expected[i], svg);
	}
	free(svg);
	frame_tree_release(&tree);
}

static void flamegraph_write__odd_names__are_good_xml(void **state)
{
	struct frame_tree tree;
	char *svg;

	(void)state;
	read_tree(&tree, "a\x01\"b\"\xff]]>\xef\xbf\xbf\xc2\x85 1\n");
	svg = draw(&tree,
		   (struct flame_options){ .title = "T", .unit = COLUMN_INT, .fragment = true });
	assert_non_null(strstr(svg, "<title>a\xef\xbf\xbd&quot;b&quot;\xef\xbf\xbd]]&gt;"
				    "\xef\xbf\xbd\xef\xbf\xbd (1, 100.00%)</title>"));
	assert_memory_equal(svg, "<svg ", 5);
	free(svg);
	frame_tree_release(&tree);
}

static void flamegraph_write__order_of_lines__makes_no_difference(void **state)
{
	struct frame_tree tree, other;
	char *svg, *again;

	(void)state;
	read_tree(&tree, "a;b 5\na;c 2\nd 9\n");
	read_tree(&other, "d 4\na;c 2\na;b 5\nd 5\n");
	svg = draw(&tree, (struct flame_options){ .title = "T", .unit = COLUMN_DURATION });
	again = draw(&other, (struct flame_options){ .title = "T", .unit = COLUMN_DURATION });
	assert_string_equal(svg, again);
	free(svg);
	free(again);
	frame_tree_release(&tree);
	frame_tree_release(&other);
}

static void flamegraph_write__narrow_frames__are_reported(void **state)
{
	struct frame_tree tree;
	char *svg;

	(void)state;
	read_tree(&tree, "wide 1000000\nnarrow;deeper 1\n");
	svg = draw(&tree, (struct flame_options){ .title = "T", .unit = COLUMN_DURATION });
	assert_non_null(strstr(svg, ">1.00 ms (2 narrow frames not drawn)</text>"));
	assert_null(strstr(svg, "deeper"));
	free(svg);
	frame_tree_release(&tree);
}

static void flamegraph_write__nothing__says_so(void **state)
{
	struct frame_tree tree;
	char *svg;

	(void)state;
	frame_tree_init(&tree);
	svg = draw(&tree,
		   (struct flame_options){ .title = "T", .root = "none", .unit = COLUMN_INT });
	assert_non_null(strstr(svg, ">nothing to show</text>"));
	assert_non_null(strstr(svg, "<title>none (0, 100.00%)</title>"));
	assert_null(strstr(svg, "nan"));
	free(svg);
	frame_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flame_layout__siblings__by_name_side_by_side),
		cmocka_unit_test(flame_layout__narrow_frames__are_counted_not_drawn),
		cmocka_unit_test(flame_layout__children__never_wider_than_their_caller),
		cmocka_unit_test(flamegraph_write__frames__have_place_class_and_title),
		cmocka_unit_test(flamegraph_write__odd_names__are_good_xml),
		cmocka_unit_test(flamegraph_write__order_of_lines__makes_no_difference),
		cmocka_unit_test(flamegraph_write__narrow_frames__are_reported),
		cmocka_unit_test(flamegraph_write__nothing__says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
