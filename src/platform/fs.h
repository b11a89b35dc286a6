/*
 * Files and directories. Paths are UTF-8 (any bytes on Linux); every error names the path.
 *
 * Windows: both separators are taken, and paths of any length. What another program (a scanner of viruses) has open for
 * a moment is waited for, 2 seconds at most.
 */
#ifndef PLATFORM_FS_H
#define PLATFORM_FS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

bool fs_exists(const char *path);
bool fs_is_dir(const char *path);

/* A regular file that this user may run. (Windows: .exe, .com, .bat, .cmd.) */
bool fs_is_executable(const char *path);

/* A symbolic link, wherever it leads. (Windows: a junction too.) */
bool fs_is_link(const char *path);

/* May this user read the file? May it make files in the directory? */
bool fs_can_read(const char *path);
bool fs_can_write_in(const char *dir);

/* Bytes; -1 where there is none. */
int64_t fs_size(const char *path);

/* One directory; an existing one is fine. */
int fs_mkdir(const char *path, struct err *err);

/* With all parents. */
int fs_mkdir_all(const char *path, struct err *err);

/* One directory that must not be there yet: ERR_UNSUPPORTED where it is. */
int fs_mkdir_new(const char *path, struct err *err);

/* Within one file system; replaces a file atomically. Durable with fs_sync_dir(). */
int fs_rename(const char *from, const char *to, struct err *err);

/* A file; one that is not there is fine. */
int fs_remove(const char *path, struct err *err);

/* A whole tree, without following links; one that is not there is fine. */
int fs_remove_tree(const char *path, struct err *err);

/* Names in a directory, sorted bytewise, without "." and "..". */
int fs_list(const char *path, struct strvec *names, struct err *err);

/* All regular files below `path`, sorted, as paths relative to it with "/" between. */
int fs_list_tree(const char *path, struct strvec *files, struct err *err);

/*
 * As C's fopen(), where paths are not UTF-8 on all systems: NULL with errno. No program that we start has the file
 * open too; bytes are never changed on their way; others may read, write, rename and remove it meanwhile.
 */
FILE *fs_open(const char *path, const char *mode);

/* C's fseek() and ftell(), whose offsets are of 32 bits on some systems. */
int fs_seek(FILE *file, int64_t offset, int whence);
int64_t fs_tell(FILE *file);

/* Append the whole file; one larger than `limit` is an error. */
int fs_read(const char *path, int64_t limit, struct strbuf *sb, struct err *err);

/* Append the last `limit` bytes of a file, or all where it has less. */
int fs_read_end(const char *path, int64_t limit, struct strbuf *sb, struct err *err);

/* Replace `path` by `data`: written beside it, synced to disk, renamed. Never a half-written file. */
int fs_write_atomic(const char *path, const void *data, size_t len, struct err *err);

/* Copy a file's bytes, by the same rules. */
int fs_copy(const char *from, const char *to, struct err *err);

/* Flush a stdio stream to the disk. */
int fs_sync(FILE *file, const char *path, struct err *err);

/* Let everybody run the file who may read it. (Windows: its name alone decides.) */
int fs_set_executable(const char *path, struct err *err);

/*
 * Hold a directory for ourselves until fs_unlock() or our end, however that comes: ERR_UNSUPPORTED where
 * another process holds it. Follows a rename of the directory. (Windows: among the processes of one machine.)
 */
struct fs_lock;
int fs_lock(const char *dir, struct fs_lock **lock, struct err *err);
void fs_unlock(struct fs_lock *lock);

/* Make renames in the directory durable. (Windows: they are.) */
int fs_sync_dir(const char *path, struct err *err);

/* Bytes a user may still write on the file system of `path`; -1 where not known. */
int64_t fs_free_space(const char *path);

/* The absolute path, links resolved; NULL where there is none. The caller frees it. */
char *fs_absolute(const char *path);

/*
 * `name` relative to `dir`, unless it is absolute itself. The caller frees it. (Windows: with the separator that `dir` is
 * written with, "/" where it has none.)
 */
char *fs_join(const char *dir, const char *name);

/* The directory part ("." where there is none). The caller frees it. */
char *fs_dirname(const char *path);

/* What is behind it: "" where the path ends with a separator. Points into `path`. */
const char *fs_file_name(const char *path);

/*
 * The file that running `name` would run (PATH where it has no separator); NULL where none. Caller frees. (Windows: with
 * the endings of PATHEXT; not in the current directory.)
 */
char *fs_find_program(const char *name);

/* An empty directory of our own below the system's temporary folder. The caller frees it. */
char *fs_temp_dir(struct err *err);

#endif
