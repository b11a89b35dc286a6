#include "build_fixture.h"

/* Leaves two processes behind that nobody waits for, one of them in a directory of its own. */
static int leave(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	start_marked("stay", NULL, NULL);
	SetCurrentDirectoryW(L"C:\\");
	start_marked("stay", "50000", NULL);
	return 0;
}

/* Starts one with another mark. */
static int change(int argc, char **argv)
{
	struct child child;

	(void)argc;
	child = start_marked("stay", NULL, argv[0]);
	child_wait(&child, LONG);
	return 0;
}

/* How many there are for one who is marked himself. */
static int count_others(int argc, char **argv)
{
	(void)argc;
	return (int)count_marked(argv[0]);
}

static void build_tree_find__orphans__are_found(void **state)
{
	struct build_tree tree = BUILD_TREE_INIT;
	char *cookie = make_cookie(), *self = again_path();
	struct child child = start_marked("leave", NULL, cookie);

	(void)state;
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, 0);
	assert_true(wait_count(cookie, 2));
	build_tree_find(cookie, 0, &tree);
	for (size_t i = 0; i < tree.nr; i++) {
		assert_true(tree.v[i].pid > 0 && tree.v[i].pid != child.pid);
		assert_string_equal(tree.v[i].name, text_file_name(self));
		assert_true(build_process_resident(tree.v[i].pid) > 100000);
	}
	build_tree_release(&tree);
	assert_int_equal(build_tree_end(cookie, 0, 0), 2);
	assert_int_equal(count_marked(cookie), 0);
	free(self);
	free(cookie);
}

static void build_tree_find__another_cookie__is_not_ours(void **state)
{
	char *cookie = make_cookie(), *longer = xasprintf("%sx", cookie);
	struct child child = start_marked("change", longer, cookie);

	(void)state;
	assert_true(wait_count(longer, 1));
	assert_int_equal(count_marked(cookie), 1);
	assert_int_equal(build_tree_end(cookie, 0, 0), 1);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(count_marked(longer), 1);
	assert_int_equal(build_tree_end(longer, 0, 0), 1);
	free(longer);
	free(cookie);
}

static void build_tree_find__we_ourselves__are_left_out(void **state)
{
	char *cookie = make_cookie();
	struct child child = start_marked("count", cookie, cookie);

	(void)state;
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, 0);
	free(cookie);
}

static void build_tree_find__ended_but_still_held__is_not_alive(void **state)
{
	char *cookie = make_cookie();
	struct child child = start_marked("stay", "0", cookie);

	(void)state;
	assert_true(wait_count(cookie, 0));
	clock_sleep(100 * NS_PER_MS);
	assert_int_equal(build_process_resident(child.pid), -1);
	assert_true(child_wait(&child, LONG));
	free(cookie);
}

/* No process of Wine hears a Ctrl-Break, so this is what becomes of one that does not listen. */
static void build_tree_end__ignores_the_request__is_killed_after_the_grace(void **state)
{
	char *cookie = make_cookie();
	struct child child = start_marked("stay", NULL, cookie);

	(void)state;
	assert_int_equal(build_tree_end(cookie, 0, 500 * NS_PER_MS), 1);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, INT64_C(0xc000013a));
	free(cookie);
}

static void build_tree_end__spare__is_let_live(void **state)
{
	struct build_tree tree = BUILD_TREE_INIT;
	char *cookie = make_cookie();
	struct child spare = start_marked("stay", NULL, cookie);
	struct child other = start_marked("stay", NULL, cookie);

	(void)state;
	assert_true(wait_count(cookie, 2));
	build_tree_find(cookie, spare.pid, &tree);
	assert_int_equal(tree.nr, 1);
	assert_int_equal(tree.v[0].pid, other.pid);
	build_tree_release(&tree);
	assert_int_equal(build_tree_end(cookie, spare.pid, 0), 1);
	assert_true(child_wait(&other, LONG));
	assert_false(child_poll(&spare));
	assert_int_equal(build_tree_signal(cookie, 0, true), 1);
	assert_true(child_wait(&spare, LONG));
	free(cookie);
}

/* The grace is longer than a test may take. */
static void build_tree_end__nothing_there__returns_at_once(void **state)
{
	char *cookie = make_cookie();

	(void)state;
	assert_int_equal(build_tree_end(cookie, 0, 3600 * NS_PER_S), 0);
	assert_int_equal(build_tree_signal(cookie, 0, true), 0);
	free(cookie);
}

static void build_process_signal__started_later__is_another_process(void **state)
{
	int64_t before = clock_now();
	struct child child = start_marked("stay", NULL, NULL);

	(void)state;
	assert_false(build_process_signal(child.pid, before - 10 * NS_PER_S, true));
	clock_sleep(50 * NS_PER_MS);
	assert_false(child_poll(&child));
	assert_true(build_process_signal(child.pid, clock_now(), true));
	assert_true(child_wait(&child, LONG));
	assert_false(build_process_signal(child.pid, clock_now(), true));
	assert_false(build_process_signal(0, clock_now(), true));
}

int main(int argc, char **argv)
{
	static const struct again children[] = {
		{ "stay", stay },
		{ "leave", leave },
		{ "change", change },
		{ "count", count_others },
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_tree_find__orphans__are_found),
		cmocka_unit_test(build_tree_find__another_cookie__is_not_ours),
		cmocka_unit_test(build_tree_find__we_ourselves__are_left_out),
		cmocka_unit_test(build_tree_find__ended_but_still_held__is_not_alive),
		cmocka_unit_test(build_tree_end__ignores_the_request__is_killed_after_the_grace),
		cmocka_unit_test(build_tree_end__spare__is_let_live),
		cmocka_unit_test(build_tree_end__nothing_there__returns_at_once),
		cmocka_unit_test(build_process_signal__started_later__is_another_process),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
