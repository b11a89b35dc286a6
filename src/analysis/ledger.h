/*
 * The books of a memory view: what each key has committed, freed and held, in a range of time.
 *
 * Definitions (docs/memory.md): `size` committed in the range; `freed` released in it; aifi, aifo, aofi,
 * aofo: allocated inside (before) the range, freed inside it (after, or never); aofo is held throughout.
 * So size = aifi + aifo, freed = aifi + aofi, held at the start = aofi + aofo, at the end = aifo + aofo.
 * Peaks are within the range, and begin with what is held at its start.
 *
 * The peak of the whole build needs no second pass: at each new maximum an epoch begins, and a key whose
 * value is about to change for the first time in an epoch has it saved before.
 */
#ifndef ANALYSIS_LEDGER_H
#define ANALYSIS_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_AT_END  INT64_MAX       /* outstanding: at the end of the range */
#define LEDGER_AT_PEAK (INT64_MAX - 1) /* at the peak of the whole build */

/* Bytes; of one key or of all. */
struct ledger_entry {
	int64_t size, count, freed;
	int64_t aifi, aofi;
	int64_t at_start, at_end; /* outstanding at the start and the end of the range */
	int64_t at;               /* at the moment asked for */
	int64_t peak, at_peak;
	int64_t peak_ns; /* when `peak` was reached first */
	int64_t purged;
	/* the running state */
	int64_t outstanding, saved;
	uint64_t epoch;
};

struct ledger {
	int64_t from_ns, to_ns, at_ns;
	struct ledger_entry whole; /* the build, whatever the filter; its peak is *the* peak */
	struct ledger_entry total; /* of all keys; its peak is that of their sum */
	struct ledger_entry *keys;
	size_t keys_nr, keys_alloc;
	uint32_t *touched; /* keys changed by this event */
	size_t touched_nr, touched_alloc;
	uint64_t epoch;
	int64_t now_ns;
	bool started, ended, at_done;
};

/*
 * The range is from_ns <= t < to_ns (INT64_MIN: all that there is; INT64_MAX: no end). `at_ns`: a time, which
 * may lie outside of the range and has events at it behind it, or one of the two above.
 */
void ledger_init(struct ledger *ledger, int64_t from_ns, int64_t to_ns, int64_t at_ns);
void ledger_release(struct ledger *ledger);

/*
 * Time goes on: to be called before what happens at `time_ns`; it does not go back. False: the range and the
 * moment asked for are over, nothing counts.
 */
bool ledger_advance(struct ledger *ledger, int64_t time_ns);

/* Whether what is allocated now is allocated inside the range. */
bool ledger_inside(const struct ledger *ledger);

/* `bytes` were committed in the whole build, `count` is 1 for an event's first; or released, see `inside`. */
void ledger_whole_add(struct ledger *ledger, int64_t bytes, int64_t count);
void ledger_whole_remove(struct ledger *ledger, int64_t bytes, bool inside);

/*
 * The same for a key. Bytes and count may be negative: what an estimate gives to other keys is taken from
 * that of what was not sampled. `inside`: it was committed inside the range.
 */
void ledger_key_add(struct ledger *ledger, uint32_t key, int64_t bytes, int64_t count);
void ledger_key_remove(struct ledger *ledger, uint32_t key, int64_t bytes, bool inside);

/* Pages of so many bytes need not stay in memory (MEMORY_PURGE): counted apart, nothing is released. */
void ledger_whole_purge(struct ledger *ledger, int64_t bytes);
void ledger_key_purge(struct ledger *ledger, uint32_t key, int64_t bytes);

/* An event is complete: its changes are one, and only now there may be new peaks. */
void ledger_commit(struct ledger *ledger);

/* No more events: what has not been taken at its time is taken now. */
void ledger_finish(struct ledger *ledger);

/* Derived. */
int64_t ledger_impacting(const struct ledger_entry *entry); /* at_end - at_start */
int64_t ledger_aifo(const struct ledger_entry *entry);      /* size - aifi */
int64_t ledger_aofo(const struct ledger_entry *entry);      /* at_start - aofi */

#endif
