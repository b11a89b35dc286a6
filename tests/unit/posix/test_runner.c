/*
 * Running a command to its end, and stopping it for each reason, without a profiler.
 */
#include "record/runner.h"

#include <signal.h>

#include "build_fixture.h"
#include "platform/program.h"

/* The build's children are marked as the build is; what ignores the request is killed after 5 s. */
#define STUBBORN "trap '' TERM INT; touch ready; while :; do sleep 0.05; done"

struct scene {
	struct status status;
	struct runner runner;
	FILE *messages;
};

static void set_scene(const struct build *build, struct scene *scene)
{
	*scene = (struct scene){ .messages = tmpfile() };
	assert_non_null(scene->messages);
	status_init(&scene->status, scene->messages);
	scene->runner = (struct runner){
		.what = "stage 1",
		.dir = build->temp,
		.cookie = build->cookie,
		.status = &scene->status,
		.messages = scene->messages,
	};
}

/* Wait for its end; what was said is in `said`. */
static enum run_end wait_for(struct scene *scene, struct child *child, char said[512])
{
	struct err err = ERR_INIT;
	enum run_end end;
	size_t len;

	end = runner_wait(&scene->runner, child, &err);
	assert_null(err.msg);
	assert_true(child->ended);
	rewind(scene->messages);
	len = fread(said, 1, 511, scene->messages);
	said[len] = '\0';
	fclose(scene->messages);
	return end;
}

static enum run_end run(const struct build *build, struct scene *scene, const char *script,
			struct child *child, char said[512])
{
	*child = build_start(build, script);
	return wait_for(scene, child, said);
}

static void runner_wait__ends_by_itself__keeps_its_exit_code(void **state)
{
	const struct build *build = *state;
	struct scene scene;
	struct child child;
	char said[512];

	set_scene(build, &scene);
	assert_int_equal(run(build, &scene, "sleep 0.3; exit 6", &child, said), RUN_END_NORMAL);
	assert_int_equal(child.exit_code, 6);
	assert_string_equal(said, "");
}

static void runner_wait__verbose__follows_the_log(void **state)
{
	const struct build *build = *state;
	char *log = fs_join(build->temp, "build.log");
	struct scene scene;
	struct child child;
	char said[512];

	set_scene(build, &scene);
	scene.runner.verbose = true;
	scene.runner.build_log = log;
	assert_int_equal(run(build, &scene,
			     "sleep 0.2; echo one >>build.log; sleep 0.2; echo two >>build.log",
			     &child, said),
			 RUN_END_NORMAL);
	assert_string_equal(said, "one\ntwo\n");
	free(log);
}

static void runner_wait__deadline__ends_the_build(void **state)
{
	const struct build *build = *state;
	struct scene scene;
	struct child child;
	char said[512];

	set_scene(build, &scene);
	scene.runner.deadline_ns = clock_now() + 300 * NS_PER_MS;
	assert_int_equal(run(build, &scene, "sleep 100 & sleep 100; exit 5", &child, said),
			 RUN_END_TIMEOUT);
	assert_non_null(strstr(said, "the time limit was reached"));
	assert_true(child.exit_code >= 128 || child.exit_code == 5);
	assert_true(build_wait_count(build, 0));
}

static void runner_wait__disk_nearly_full__ends_the_build(void **state)
{
	const struct build *build = *state;
	struct scene scene;
	struct child child;
	char said[512];

	set_scene(build, &scene);
	scene.runner.disk_floor = INT64_MAX;
	assert_int_equal(run(build, &scene, "exec sleep 100", &child, said), RUN_END_NO_SPACE);
	assert_int_equal(child.exit_code, 128 + SIGTERM);
	assert_non_null(strstr(said, "the disk is nearly full"));
}

static void runner_wait__directory_removed__ends_the_build(void **state)
{
	const struct build *build = *state;
	char *dir = fs_join(build->temp, "run");
	struct err err = ERR_INIT;
	struct scene scene;
	struct child child;
	char said[512];

	assert_int_equal(fs_mkdir(dir, &err), 0);
	set_scene(build, &scene);
	scene.runner.dir = dir;
	assert_int_equal(run(build, &scene, "rmdir run; exec sleep 100", &child, said),
			 RUN_END_DIR_GONE);
	assert_int_equal(child.exit_code, 128 + SIGTERM);
	free(dir);
}

