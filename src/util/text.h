/*
 * Text that people write and read: sizes, durations, numbers, globs, misspelled words, paths.
 */
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

/*
 * Parse a size, in bytes: "512", "4KB", "1.5 GB", "40G", "16MiB". Units are powers of 1024, in any case; a
 * number without unit is multiplied by `bare_unit` (1 for bytes). False: not a size, or too large.
 */
bool text_parse_size(const char *s, int64_t bare_unit, int64_t *bytes);

/*
 * Parse a duration, in nanoseconds: "250us", "1ms", "12.5s", "3m20s", "4h", "2 days". Of several units the largest comes
 * first, and each next one has less than one of it: neither "1m99s" nor "1s1m". A number without unit is multiplied by
 * `bare_unit` (0: it is refused). False: not a duration, negative, or too large.
 */
bool text_parse_duration(const char *s, int64_t bare_unit, int64_t *ns);

/* Parse a moment: a duration, a number of seconds, "3:31.25" or "1:02:03", minutes and seconds below 60. */
bool text_parse_moment(const char *s, int64_t *ns);

/* Parse an integer from `min` to `max`, decimal, with nothing before or after it. */
bool text_parse_int(const char *s, int64_t min, int64_t max, int64_t *value);

/* Parse a percentage from 0 to 100, "0.5" or "0.5%", with nothing before or after it. */
bool text_parse_percent(const char *s, double *percent);

/* yes/no, true/false, on/off, 1/0. */
bool text_parse_bool(const char *s, bool *value);

/* Parse a UTC time, in nanoseconds since 1970: "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.123Z". */
bool text_parse_utc(const char *s, int64_t *ns);

/* Append a whole number; much faster than strbuf_addf(). */
void text_add_int(struct strbuf *sb, int64_t value);

/* Append "%.*f" of a number, with up to two digits after the point, several times faster. */
void text_add_fixed(struct strbuf *sb, double value, int digits);

/* Append a percentage as people read it, without its sign: "12.5", and "<0.1" where it is not zero but rounds to it. */
void text_add_percent(struct strbuf *sb, double percent);

/* Append a size: "1.50 GB", "317 MB", "12.3 KB", "512 B" (powers of 1024, three significant figures). */
void text_add_bytes(struct strbuf *sb, int64_t bytes);

/* Append bytes as two hexadecimal digits each, in lower case. */
void text_add_hex(struct strbuf *sb, const void *bytes, size_t nr);

/* Parse such text into at most `max` bytes, and set their number. False: it is something else, or longer. */
bool text_parse_hex(const char *s, void *bytes, size_t max, size_t *nr);

/* Append a duration: "812 us", "34.1 ms", "12.3 s", "3m 20s", "1h 02m 03s". */
void text_add_duration(struct strbuf *sb, int64_t ns);

/* Append a moment, not below 0, to the nanosecond: "0s", "12.5s", "12m01.234567891s". text_parse_moment() reads it. */
void text_add_moment(struct strbuf *sb, int64_t ns);

/* Damerau-Levenshtein distance, case ignored. */
size_t text_distance(const char *a, const char *b);

/* The candidate most similar to `word`, for "did you mean"; NULL if none is similar enough. */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

/* Whether all of `s` matches a shell pattern with * and ?; `fold` ignores ASCII case. */
bool text_glob(const char *pattern, const char *s, bool fold);

/* ASCII case-insensitive equality. */
bool text_equal_fold(const char *a, const char *b);

/* Whether `word` is among `words`, which blanks separate. */
bool text_has_word(const char *words, const char *word);

/* The last component of a path with / or \ as separators, with a trailing separator if there is one; points into `path`. */
const char *text_file_name(const char *path);

/*
 * Whether a path, of any system, stays on this machine: it is neither a URL nor a share (\\server\share,
 * \??\UNC\server\share, with any separators). Windows logs in to a share with the user's name and a proof of the password.
 */
bool text_is_local_path(const char *path);

bool text_starts_with(const char *s, const char *prefix);
bool text_ends_with(const char *s, const char *suffix);

#endif
