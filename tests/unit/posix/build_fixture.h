/*
 * Processes that have a build's cookie, for the tests that find and end them.
 */
#ifndef TESTS_UNIT_POSIX_BUILD_FIXTURE_H
#define TESTS_UNIT_POSIX_BUILD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/build_tree.h"
#include "platform/child.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

#define LONG (30 * NS_PER_S)

struct build {
	char *temp;
	char *cookie;
};

static inline int build_setup(void **state)
{
	struct build *build = xmalloc(sizeof(*build));
	struct err err = ERR_INIT;

	build->temp = fs_temp_dir(&err);
	assert_non_null(build->temp);
	build->cookie = xasprintf("test.%ld.%lld", (long)getpid(), (long long)clock_now());
	*state = build;
	return 0;
}

static inline int build_teardown(void **state)
{
	struct build *build = *state;
	struct err err = ERR_INIT;
	int rc;

	build_tree_end(build->cookie, 0, 0);
	rc = fs_remove_tree(build->temp, &err);
	free(build->temp);
	free(build->cookie);
	free(build);
	return rc;
}

/* Start a script with the cookie, without waiting for it. After its end it is a zombie, or not our child any more. */
static inline struct child build_start(const struct build *build, const char *script)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .cwd = build->temp, .env = &env };
	struct err err = ERR_INIT;
	struct child child;

	strvec_push(&argv, "sh");
	strvec_push(&argv, "-c");
	strvec_push(&argv, script);
	strvec_pushf(&env, BUILD_COOKIE "=%s", build->cookie);
	if (child_start(&options, &child, &err) || child_release(&child, &options, &err))
		abort();
	strvec_release(&argv);
	strvec_release(&env);
	return child;
}

static inline size_t build_count(const struct build *build)
{
	struct build_tree tree = BUILD_TREE_INIT;
	size_t count;

	build_tree_find(build->cookie, 0, &tree);
	count = tree.nr;
	build_tree_release(&tree);
	return count;
}

static inline bool build_wait_count(const struct build *build, size_t count)
{
	int64_t end = clock_now() + LONG;

	while (build_count(build) != count) {
		if (clock_now() > end)
			return false;
		clock_sleep(10 * NS_PER_MS);
	}
	return true;
}

/* Wait until a file below the fixture's directory exists. */
static inline bool build_wait_file(const struct build *build, const char *name)
{
	char *path = fs_join(build->temp, name);
	int64_t end = clock_now() + LONG;

	while (!fs_exists(path) && clock_now() < end)
		clock_sleep(10 * NS_PER_MS);
	free(path);
	return clock_now() < end;
}

#endif
