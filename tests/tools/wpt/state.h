/*
 * What the stand-ins remember from one call to the next, as the kernel, the registry and the services would:
 * records of a kind, each a list of keys and values, in one file of text that a test may read.
 *
 *     [recording]
 *     instance=WprApp
 *     mark=123456 Starting build
 *
 * A record may have a key many times. Line ends and backslashes in values are written \n, \r and \\.
 */
#ifndef WPT_STATE_H
#define WPT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strvec.h"

struct record {
	char *kind;
	struct strvec keys, values; /* side by side */
};

struct state {
	char *folder;
	void *lock; /* held from state_open() to state_save() or state_close() */
	struct record *v;
	size_t nr, alloc;
};

/* Waits for other calls that hold it. The folder is made if need be. */
void state_open(struct state *state, const char *folder);
/* Writes it, lets others in, and forgets it. -1 where it cannot be written. */
int state_save(struct state *state);
/* Lets others in and forgets it, unwritten. */
void state_close(struct state *state);

struct record *state_add(struct state *state, const char *kind);
/* The first of this kind whose `key` has `value`, case ignored; with `key` NULL the first of its kind. */
struct record *state_find(const struct state *state, const char *kind, const char *key,
			  const char *value);
/* `record` is one of the state's. Other records may move. */
void state_drop(struct state *state, struct record *record);
size_t state_count(const struct state *state, const char *kind);

/* The first value of a key, "" where there is none. */
const char *record_get(const struct record *record, const char *key);
int64_t record_number(const struct record *record, const char *key);
/* Replaces the first value of a key, or adds it. */
void record_set(struct record *record, const char *key, const char *value);
void record_set_number(struct record *record, const char *key, int64_t value);
void record_add(struct record *record, const char *key, const char *value);

#endif
