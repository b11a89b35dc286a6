/*
 * How long committed bytes are held: which event committed them, and when and how they end. Views by region and by lifetime
 * need it.
 *
 * Each event that commits gets a number, the life of its bytes (page_account.life), so that ranges of different events
 * stay apart in a page map. A region is a range that one event committed and one event ended: if parts of what an event
 * committed end at different times, each is a region. So regions that are held at a moment add up to what is outstanding.
 */
#ifndef ANALYSIS_LIFETIME_H
#define ANALYSIS_LIFETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/ledger.h"
#include "analysis/page_map.h"
#include "analysis/process_maps.h"

enum life_end {
	LIFE_FREED,
	LIFE_EXEC, /* its process ran another program */
	LIFE_EXIT, /* its process ended */
	LIFE_HELD, /* it was held when the recording ended */
};

extern const char *const life_end_names[];

/* Classes of lifetimes: below so much, for what was freed; and what was held until its process or the recording ended. */
enum lifetime {
	LIFETIME_1MS,
	LIFETIME_10MS,
	LIFETIME_100MS,
	LIFETIME_1S,
	LIFETIME_10S,
	LIFETIME_1MIN,
	LIFETIME_LONGER,
	LIFETIME_EXIT, /* also an exec */
	LIFETIME_HELD,
	LIFETIMES
};

extern const char *const lifetime_names[];

struct region {
	uint64_t address; /* where it was at its end: mremap moves it */
	uint64_t heap;    /* the handle of its heap; 0: it is no block of a heap */
	int64_t bytes;
	uint32_t key;
	enum life_end end;
	int64_t start_ns, end_ns; /* of LIFE_HELD the end is that of the recording */
	struct ledger_life life;
	bool ended_inside; /* the range of the ledger */
	bool held_inside;  /* at some time of the range */
};

/* Who wants the regions of keys. */
struct region_sink {
	bool at_moment; /* only those that are held at the moment of --at; else all that are held in the range */
	void (*add)(void *data, const struct region *region);
	/* The moment of --at, a peak, is a later one than before: forget all regions so far. */
	void (*clear)(void *data);
	void *data;
};

struct life {
	int64_t start_ns;
	uint64_t commit;
	int64_t held; /* bytes */
	bool ended;   /* some of its bytes have */
};

/* The lives of bytes that are held. Zero: nothing is followed. */
struct lives {
	bool on;
	struct ledger *ledger;
	struct region_sink sink; /* `add` NULL: none */
	struct life *v;          /* by page_account.life; 0 is of no event */
	size_t nr, alloc;
	uint32_t *spare; /* unused elements of `v` */
	size_t spare_nr, spare_alloc;
	uint32_t last; /* given out last; of no use if nothing was committed */
	uint64_t epoch;
	enum life_end end; /* of what the current event ends; the caller sets it */
	uint64_t heap;     /* the same: region.heap */
};

/* Follow lives; once, before the first event. The sink may be NULL. */
void lives_follow(struct lives *lives, struct ledger *ledger, const struct region_sink *sink);
void lives_release(struct lives *lives);

/* The life of bytes that the current event may commit; 0: nothing is followed. */
uint32_t lives_begin(struct lives *lives);

/* Count bytes that were committed with this life. */
void lives_add(struct lives *lives, uint32_t life, int64_t bytes);

/*
 * Bytes at an address end, as lives->end says: make their region, and give it to the sink. Its bytes are `stand_for`, what
 * they count as. Its life counts an event for the first of its bytes that end, else none.
 */
struct region lives_end(struct lives *lives, const struct page_account *pages, uint64_t address,
			int64_t bytes, int64_t stand_for);

/*
 * Nothing follows: what ends now was held when the recording ended. False: nothing is followed. Call lives_finish_end()
 * after all of it has ended.
 */
bool lives_finish_begin(struct lives *lives);
void lives_finish_end(struct lives *lives);

/*
 * The same for page maps: `end` is called for what they still have, which was held when the recording ended. Without
 * lives nothing is done.
 */
void lives_finish(struct lives *lives, const struct process_maps *maps, page_change_fn *end,
		  void *data);

enum lifetime region_lifetime(const struct region *region);

#endif
