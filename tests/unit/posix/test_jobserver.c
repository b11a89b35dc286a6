#include "../fs_place.h"

#include <errno.h>
#include <fcntl.h>

#include "platform/jobserver.h"

/* The tokens of the FIFO that the variables name. */
static int count_tokens(const struct strvec *env, int jobs)
{
	char *expected = xasprintf("-j%d --jobserver-auth=fifo:", jobs);
	const char *value = strchr(env->v[0], '=') + 1;
	char token[2000];
	ssize_t got;
	int fd;

	assert_int_equal(env->nr, 2);
	assert_int_equal(strncmp(env->v[0], "CARGO_MAKEFLAGS=", 16), 0);
	assert_int_equal(strncmp(env->v[1], "MAKEFLAGS=", 10), 0);
	assert_string_equal(strchr(env->v[1], '=') + 1, value);
	assert_int_equal(strncmp(value, expected, strlen(expected)), 0);
	fd = open(value + strlen(expected), O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	got = read(fd, token, sizeof(token));
	assert_true(got > 0 || errno == EAGAIN);
	close(fd);
	free(expected);
	return got < 0 ? 0 : (int)got;
}

/* One less than jobs: the program that is started has one. */
static void jobserver__jobs__are_tokens(void **state)
{
	static const int jobs[] = { 1, 3, 1000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
		struct strvec env = STRVEC_INIT;
		struct jobserver *jobserver;
		struct err err = ERR_INIT;

		assert_int_equal(jobserver_new(".", jobs[i], &jobserver, &err), 0);
		jobserver_add_env(jobserver, &env);
		assert_int_equal(count_tokens(&env, jobs[i]), jobs[i] - 1);
		jobserver_free(jobserver);
		assert_false(fs_exists("jobserver"));
		strvec_release(&env);
	}
}

static void jobserver__no_directory__says_so(void **state)
{
	struct jobserver *jobserver;
	struct err err = ERR_INIT;

	(void)state;
	check_failed(jobserver_new("no-directory", 2, &jobserver, &err), &err, ERR_FAILED,
		     "no-directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(jobserver__jobs__are_tokens),
		TEST(jobserver__no_directory__says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
