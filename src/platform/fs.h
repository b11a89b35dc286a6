/*
 * Files and directories. Paths are UTF-8 (any bytes on Linux); every error names the path.
 *
 * Windows: both separators and paths of any length are accepted. If another program, such as a virus scanner, has a file
 * open, functions retry for 2 seconds at most.
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

/* Whether it is a regular file that this user may run. (Windows: .exe, .com, .bat, .cmd.) */
bool fs_is_executable(const char *path);

/* Whether it is a symbolic link, whatever its target is. (Windows: a junction too.) */
bool fs_is_link(const char *path);

/* Whether this user may read the file, and may create files in the directory. */
bool fs_can_read(const char *path);
bool fs_can_write_in(const char *dir);

/* The size in bytes; -1 if there is no such file. */
int64_t fs_size(const char *path);

/* Create one directory, for its owner alone; no error if it exists. */
int fs_mkdir(const char *path, struct err *err);

/* The same with all parents. */
int fs_mkdir_all(const char *path, struct err *err);

/* Create one directory, for its owner alone; ERR_UNSUPPORTED if the path exists. */
int fs_mkdir_new(const char *path, struct err *err);

/* Rename within one file system. An existing file is replaced atomically. The change is durable after fs_sync_dir(). */
int fs_rename(const char *from, const char *to, struct err *err);

/* Remove a file; no error if there is none. */
int fs_remove(const char *path, struct err *err);

/* Remove a directory with all its contents, without following links; no error if there is none. */
int fs_remove_tree(const char *path, struct err *err);

/* Append the names in a directory, sorted by bytes, without "." and "..". */
int fs_list(const char *path, struct strvec *names, struct err *err);

/*
 * As fopen(), but `path` is UTF-8 on all systems. NULL with errno on failure. Programs that we start do not inherit
 * the file; there is no text mode; other programs may read, write, rename and remove the file while it is open.
 */
FILE *fs_open(const char *path, const char *mode);

/* As fseek() and ftell(), with 64-bit offsets on all systems. */
int fs_seek(FILE *file, int64_t offset, int whence);
int64_t fs_tell(FILE *file);

/* Append the contents of the file. A file larger than `limit` is an error. */
int fs_read(const char *path, int64_t limit, struct strbuf *sb, struct err *err);

/* Append the last `limit` bytes of a file, or all if it has fewer. */
int fs_read_end(const char *path, int64_t limit, struct strbuf *sb, struct err *err);

/* Write `data` to `path`, atomically: a temporary file in the same directory is written, synced to disk and renamed. */
int fs_write_atomic(const char *path, const void *data, size_t len, struct err *err);

/* Copy the contents of a file, atomically too. */
int fs_copy(const char *from, const char *to, struct err *err);

/* Flush a stdio stream to the disk. */
int fs_sync(FILE *file, const char *path, struct err *err);

/* Allow everybody who may read the file to run it. (Windows: does nothing, as only the name counts.) */
int fs_set_executable(const char *path, struct err *err);

/*
 * Lock a directory until fs_unlock() or the end of this process, even if it is killed. ERR_UNSUPPORTED if another
 * process has the lock. Renaming the directory keeps the lock. Children of this process have it too, until they run another
 * program. (Windows: they do not, and only processes of the same machine see the lock.)
 */
struct fs_lock;
int fs_lock(const char *dir, struct fs_lock **lock, struct err *err);
void fs_unlock(struct fs_lock *lock);

/*
 * An identity of a directory, which survives renaming; a copy has another. NULL: it cannot be read. The caller frees it.
 * Linux: device, inode and, where the file system has it, when it was made, which no archive can set; "1:2:3".
 */
char *fs_identity(const char *dir);

/* Whether it is a FIFO or a character device, or a link to one: bytes are written into it, and it stays. */
bool fs_is_stream(const char *path);

/* Make renames in the directory durable. (Windows: does nothing, they are durable.) */
int fs_sync_dir(const char *path, struct err *err);

/* Bytes that this user may still write to the file system of `path`; -1: unknown. */
int64_t fs_free_space(const char *path);

/* The absolute path with links resolved; NULL if there is no such file. The caller frees it. */
char *fs_absolute(const char *path);

/*
 * The path of `name` in `dir`, or `name` if that is absolute. The caller frees it. (Windows: the separator is the one
 * used in `dir`, "/" if it has none.)
 */
char *fs_join(const char *dir, const char *name);

/* The directory part of a path; "." if it has none. The caller frees it. */
char *fs_dirname(const char *path);

/* The last component, in `path`; "" if the path ends with a separator. */
const char *fs_file_name(const char *path);

/*
 * The file that the command `name` would run, searched for in PATH unless it has a separator; NULL: there is none.
 * The caller frees it. (Windows: also with the extensions of PATHEXT; never in the current directory.)
 */
char *fs_find_program(const char *name);

/* Create a new directory in the system's temporary directory. Returns its path, which the caller frees; NULL on failure. */
char *fs_temp_dir(struct err *err);

#endif
