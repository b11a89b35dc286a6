/*
 * A stream to write to and to read back, whose file goes when it is closed: tmpfile(), which on Windows needs the rights
 * to write in the root of the drive.
 */
#ifndef TESTS_UNIT_STREAM_H
#define TESTS_UNIT_STREAM_H

#include <stdio.h>
#include <stdlib.h>

#include "platform/fs.h"

static inline FILE *stream_new(void)
{
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path;
	FILE *file;

	assert_non_null(dir);
	path = fs_join(dir, "stream");
	file = fs_open(path, "wb+");
	assert_non_null(file);
	/* Gone at once on POSIX, on Windows with the last that has it open: the directory may stay until then. */
	assert_int_equal(fs_remove(path, &err), 0);
	if (fs_remove_tree(dir, &err))
		err_clear(&err);
	free(path);
	free(dir);
	return file;
}

#endif
