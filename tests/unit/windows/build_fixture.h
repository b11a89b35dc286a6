/*
 * Processes that have a build's cookie, for the tests that find and end them: this program again, see again.h.
 */
#ifndef TESTS_UNIT_WINDOWS_BUILD_FIXTURE_H
#define TESTS_UNIT_WINDOWS_BUILD_FIXTURE_H

#include "again.h"

#include "platform/build_tree.h"
#include "platform/child.h"
#include "platform/clock.h"
#include "platform/program.h"
#include "util/text.h"

#define LONG (30 * NS_PER_S)

static inline int stay(int argc, char **argv)
{
	Sleep(argc > 0 ? (DWORD)atoi(argv[0]) : 100000);
	return 0;
}

/* A unique name for a build; the caller frees it. */
static inline char *make_cookie(void)
{
	return xasprintf("t\xc3\xa9st %lu.%lld", GetCurrentProcessId(), (long long)clock_now());
}

/* Start the child `word` with one argument (NULL: none) and a cookie (NULL: none). */
static inline struct child start_marked(const char *word, const char *arg, const char *cookie)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .env = &env };
	struct err err = ERR_INIT;
	struct child child;

	again_push(&argv, word);
	if (arg)
		strvec_push(&argv, arg);
	if (cookie)
		strvec_pushf(&env, BUILD_COOKIE "=%s", cookie);
	if (child_start(&options, &child, &err) || child_release(&child, &options, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	strvec_release(&argv);
	strvec_release(&env);
	return child;
}

static inline size_t count_marked(const char *cookie)
{
	struct build_tree tree = BUILD_TREE_INIT;
	size_t count;

	build_tree_find(cookie, 0, &tree);
	count = tree.nr;
	build_tree_release(&tree);
	return count;
}

static inline bool wait_count(const char *cookie, size_t count)
{
	int64_t end = clock_now() + LONG;

	while (count_marked(cookie) != count) {
		if (clock_now() > end)
			return false;
		clock_sleep(10 * NS_PER_MS);
	}
	return true;
}

#endif
