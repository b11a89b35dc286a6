/*
 * A stream to write to and to read back. On Windows tmpfile() needs the right to write to the root of the drive, and an
 * open file cannot be removed: the files are removed when the program ends.
 */
#ifndef TESTS_UNIT_STREAM_H
#define TESTS_UNIT_STREAM_H

#include <stdio.h>
#include <stdlib.h>

#include "platform/fs.h"
#include "util/alloc.h"

static char *stream_dir;

static inline void stream_remove_all(void)
{
	struct err err = ERR_INIT;

	if (fs_remove_tree(stream_dir, &err))
		err_clear(&err);
	free(stream_dir);
}

static inline FILE *stream_new(void)
{
	static int number;
	struct err err = ERR_INIT;
	char *name, *path;
	FILE *file;

	if (!stream_dir) {
		stream_dir = fs_temp_dir(&err);
		assert_non_null(stream_dir);
		atexit(stream_remove_all);
	}
	name = xasprintf("%d", ++number);
	path = fs_join(stream_dir, name);
	file = fs_open(path, "wb+");
	assert_non_null(file);
	free(path);
	free(name);
	return file;
}

#endif
