/*
 * Sums of a memory view: what each key committed, freed and held in a range of time.
 *
 * Definitions (docs/memory.md): `size` committed in the range; `freed` in it; aifi, aifo, aofi,
 * aofo: allocated inside (before) the range, freed inside it (after, or never); aofo is held throughout.
 * So size = aifi + aifo, freed = aifi + aofi, held at the start = aofi + aofo, at the end = aifo + aofo.
 * Peaks are within the range, and begin with what is held at its start.
 *
 * The values at a peak need no second pass over the trace: at each new maximum an epoch begins, and the value of a key is
 * saved before it changes for the first time in an epoch. There are two such peaks: that of the whole build, and that of
 * the sum of all keys, the own peak of what the filter lets through.
 *
 * Keys may also be counted as bytes end, when it is known how long they were held (ledger_key_lived()). Then they have the
 * same values, but no peaks of their own.
 */
#ifndef ANALYSIS_LEDGER_H
#define ANALYSIS_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/ledger_owners.h"
#include "analysis/ledger_steps.h"

#define LEDGER_AT_END      INT64_MAX       /* outstanding: at the end of the range */
#define LEDGER_AT_PEAK     (INT64_MAX - 1) /* at the peak of the whole build */
#define LEDGER_AT_OWN_PEAK (INT64_MAX - 2) /* at the peak of the sum of all keys */

/* Whether a moment of --at is a time, none of the above. */
static inline bool ledger_at_is_time(int64_t at_ns)
{
	return at_ns < LEDGER_AT_OWN_PEAK;
}

enum ledger_peak { LEDGER_WHOLE_PEAK, LEDGER_OWN_PEAK, LEDGER_PEAKS };

/* What a key held at a peak, if it changed after it: `epoch` is that of the peak. */
struct ledger_saved {
	uint64_t epoch;
	int64_t bytes;
};

/* Bytes; of one key or of all. */
struct ledger_entry {
	int64_t size, count, freed;
	int64_t aifi, aofi;
	int64_t at_start, at_end; /* outstanding at the start and the end of the range */
	int64_t at;               /* outstanding at the moment of --at */
	int64_t peak;
	int64_t at_peak, at_own_peak; /* at the peak of the whole build; of the sum of all keys */
	int64_t peak_ns;              /* when `peak` was reached first */
	int64_t purged;
	bool lived; /* counted by ledger_key_lived(): it has no `peak`, and nothing is purged */
	/* while events are counted */
	int64_t outstanding;
	struct ledger_saved saved[LEDGER_PEAKS];
	uint64_t touched; /* the last commit that changed it, of totals */
};

/* Moments; what is committed by an event is held at those that come after it, until it ends. */
enum ledger_moment {
	LEDGER_START, /* of the range */
	LEDGER_END,
	LEDGER_AT, /* the time of --at */
	LEDGER_PEAK,
	LEDGER_MOMENTS = LEDGER_PEAK + LEDGER_PEAKS
};

/* Of bytes that end: */
struct ledger_life {
	uint64_t commit; /* ledger_current_commit() when they were committed */
	bool inside;     /* they were committed inside the range */
	int64_t count;   /* events that count with them */
};

struct ledger {
	int64_t from_ns, to_ns, at_ns;
	/* The whole build, without the filter; its peak is the peak of the build. */
	struct ledger_entry whole;
	struct ledger_entry total; /* the sum of all keys; its peak is that of the sum */
	struct ledger_entry *keys;
	size_t keys_nr, keys_alloc;
	/* By key, what is its own and what is below it (analysis/sites.h). They overlap: `total` is not their sum. */
	struct ledger_entry *totals;
	size_t totals_nr, totals_alloc;
	/* Keys that the current event has changed, of both. */
	uint32_t *touched, *touched_totals;
	size_t touched_nr, touched_alloc, touched_totals_nr, touched_totals_alloc;
	uint64_t epochs[LEDGER_PEAKS];
	uint64_t commits; /* ledger_commit() was called so often */
	/* `commits` at each moment; 0: it has not come, or there is none. */
	uint64_t moments[LEDGER_MOMENTS];
	int64_t now_ns;
	bool started, ended, at_done;
	bool lived; /* keys are counted by ledger_key_lived() */
	/* Each is NULL unless it is kept: of ledger_keep_steps(), _owners(), _lifetimes(). */
	struct ledger_steps *steps;
	struct ledger_owners *owners;
	struct ledger_lifetimes *lifetimes;
};

/*
 * The range is from_ns <= t < to_ns (INT64_MIN: from the first event; INT64_MAX: no end). `at_ns` is a time, which may be
 * outside the range and includes the events at it, or LEDGER_AT_END, LEDGER_AT_PEAK or LEDGER_AT_OWN_PEAK.
 */
void ledger_init(struct ledger *ledger, int64_t from_ns, int64_t to_ns, int64_t at_ns);
void ledger_release(struct ledger *ledger);

/* Keep what keys gain and lose in each step of time, without their totals. Call it before the first event. */
void ledger_keep_steps(struct ledger *ledger, int64_t step_ns, uint32_t steps);

