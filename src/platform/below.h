/*
 * Files below a directory whose content may come from anyone, as that of a run.
 *
 * `name` is relative to `dir`, with "/" as separator. `dir` itself may be reached by links; below it no link is followed,
 * and only regular files are opened: a link, FIFO or device is an error, ERR_UNSUPPORTED, and never waited for. Nothing but
 * a regular file is replaced or removed. New files are for their owner alone (0600, directories 0700); what root makes
 * belongs to the owner of the directory that it is in, as that is a run's.
 */
#ifndef PLATFORM_BELOW_H
#define PLATFORM_BELOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* Of directories within one another: mounts can form a loop. A run directory is two levels deep. */
#define BELOW_DEPTH_MAX 32

enum below_kind {
	BELOW_NOTHING, /* there is nothing of that name */
	BELOW_FILE,    /* a regular file */
	BELOW_DIR,
	BELOW_LINK, /* a link, or the name leads through one */
	BELOW_OTHER,
	BELOW_UNKNOWN, /* it cannot be looked at, with errno: missing rights, as a rule */
};

enum below_kind below_find(const char *dir, const char *name);

/* The size in bytes; -1 if it is not a regular file. */
int64_t below_size(const char *dir, const char *name);

/* When its content was last changed, in seconds since 1970; -1 if it is not a regular file. */
int64_t below_time(const char *dir, const char *name);

/* Open as fs_open() does. Modes "rb" (ERR_NOT_FOUND: it does not exist), "ab", and "wbx", which fails if it exists. */
FILE *below_open(const char *dir, const char *name, const char *mode, struct err *err);

/* As below_open() with "wbx", but what root makes stays root's. */
FILE *below_create(const char *dir, const char *name, struct err *err);

/* As the functions of platform/fs.h. */
int below_read(const char *dir, const char *name, int64_t limit, struct strbuf *sb,
	       struct err *err);

/* Pass the contents of a file to `take`, part by part. After an error the parts before it have been passed. */
int below_read_parts(const char *dir, const char *name,
		     void (*take)(void *data, const char *part, size_t len), void *data,
		     struct err *err);

int below_read_end(const char *dir, const char *name, int64_t limit, struct strbuf *sb,
		   struct err *err);
int below_write(const char *dir, const char *name, const void *data, size_t len, struct err *err);
int below_mkdir(const char *dir, const char *name, struct err *err);
int below_remove(const char *dir, const char *name, struct err *err);

/* Copy the file at the path `from`, which may be any, atomically. */
int below_copy(const char *from, const char *dir, const char *name, struct err *err);

/*
 * Rename a file, and sync the directory. Both names are in one directory. -1: it has the old name. After a crash of the
 * system a disk that fails may have either.
 */
int below_rename(const char *dir, const char *from, const char *to, struct err *err);

/*
 * Append the names of all files, sorted. Anything but files and directories, and a directory more than 32 levels deep, is
 * an error that says to remove it.
 */
int below_list(const char *dir, struct strvec *files, struct err *err);

#endif
