#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/process_tree.h"
#include "util/array.h"
#include "util/strbuf.h"

struct row {
	int64_t pid, ppid, start_ns, end_ns;
};

static void fill(struct process_list *list, const struct row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct process *process = process_list_add(list);

		process->pid = rows[i].pid;
		process->ppid = rows[i].ppid;
		process->start_ns = rows[i].start_ns;
		process->end_ns = rows[i].end_ns;
	}
	process_list_sort(list);
}

/* "depth:pid" for each node, '.' after the last child, parentheses where it is not wanted itself. */
static void expect(const struct row *rows, size_t nr, const bool *matched, const size_t *order,
		   const char *expected)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process_tree tree;
	struct strbuf sb = STRBUF_INIT;

	fill(&list, rows, nr);
	process_tree_build(&list, matched, order, &tree);
	for (size_t i = 0; i < tree.nr; i++) {
		const struct process_node *node = &tree.v[i];

		assert_ptr_equal(node->process, list.v[node->index]);
		strbuf_addf(&sb, node->matched ? "%s%zu:%d%s" : "%s(%zu:%d)%s", i ? " " : "",
			    node->depth, (int)node->process->pid, node->last ? "." : "");
	}
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
	process_tree_release(&tree);
	process_list_release(&list);
}

static const struct row family[] = {
	{ 10, 1, 0, 100 }, { 11, 10, 5, 50 }, { 12, 10, 6, 60 },
	{ 13, 11, 7, 8 },  { 14, 12, 9, -1 }, { 15, 11, 10, 11 },
};

static void process_tree_build__family__depth_first_by_start(void **state)
{
	(void)state;
	expect(family, ARRAY_SIZE(family), NULL, NULL, "0:10. 1:11 2:13 2:15. 1:12. 2:14.");
}

static void process_tree_build__order__is_that_of_siblings(void **state)
{
	const size_t order[] = { 4, 5, 2, 3, 1, 0 };

	(void)state;
	expect(family, ARRAY_SIZE(family), NULL, order, "0:10. 1:12 2:14. 1:11. 2:15 2:13.");
}

static void process_tree_build__some_wanted__keeps_those_above(void **state)
{
	const bool matched[] = { false, false, true, true, false, false };
	const bool none[6] = { false };

	(void)state;
	expect(family, ARRAY_SIZE(family), matched, NULL, "(0:10). (1:11) 2:13. 1:12.");
	expect(family, ARRAY_SIZE(family), none, NULL, "");
}

static void process_tree_build__pid_used_again__parent_is_the_one_alive(void **state)
{
	static const struct row rows[] = {
		{ 10, 1, 0, 100 },  { 20, 10, 1, 10 },  { 21, 20, 2, 5 },
		{ 20, 10, 30, 40 }, { 22, 20, 31, 35 }, { 23, 20, 50, 55 },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows), NULL, NULL, "0:10 1:20 2:21. 1:20. 2:22. 0:23.");
}

static void process_tree_build__strange_parents__are_cut(void **state)
{
	static const struct row self[] = { { 5, 5, 0, 9 } };
	static const struct row pair[] = { { 5, 6, 0, 9 }, { 6, 5, 0, 9 }, { 7, 6, 1, 2 } };
	static const struct row unknown[] = { { -1, -1, 0, 9 }, { 6, -1, 1, 9 } };
	static const struct row younger[] = { { 6, 5, 0, 9 }, { 5, 1, 3, 9 } };

	(void)state;
	expect(self, ARRAY_SIZE(self), NULL, NULL, "0:5.");
	expect(pair, ARRAY_SIZE(pair), NULL, NULL, "0:6. 1:5 1:7.");
	expect(unknown, ARRAY_SIZE(unknown), NULL, NULL, "0:-1 0:6.");
	expect(younger, ARRAY_SIZE(younger), NULL, NULL, "0:6 0:5.");
	expect(NULL, 0, NULL, NULL, "");
}

