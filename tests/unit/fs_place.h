/*
 * A directory for the tests of platform/fs.h, and their checks of files.
 */
#ifndef TESTS_UNIT_FS_PLACE_H
#define TESTS_UNIT_FS_PLACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <direct.h>
#define CHDIR  _chdir
#define GETCWD _getcwd
#else
#include <unistd.h>
#define CHDIR  chdir
#define GETCWD getcwd
#endif

#include <cmocka.h>

#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"

/* Each test runs in its own directory, and uses relative paths. */
struct place {
	char *temp;
	char start[4096];
};

static inline int enter(void **state)
{
	struct place *place = xmalloc(sizeof(*place));
	struct err err = ERR_INIT;

	place->temp = fs_temp_dir(&err);
	assert_non_null(place->temp);
	assert_non_null(GETCWD(place->start, sizeof(place->start)));
	assert_int_equal(CHDIR(place->temp), 0);
	*state = place;
	return 0;
}

static inline int leave(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	int rc = CHDIR(place->start) || fs_remove_tree(place->temp, &err);

	free(place->temp);
	free(place);
	return rc;
}

static inline void put(const char *path, const char *text)
{
	struct err err = ERR_INIT;
	char *dir = fs_dirname(path);

	assert_int_equal(fs_mkdir_all(dir, &err), 0);
	assert_int_equal(fs_write_atomic(path, text, strlen(text), &err), 0);
	free(dir);
}

static inline void check_text(const char *path, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fs_read(path, 1 << 20, &sb, &err), 0);
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

/* Check that it failed, and that the message names the path. */
static inline void check_failed(int rc, struct err *err, enum err_code code, const char *path)
{
	assert_int_equal(rc, -1);
	assert_int_equal(err->code, code);
	if (!strstr(err->msg, path))
		fail_msg("'%s' is not in: %s", path, err->msg);
	err_clear(err);
}

static inline void check_names(int (*list)(const char *, struct strvec *, struct err *),
			       const char *path, const char *const *expected, size_t count)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(list(path, &names, &err), 0);
	for (size_t i = 0; i < count && i < names.nr; i++)
		assert_string_equal(names.v[i], expected[i]);
	assert_int_equal(names.nr, count);
	strvec_release(&names);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

#endif
