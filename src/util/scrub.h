/*
 * Replaces private names in text: names of the host, owners of home directories, logins in URLs and, if asked, values of
 * environment variables and secrets.
 * The text may become longer or shorter. Each name has one replacement everywhere, so that what differed still differs.
 *
 * A home directory is any /home/NAME, /Users/NAME, C:\Users\NAME, with any separators, or one that was added. NAME becomes
 * "user", "user2", ...; a name of the host becomes "host". Names are found in any ASCII case, with escapes (%41) too:
 *   as words anywhere
 *   also within longer words, replaced by as many x's, if they have 8 characters, a digit or punctuation. The next name of
 *     the same length becomes xxxxxxx2, and so on
 *   as words of an identifier that has its length before it, as in mangled names of functions: replaced by x's
 *   their beginning at the end of a text of 15 characters, to which Linux shortens names of threads
 *   only where they stand for a host or a user (alice@vm, //vm/, Linux vm, USER=alice), if they have less than 4
 *     characters, are hexadecimal numbers or everyday words: the list in util/scrub_names.c
 * "localhost" and "root" identify nobody.
 */
#ifndef UTIL_SCRUB_H
#define UTIL_SCRUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"
#include "util/strvec.h"

#define SCRUB_STEP "finding private names" /* for struct progress (util/progress.h) */

struct scrub;

struct scrub *scrub_new(void);
void scrub_free(struct scrub *scrub);

/* Names to replace; NULL is ignored. Of a host name the part before the first dot is one too, and
 * what Windows makes of it. The first user becomes "user". */
void scrub_add_host(struct scrub *scrub, const char *host);
void scrub_add_user(struct scrub *scrub, const char *user);
void scrub_add_home(struct scrub *scrub, const char *home);

/* Look for home directories in the text, so that their owners are replaced wherever they occur later. */
void scrub_learn(struct scrub *scrub, const char *text, size_t len);

/*
 * Reserve the words of a name that stays, such as a crate's: a word like "user2" in it is not used as a replacement. To
 * be called before scrubbing.
 */
void scrub_reserve(struct scrub *scrub, const char *text);

enum scrub_form {
	SCRUB_TEXT,     /* paths, texts */
	SCRUB_COMMAND,  /* also values of variables and secrets: util/scrub_values.h */
	SCRUB_ARGUMENT, /* one argument of a command, of which a value has all that follows */
	SCRUB_SYMBOL,   /* a linkage name, which has lengths in it: x's alone, and no paths */
};

void scrub_text(struct scrub *scrub, struct strbuf *text, enum scrub_form form);

/* The same for each argument of a command, and the value of a secret may be the next one. */
void scrub_arguments(struct scrub *scrub, struct strvec *arguments);

/*
 * Replace a whole path, of a file that the text should not name: it becomes /other/1, ... scrub_path() does that, and
 * scrubs other paths. scrub_is_hidden() says whether the path will be replaced.
 */
void scrub_hide_path(struct scrub *scrub, const char *path);
void scrub_path(struct scrub *scrub, struct strbuf *path);
bool scrub_is_hidden(const struct scrub *scrub, const char *path);

/*
 * The same for the build id of such a file, in hexadecimal: the returned number, which is not 0, replaces it. scrub_id()
 * writes that as one of 20 bytes.
 */
uint32_t scrub_hide_id(struct scrub *scrub, const char *id);
void scrub_id(struct scrub *scrub, struct strbuf *id);

/* The replacement of a user, valid until the next call of a function; "root" stays. And that of the host. */
const char *scrub_user(struct scrub *scrub, const char *user);
const char *scrub_host(struct scrub *scrub);

/* What was removed or replaced: "names of the host", 12. */
struct scrub_removed {
	const char *what;
	uint64_t count;
};

/* Count something that was removed by others. */
void scrub_note(struct scrub *scrub, const char *what, uint64_t count);

/* All that was counted, in the order of the first; valid until the next call of a function. */
const struct scrub_removed *scrub_list(const struct scrub *scrub, size_t *nr);

#endif