/* Keep what keys hold at the own peaks of their owners, over the whole recording; the same. */
void ledger_keep_owners(struct ledger *ledger, ledger_owner_fn *owner_of, void *data);

/* Keep what keys committed by how long it was held, in so many classes; the same. ledger_lived_in() counts it. */
void ledger_keep_lifetimes(struct ledger *ledger, uint32_t classes);
void ledger_lived_in(struct ledger *ledger, uint32_t key, uint32_t lifetime, int64_t bytes);

/* Of what is kept: bytes of a key of a lifetime; and at the own peak of its owner, after ledger_finish(). */
int64_t ledger_lifetime(const struct ledger *ledger, uint32_t key, uint32_t lifetime);
int64_t ledger_held_at_owners_peak(const struct ledger *ledger, uint32_t key);

/*
 * Advance the time to `time_ns`; an earlier time than the last one counts as the last one. Call it before the changes
 * of that time. False: the range and the moment of --at are over, nothing more is counted.
 */
bool ledger_advance(struct ledger *ledger, int64_t time_ns);

/* Whether the current time is inside the range. */
bool ledger_inside(const struct ledger *ledger);

/*
 * Count bytes that any process of the build committed or freed. `count` is 1 for the first bytes of an event, else
 * 0; `inside`: the bytes were committed inside the range.
 */
void ledger_whole_add(struct ledger *ledger, int64_t bytes, int64_t count);
void ledger_whole_remove(struct ledger *ledger, int64_t bytes, bool inside);

/*
 * The same for a key. Bytes and count may be negative: an estimate that is added to other keys is subtracted from the
 * key for memory without a sampled stack.
 */
void ledger_key_add(struct ledger *ledger, uint32_t key, int64_t bytes, int64_t count);
void ledger_key_remove(struct ledger *ledger, uint32_t key, int64_t bytes, bool inside);

/* The same for the total of a key alone. */
void ledger_total_add(struct ledger *ledger, uint32_t key, int64_t bytes, int64_t count);
void ledger_total_remove(struct ledger *ledger, uint32_t key, int64_t bytes, bool inside);

/* The same for the sum of all keys alone. */
void ledger_sum_add(struct ledger *ledger, int64_t bytes, int64_t count);
void ledger_sum_remove(struct ledger *ledger, int64_t bytes, bool inside);

/*
 * Count bytes for a key, or for its total, which end now, or are held at the end of the recording: after ledger_end(). The
 * sum of all keys does not change: it was counted when they were committed.
 */
void ledger_key_lived(struct ledger *ledger, uint32_t key, int64_t bytes,
		      const struct ledger_life *life);
void ledger_total_lived(struct ledger *ledger, uint32_t key, int64_t bytes,
			const struct ledger_life *life);

/* The number of the event that is counted now, from 1. */
uint64_t ledger_current_commit(const struct ledger *ledger);

/*
 * Whether bytes of an event that end now were held at the moment of --at, as far as it is known: while the trace is read it
 * may become a later peak, of another epoch. And whether they were held at any time of the range.
 */
bool ledger_was_held_at(const struct ledger *ledger, uint64_t commit);
bool ledger_was_held_inside(const struct ledger *ledger, uint64_t commit);
uint64_t ledger_epoch_of_at(const struct ledger *ledger);

/* The system may reclaim pages of this size (MEMORY_PURGE): they are counted separately, and stay committed. */
void ledger_whole_purge(struct ledger *ledger, int64_t bytes);
void ledger_key_purge(struct ledger *ledger, uint32_t key, int64_t bytes);

/* Make the keys up to `nr` exist, and their totals too if there are any. Call it before ledger_finish(). */
void ledger_reach(struct ledger *ledger, size_t nr);

/* Call it after all changes of an event: they count as one change, so peaks are updated only now. */
void ledger_commit(struct ledger *ledger);

/* The recording is over: no moment comes later. */
void ledger_end(struct ledger *ledger);

/*
 * Call it after the last event: it sets the values that are still missing (at the start, at the end and at the moment
 * of --at).
 */
void ledger_finish(struct ledger *ledger);

/*
 * Add a key that is shown as one with `entry`, after ledger_finish(): what both held is added, but peaks, which may be of
 * different moments, are not: the higher one stays.
 */
void ledger_entry_join(struct ledger_entry *entry, const struct ledger_entry *other);

/*
 * A series in steps: forget the peaks of the sum and of each key, which begin again with what is held now; that of the
 * build stays. ledger_held_at_own_peak(): what a key held at the peak of the sum so far.
 */
void ledger_restart_peaks(struct ledger *ledger);
int64_t ledger_held_at_own_peak(const struct ledger *ledger, uint32_t key);

/* Values computed from others. */
int64_t ledger_impacting(const struct ledger_entry *entry); /* at_end - at_start */
int64_t ledger_aifo(const struct ledger_entry *entry);      /* size - aifi */
int64_t ledger_aofo(const struct ledger_entry *entry);      /* at_start - aofi */

#endif