static void process_tree_build__ten_thousand_levels__fit(void **state)
{
	enum { LEVELS = 10000 };
	struct row *rows = xcalloc(LEVELS, sizeof(*rows));
	struct process_list list = PROCESS_LIST_INIT;
	struct process_tree tree;

	(void)state;
	for (int i = 0; i < LEVELS; i++)
		rows[i] = (struct row){ i + 2, i + 1, i, -1 };
	fill(&list, rows, LEVELS);
	process_tree_build(&list, NULL, NULL, &tree);
	assert_int_equal(tree.nr, LEVELS);
	assert_int_equal(tree.v[LEVELS - 1].depth, LEVELS - 1);
	process_tree_release(&tree);
	process_list_release(&list);
	free(rows);
}

/* "depth:pid+hidden" for each node, as expect(). */
static void expect_pruned(const bool *matched, size_t depth, int64_t duration_ns,
			  const char *expected)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process_tree tree;
	struct strbuf sb = STRBUF_INIT;

	fill(&list, family, ARRAY_SIZE(family));
	process_tree_build(&list, matched, NULL, &tree);
	process_tree_prune(&tree, depth, duration_ns);
	for (size_t i = 0; i < tree.nr; i++) {
		const struct process_node *node = &tree.v[i];

		strbuf_addf(&sb, node->matched ? "%s%zu:%d%s" : "%s(%zu:%d)%s", i ? " " : "",
			    node->depth, (int)node->process->pid, node->last ? "." : "");
		if (node->hidden)
			strbuf_addf(&sb, "+%zu", node->hidden);
	}
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
	process_tree_release(&tree);
	process_list_release(&list);
}

static void process_tree_prune__generations__the_others_are_counted(void **state)
{
	(void)state;
	expect_pruned(NULL, 0, 0, "0:10. 1:11 2:13 2:15. 1:12. 2:14.");
	expect_pruned(NULL, 2, 0, "0:10. 1:11+2 1:12.+1");
	expect_pruned(NULL, 1, 0, "0:10.+5");
}

static void process_tree_prune__durations__keep_those_above(void **state)
{
	(void)state;
	/* The end of 14 is not known. */
	expect_pruned(NULL, 0, 50, "0:10.+3 1:12. 2:14.");
	expect_pruned(NULL, 0, 2, "0:10. 1:11+2 1:12. 2:14.");
}

static void process_tree_prune__some_wanted__counts_those_alone(void **state)
{
	const bool matched[] = { false, true, false, true, true, false };

	(void)state;
	expect_pruned(matched, 0, 2, "(0:10). 1:11+1 (1:12). 2:14.");
	expect_pruned(matched, 1, 0, "(0:10).+3");
	/* What has no long one below it goes. */
	expect_pruned((const bool[]){ false, false, false, true, false, false }, 0, 2, "");
}

static void process_tree_prune__no_processes__none(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process_tree tree;

	(void)state;
	process_tree_build(&list, NULL, NULL, &tree);
	process_tree_prune(&tree, 1, 1);
	assert_int_equal(tree.nr, 0);
	process_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_tree_build__family__depth_first_by_start),
		cmocka_unit_test(process_tree_build__order__is_that_of_siblings),
		cmocka_unit_test(process_tree_build__some_wanted__keeps_those_above),
		cmocka_unit_test(process_tree_build__pid_used_again__parent_is_the_one_alive),
		cmocka_unit_test(process_tree_build__strange_parents__are_cut),
		cmocka_unit_test(process_tree_build__ten_thousand_levels__fit),
		cmocka_unit_test(process_tree_prune__generations__the_others_are_counted),
		cmocka_unit_test(process_tree_prune__durations__keep_those_above),
		cmocka_unit_test(process_tree_prune__some_wanted__counts_those_alone),
		cmocka_unit_test(process_tree_prune__no_processes__none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