/* The recorder of a build is let live: it ends when the build has. */
static void runner_wait__with_a_recorder__ends_the_build_alone(void **state)
{
	const struct build *build = *state;
	struct err err = ERR_INIT;
	struct scene scene;
	struct child recorder;

	set_scene(build, &scene);
	recorder = build_start(build, "trap 'exit 9' TERM; sleep 100 & wait $!; "
				      "sleep 0.3; exit 4");
	scene.runner.spared_pid = recorder.pid;
	scene.runner.deadline_ns = clock_now() + 300 * NS_PER_MS;
	assert_int_equal(runner_wait(&scene.runner, &recorder, &err), RUN_END_TIMEOUT);
	assert_int_equal(recorder.exit_code, 4);
	fclose(scene.messages);
}

/* Ours to count, from here on: these come last. */
static void runner_wait__interrupt__ends_the_build(void **state)
{
	const struct build *build = *state;
	struct scene scene;
	struct child child;
	char said[512];

	interrupt_catch();
	set_scene(build, &scene);
	raise(SIGINT);
	assert_int_equal(interrupt_count(), 1);
	assert_int_equal(run(build, &scene, "exec sleep 100", &child, said), RUN_END_INTERRUPTED);
	assert_int_equal(child.exit_code, 128 + SIGTERM);
	assert_non_null(strstr(said, "Ctrl-C again"));
}

/* Looks three times, then it is over. */
static void count_look(void *data)
{
	(*(int *)data)++;
}

static bool has_looked(void *data)
{
	return *(int *)data >= 3;
}

static void runner_wait__without_a_child__looks_until_it_is_over(void **state)
{
	const struct build *build = *state;
	struct err err = ERR_INIT;
	struct scene scene;
	int looks = 0;

	set_scene(build, &scene);
	scene.runner.on_tick = count_look;
	scene.runner.is_over = has_looked;
	scene.runner.data = &looks;
	assert_int_equal(runner_wait(&scene.runner, NULL, &err), RUN_END_NORMAL);
	assert_int_equal(looks, 3);
	looks = -1000000;
	scene.runner.deadline_ns = clock_now() + NS_PER_S / 2;
	assert_int_equal(runner_wait(&scene.runner, NULL, &err), RUN_END_TIMEOUT);
	assert_int_equal(ftell(scene.messages), 0);
	fclose(scene.messages);
}

/* Start a build and raise the signal once it has made the file "ready". We are $PPID of its script. */
static enum run_end interrupt(const struct build *build, const char *script, int signal,
			      struct child *child)
{
	struct scene scene;
	char said[512];

	set_scene(build, &scene);
	*child = build_start(build, script);
	assert_true(build_wait_file(build, "ready"));
	raise(signal);
	return wait_for(&scene, child, said);
}

static void runner_wait__second_interrupt__kills_at_once(void **state)
{
	const char *script = "trap '' TERM INT; (sleep 0.5; kill -INT $PPID) & " STUBBORN;
	const struct build *build = *state;
	struct child child;

	assert_int_equal(interrupt(build, script, SIGTERM, &child), RUN_END_ABANDONED);
	assert_int_equal(child.exit_code, 128 + SIGKILL);
	assert_true(build_wait_count(build, 0));
}

static void runner_wait__second_interrupt_as_the_build_ends__abandons(void **state)
{
	const char *script =
		"trap 'kill -INT $PPID; exit' TERM; touch ready; while :; do sleep 0.05; done";
	struct child child;

	assert_int_equal(interrupt(*state, script, SIGINT, &child), RUN_END_ABANDONED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, build_setup, build_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runner_wait__ends_by_itself__keeps_its_exit_code),
		TEST(runner_wait__verbose__follows_the_log),
		TEST(runner_wait__deadline__ends_the_build),
		TEST(runner_wait__disk_nearly_full__ends_the_build),
		TEST(runner_wait__directory_removed__ends_the_build),
		TEST(runner_wait__with_a_recorder__ends_the_build_alone),
		TEST(runner_wait__without_a_child__looks_until_it_is_over),
		TEST(runner_wait__interrupt__ends_the_build),
		TEST(runner_wait__second_interrupt__kills_at_once),
		TEST(runner_wait__second_interrupt_as_the_build_ends__abandons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
