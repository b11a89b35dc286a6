/*
 * The state that the stand-ins keep from one call to the next, in place of the kernel, the registry and services:
 * records of several kinds, each a list of keys and values, in one text file that a test may read.
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
	struct strvec keys, values; /* values[i] belongs to keys[i] */
};

struct state {
	char *dir;
	void *lock; /* held from state_open() to state_save() or state_close() */
	struct record *v;
	size_t nr, alloc;
};

/* Lock and read the state. The directory is created if needed. */
void state_open(struct state *state, const char *dir);
/* Write, unlock and free the state. -1: it cannot be written. */
int state_save(struct state *state);
/* Unlock and free the state without writing it. */
void state_close(struct state *state);

struct record *state_add(struct state *state, const char *kind);
/* The first record of a kind whose `key` has `value`, case ignored; `key` NULL: the first of the kind. */
struct record *state_find(const struct state *state, const char *kind, const char *key,
			  const char *value);
/* Remove a record of the state. Others may move in memory. */
void state_drop(struct state *state, struct record *record);
size_t state_count(const struct state *state, const char *kind);

/* The first value of a key; "": none. */
const char *record_get(const struct record *record, const char *key);
int64_t record_number(const struct record *record, const char *key);
/* Replace the first value of a key, or add it. */
void record_set(struct record *record, const char *key, const char *value);
void record_set_number(struct record *record, const char *key, int64_t value);
void record_add(struct record *record, const char *key, const char *value);

#endif
