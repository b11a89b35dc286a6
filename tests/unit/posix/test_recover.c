/*
 * A recording that ends while its run is recovered. flock() is that of this program: when it gives the lock, the recording
 * has just ended.
 */
#include "record/recover.h"

#include <errno.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "unit/fs_place.h"

#define MANIFEST(state, more) \
	"{\"format_version\": 1, \"name\": \"run\", \"cookie\": \"\", " \
	"\"recorder\": {\"name\": \"none\"}, \"state\": \"" state "\"" more "}"

static int held; /* so often the lock is still held */

int flock(int fd, int operation)
{
	(void)fd;
	(void)operation;
	if (held) {
		held--;
		errno = EWOULDBLOCK;
		return -1;
	}
	put("run" RUN_PARTIAL "/" RUN_MANIFEST, MANIFEST("failed", ", \"reason\": \"its own\""));
	return 0;
}

static void recover_run__ends_meanwhile__is_as_it_ended(void **state)
{
	FILE *messages = tmpfile();
	struct manifest manifest;
	struct err err = ERR_INIT;
	char *dir = NULL;

	(void)state;
	put("run" RUN_PARTIAL "/" RUN_MANIFEST, MANIFEST("starting", ""));
	if (recover_run("run" RUN_PARTIAL, messages, NULL, &dir, &err))
		fail_msg("%s", err.msg);
	manifest_init(&manifest);
	assert_int_equal(manifest_read(dir, &manifest, &err), 0);
	assert_int_equal(manifest.state, RUN_FAILED);
	assert_string_equal(manifest.reason, "its own");
	manifest_release(&manifest);
	free(dir);
	fclose(messages);
}

/* A process that it began to start has the lock a little longer. */
static void recover_run__killed_just_now__waits_for_the_lock(void **state)
{
	held = 3;
	recover_run__ends_meanwhile__is_as_it_ended(state);
	assert_int_equal(held, 0);
}

static void recover_run__in_progress__is_refused(void **state)
{
	FILE *messages = tmpfile();
	struct err err = ERR_INIT;
	char *dir = NULL;

	(void)state;
	put("run" RUN_PARTIAL "/" RUN_MANIFEST, MANIFEST("recording", ""));
	held = 1000000;
	assert_int_not_equal(recover_run("run" RUN_PARTIAL, messages, NULL, &dir, &err), 0);
	held = 0;
	assert_non_null(strstr(err.msg, "run" RUN_PARTIAL "' is in use by another stagetrace"));
	assert_true(fs_exists("run" RUN_PARTIAL));
	err_clear(&err);
	fclose(messages);
}

/* Recover `dir`, a complete run that says it was recorded at `place`; NULL: here. */
static void recover_complete(const char *dir, const char *place)
{
	char *here = fs_identity(dir), *run = NULL;
	char *more = xasprintf(", \"place\": \"%s\"", place ? place : here);
	char *manifest = xasprintf(MANIFEST("done", "%s"), more);
	char *path = fs_join(dir, RUN_MANIFEST);
	FILE *messages = tmpfile();
	struct err err = ERR_INIT;

	put(path, manifest);
	if (recover_run(dir, messages, NULL, &run, &err))
		fail_msg("%s", err.msg);
	fclose(messages);
	free(path);
	free(manifest);
	free(more);
	free(here);
	free(run);
}

static void recover_run__begun_bundle__is_removed(void **state)
{
	static const char *const others[] = { "run.zip", "run.zip.partial-notes",
					      "run.zip.partial.x", "other.zip.partial" };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("run", &err), 0);
	put("run.zip" RUN_PARTIAL, "begun");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		put(others[i], "mine");
	recover_complete("run", NULL);
	assert_false(fs_exists("run.zip" RUN_PARTIAL));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_true(fs_exists(others[i]));
}

static void recover_run__another_place_or_owner__files_next_to_it_stay(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("run", &err), 0);
	put("run.zip" RUN_PARTIAL, "mine");
	recover_complete("run", "fd00:1");
	assert_true(fs_exists("run.zip" RUN_PARTIAL));
	if (geteuid())
		return;
	assert_int_equal(chown("run.zip" RUN_PARTIAL, 12345, 12345), 0);
	recover_complete("run", NULL);
	assert_true(fs_exists("run.zip" RUN_PARTIAL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(recover_run__ends_meanwhile__is_as_it_ended),
		TEST(recover_run__killed_just_now__waits_for_the_lock),
		TEST(recover_run__in_progress__is_refused),
		TEST(recover_run__begun_bundle__is_removed),
		TEST(recover_run__another_place_or_owner__files_next_to_it_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
