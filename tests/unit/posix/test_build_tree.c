#include "platform/build_tree.h"

#include <signal.h>
#include <sys/wait.h>

#include "build_fixture.h"

/* A process that has left its parent, its session and its terminal behind, and says so. */
#define DAEMON "(setsid sh -c ': >daemon; sleep 100; :' &)"

static void build_tree_find__orphans_and_daemons__are_found(void **state)
{
	const struct build *build = *state;
	struct build_tree tree = BUILD_TREE_INIT;
	struct child child = build_start(build, DAEMON);

	assert_true(child_wait(&child, LONG));
	assert_true(build_wait_file(build, "daemon"));
	/* The daemon's shell and its sleep, which is a second "sh" until it has become that. */
	assert_true(build_wait_count(build, 2));
	build_tree_find(build->cookie, 0, &tree);
	assert_int_equal(tree.nr, 2);
	for (size_t i = 0; i < tree.nr; i++) {
		assert_true(tree.v[i].pid > 1);
		assert_true(!strcmp(tree.v[i].name, "sh") || !strcmp(tree.v[i].name, "sleep"));
		assert_true(build_process_resident(tree.v[i].pid) > 0);
	}
	build_tree_release(&tree);
	assert_int_equal(build_tree_end(build->cookie, 0, 5 * NS_PER_S), 2);
	assert_int_equal(build_count(build), 0);
}

static void build_tree_find__another_cookie__is_not_ours(void **state)
{
	const struct build *build = *state;
	struct build longer = { build->temp, xasprintf("%sx", build->cookie) };
	struct child child = build_start(&longer, "sleep 100"), child2;
	char *script = xasprintf("unset " BUILD_COOKIE "; X=" BUILD_COOKIE "=%s exec sleep 100",
				 build->cookie);

	child2 = build_start(&longer, script);
	assert_int_equal(build_count(build), 0);
	assert_true(build_count(&longer) >= 1);
	assert_int_equal(build_tree_end(build->cookie, 0, 0), 0);
	assert_false(child_poll(&child));
	build_tree_end(longer.cookie, 0, 0);
	assert_true(child_wait(&child, LONG));
	child_signal(&child2, CHILD_KILL);
	assert_true(child_wait(&child2, LONG));
	free(script);
	free(longer.cookie);
}

static void build_tree_find__we_ourselves__are_left_out(void **state)
{
	const struct build *build = *state;
	int status;
	pid_t pid = fork();

	/* The environment that /proc shows is the one at the exec: only a program run anew has the mark. */
	if (!pid) {
		setenv(BUILD_COOKIE, build->cookie, 1);
		execl("/proc/self/exe", "test_build_tree", "count", build->cookie, (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void build_tree_find__a_zombie__is_not_alive(void **state)
{
	const struct build *build = *state;
	struct child child = build_start(build, "exit 0");

	assert_true(build_wait_count(build, 0));
	assert_int_equal(build_process_resident(child.pid) > 0, 0);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(build_process_resident(child.pid), -1);
}

static void build_tree_end__ignores_the_request__is_killed_after_the_grace(void **state)
{
	const struct build *build = *state;
	struct child child =
		build_start(build, "trap '' TERM; touch ready; while :; do sleep 0.1; done");
	int64_t start;

	assert_true(build_wait_file(build, "ready"));
	start = clock_now();
	assert_true(build_tree_end(build->cookie, 0, 500 * NS_PER_MS) >= 1);
	assert_true(clock_now() - start >= 500 * NS_PER_MS);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, 128 + SIGKILL);
}

static void build_tree_end__obeys__is_not_killed(void **state)
{
	const struct build *build = *state;
	struct child child =
		build_start(build, "trap 'exit 3' TERM; touch ready; while :; do sleep 0.1; done");

	assert_true(build_wait_file(build, "ready"));
	assert_true(build_tree_end(build->cookie, 0, LONG) >= 1);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, 3);
}

/* What a dying process starts has not heard the first request. */
static void build_tree_end__started_meanwhile__ends_too(void **state)
{
	const struct build *build = *state;
	struct child child = build_start(
		build, "trap 'sleep 100 & exit' TERM; touch ready; while :; do sleep 0.1; done");

	assert_true(build_wait_file(build, "ready"));
	build_tree_end(build->cookie, 0, LONG);
	assert_int_equal(build_count(build), 0);
	assert_true(child_wait(&child, LONG));
}

/* Until then a process may be in the middle of an exec, when its environment cannot be read. */
static bool wait_for_sleepers(const struct build *build, size_t count)
{
	struct build_tree tree = BUILD_TREE_INIT;
	int64_t end = clock_now() + LONG;
	size_t asleep = 0;

	while (asleep != count && clock_now() < end) {
		clock_sleep(10 * NS_PER_MS);
		build_tree_find(build->cookie, 0, &tree);
		asleep = 0;
		for (size_t i = 0; i < tree.nr; i++)
			asleep += !strcmp(tree.v[i].name, "sleep");
	}
	build_tree_release(&tree);
	return asleep == count;
}

static void build_tree_end__spare__is_let_live(void **state)
{
	const struct build *build = *state;
	struct child spare = build_start(build, "exec sleep 100");
	struct child other = build_start(build, "exec sleep 100");
	struct build_tree tree = BUILD_TREE_INIT;

	assert_true(wait_for_sleepers(build, 2));
	build_tree_find(build->cookie, spare.pid, &tree);
	assert_int_equal(tree.nr, 1);
	assert_int_equal(tree.v[0].pid, other.pid);
	build_tree_release(&tree);
	assert_int_equal(build_tree_end(build->cookie, spare.pid, 0), 1);
	assert_true(child_wait(&other, LONG));
	assert_int_equal(other.exit_code, 128 + SIGKILL);
	assert_false(child_poll(&spare));
	assert_int_equal(build_tree_signal(build->cookie, 0, false), 1);
	assert_true(child_wait(&spare, LONG));
	assert_int_equal(spare.exit_code, 128 + SIGTERM);
}

/* The grace is longer than a test may take. */
static void build_tree_end__nothing_there__returns_at_once(void **state)
{
	const struct build *build = *state;

	assert_int_equal(build_tree_end(build->cookie, 0, 3600 * NS_PER_S), 0);
	assert_int_equal(build_tree_signal(build->cookie, 0, true), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, build_setup, build_teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(build_tree_find__orphans_and_daemons__are_found),
		TEST(build_tree_find__another_cookie__is_not_ours),
		TEST(build_tree_find__we_ourselves__are_left_out),
		TEST(build_tree_find__a_zombie__is_not_alive),
		TEST(build_tree_end__ignores_the_request__is_killed_after_the_grace),
		TEST(build_tree_end__obeys__is_not_killed),
		TEST(build_tree_end__started_meanwhile__ends_too),
		TEST(build_tree_end__spare__is_let_live),
		TEST(build_tree_end__nothing_there__returns_at_once),
	};
	struct build self = { NULL, argc > 2 ? argv[2] : NULL };

	if (argc > 2)
		return (int)build_count(&self);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
