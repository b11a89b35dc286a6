/*
 * Replaces host name, user name and home folder in text or binary data by text of equal length, so that all offsets in a
 * file stay valid.
 *
 * Found in any ASCII case, as UTF-8 and as UTF-16LE:
 *   host   as a word, the full name and its first label; replaced by "host" and x's
 *   home   at the start of a path, also with \\ or / for \, and as hexadecimal; its last folder is replaced by x's
 *   user   as a folder or file name in a path, before an @, or as the value of USER, LOGNAME, USERNAME
 * Names in data that the profiler compressed are not found.
 */
#ifndef RUNDIR_SCRUB_H
#define RUNDIR_SCRUB_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

struct scrub;

/* Each name may be NULL: not replaced. "localhost" and "/" are ignored, as they identify nobody. */
struct scrub *scrub_new(const char *host, const char *user, const char *home);
void scrub_free(struct scrub *scrub);

/* Scrub a whole text in place. */
void scrub_text(const struct scrub *scrub, struct strbuf *sb);

/*
 * Scrub a part of a stream in place. The first `seen` bytes of `buf` are context, finished by an earlier call. Returns the
 * number of bytes from the start of `buf` that are finished now: all if `last`, else those whose successors are known.
 */
size_t scrub_part(const struct scrub *scrub, char *buf, size_t seen, size_t len, bool last);

/* Number of finished bytes that the next call needs before the new ones. */
#define SCRUB_CONTEXT ((size_t)64)

#endif
