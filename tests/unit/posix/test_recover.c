/*
 * A recording that ends while its run is recovered. flock() is that of this program: when it is called, the recording has
 * just ended.
 */
#include "record/recover.h"

#include <stdio.h>
#include <sys/file.h>

#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "unit/fs_place.h"

#define MANIFEST(state, more) \
	"{\"format_version\": 1, \"name\": \"run\", \"cookie\": \"\", " \
	"\"recorder\": {\"name\": \"none\"}, \"state\": \"" state "\"" more "}"

int flock(int fd, int operation)
{
	(void)fd;
	(void)operation;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(recover_run__ends_meanwhile__is_as_it_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
