/*
 * The owner and the permissions of the files of a recording.
 *
 * A recording by sudo is made by root, but for a user: where the output directory belongs to the user who ran sudo, so do
 * the files in it. (Windows: files belong to who makes them, and inherit the rights of their directory: nothing is
 * changed.)
 */
#ifndef PLATFORM_OWNER_H
#define PLATFORM_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strvec.h"

struct owner {
	bool given; /* false: this user */
	int64_t user, group;
};

/* The owner of new files in `dir`; if it does not exist, its nearest existing parent decides. */
struct owner owner_in(const char *dir);

/* The name of the owner; NULL: unknown. The caller frees it. (Windows: NULL.) */
char *owner_name(const char *path);

/* Is it root, this user, or the one who ran sudo? (Windows: true.) */
bool owner_trusts(int64_t user);

/* Does it belong to this user, or to the one who ran sudo? */
bool owner_is_ours(const char *path);

/*
 * Can only this user (or the one who ran sudo) and root change the file or directory, or put another one in its place? It
 * is theirs, no link, and not writable for others, but for the group of a user who is not root; so are all directories
 * above, or in them nobody can rename what is another's (/tmp). (Windows: true.)
 */
bool owner_alone_changes(const char *path);

/*
 * Give a file or directory to its owner, with the permissions `mode`: those of a file, 0600 for example (-1: unchanged).
 * Users with read permission may also enter directories and run programs. Symbolic links are not followed, and a file
 * with more than one hard link is left as it is.
 */
int owner_give(const char *path, const struct owner *owner, int mode, struct err *err);

/*
 * The same for a directory with all that is below it, 32 levels at most. `secret` are names in the directory, ending with
 * NULL, that stay for their owner alone (0600).
 */
int owner_give_tree(const char *dir, const struct owner *owner, int mode, const char *const *secret,
		    struct err *err);

/*
 * Create a directory, with those above it that are missing, and give all that are new to the owner of new files there.
 * Where the file system has no owners, why not is added to `refused`.
 */
int owner_mkdir_all(const char *dir, int mode, struct strvec *refused, struct err *err);

#endif
