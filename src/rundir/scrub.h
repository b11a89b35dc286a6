/*
 * Takes host name, user name and home folder out of bytes of any kind, text or trace, at equal length, so
 * that every offset in a file stays right.
 *
 * What is found, in any ASCII case, as UTF-8 and as UTF-16LE:
 *   host   as a word, in full and its first label: host, then x's
 *   home   as the start of a path, also with \\ or / for \, and as hexadecimal: its last folder becomes x's
 *   user   as a whole folder or file name in a path, before an @, or as the value of USER, LOGNAME, USERNAME
 * Data that a recorder compressed cannot be seen through.
 */
#ifndef RUNDIR_SCRUB_H
#define RUNDIR_SCRUB_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

struct scrub;

/* Each may be NULL: nothing of the kind is replaced. "localhost" and "/" name nobody. */
struct scrub *scrub_new(const char *host, const char *user, const char *home);
void scrub_free(struct scrub *scrub);

/* A whole text, in place. */
void scrub_text(const struct scrub *scrub, struct strbuf *sb);

/*
 * A part of a stream, in place: `buf` begins with `seen` bytes that an earlier call was done with. Gives the
 * number of bytes, from the start, that are done now: all with `last`, else some are kept until more follow.
 */
size_t scrub_part(const struct scrub *scrub, char *buf, size_t seen, size_t len, bool last);

/* Done bytes that the next call should still see before the others. */
#define SCRUB_CONTEXT ((size_t)64)

#endif
