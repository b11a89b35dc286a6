#include "analysis/page_map.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/ranges.h"

struct page_range {
	uint64_t start, end; /* end: behind its last byte */
	struct page_account account;
	bool committed; /* false: reserved, the account is zero */
};

struct page_ranges {
	struct ranges list;
	unsigned refs;
};

struct page_map {
	struct page_ranges *ranges; /* shared with other maps until one of them changes it */
	bool inherited;             /* all that is committed in the shared ranges is the parent's */
	int64_t committed;
	size_t copied;
};

/* One change of the map: where it is told. */
struct teller {
	struct page_map *map;
	page_change_fn *change;
	void *data;
};

static const struct page_account parents = { .inherited = true };

static struct page_ranges *new_ranges(void)
{
	struct page_ranges *ranges = xcalloc(1, sizeof(*ranges));

	ranges_init(&ranges->list, sizeof(struct page_range));
	ranges->refs = 1;
	return ranges;
}

struct page_map *page_map_new(void)
{
	struct page_map *map = xcalloc(1, sizeof(*map));

	map->ranges = new_ranges();
	return map;
}

static void drop_ranges(struct page_ranges *ranges)
{
	if (--ranges->refs)
		return;
	ranges_release(&ranges->list);
	free(ranges);
}

void page_map_free(struct page_map *map)
{
	if (!map)
		return;
	drop_ranges(map->ranges);
	free(map);
}

struct page_map *page_map_copy(const struct page_map *from)
{
	struct page_map *map = xcalloc(1, sizeof(*map));

	map->ranges = from->ranges;
	map->ranges->refs++;
	map->inherited = true;
	map->copied = from->ranges->list.nr;
	return map;
}

static bool same_account(const struct page_account *a, const struct page_account *b)
{
	return a->key == b->key && a->weight == b->weight && a->inside == b->inside &&
	       a->inherited == b->inherited;
}

/* Whether b, which follows a, goes on as a. */
static bool joins(const struct page_range *a, const struct page_range *b)
{
	return a->end == b->start && a->committed == b->committed &&
	       same_account(&a->account, &b->account);
}

/* Put a range before the cursor, as one with neighbours that are like it. The cursor is void then. */
static void put(struct page_ranges *ranges, struct range_cursor cursor,
		const struct page_range *range)
{
	struct range_cursor before = cursor;
	struct page_range *next = ranges_get(&ranges->list, &cursor), *previous;

	previous =
		ranges_previous(&ranges->list, &before) ? ranges_get(&ranges->list, &before) : NULL;
	if (previous && joins(previous, range)) {
		previous->end = range->end;
		if (next && joins(previous, next)) {
			previous->end = next->end;
			ranges_remove(&ranges->list, &cursor);
		}
	} else if (next && joins(range, next)) {
		next->start = range->start;
		ranges_moved(&ranges->list, &cursor);
	} else {
		ranges_insert(&ranges->list, &cursor, range);
	}
}

/* The map's own ranges, from those it shares. */
static void unshare(struct page_map *map)
{
	struct page_ranges *from = map->ranges, *own;
	struct range_cursor cursor = { 0, 0 };
	const struct page_range *at;

	if (from->refs == 1 && !map->inherited)
		return;
	own = new_ranges();
	for (; (at = ranges_get(&from->list, &cursor)); ranges_next(&from->list, &cursor)) {
		struct page_range range = *at;

		if (range.committed && map->inherited)
			range.account = parents;
		put(own, (struct range_cursor){ own->list.chunks, 0 }, &range);
	}
	drop_ranges(from);
	map->ranges = own;
	map->inherited = false;
}

/* The end of a range from `start` on. */
static uint64_t end_of(uint64_t start, uint64_t length)
{
	if (start >= PAGE_MAP_END)
		return start;
	return length < PAGE_MAP_END - start ? start + length : PAGE_MAP_END;
}

static void tell(const struct teller *teller, const struct page_account *account, uint64_t start,
		 uint64_t end, int sign)
{
	int64_t bytes = sign * (int64_t)(end - start);

	if (account->inherited)
		return;
	teller->map->committed += bytes;
	teller->change(teller->data, account, start, bytes);
}

/* A range that goes over `address` becomes two. The first one at or behind it. */
static struct range_cursor cut(struct page_ranges *ranges, uint64_t address)
{
	struct range_cursor cursor = ranges_find(&ranges->list, address);
	struct page_range *range = ranges_get(&ranges->list, &cursor), behind;

	if (!range || range->start >= address)
		return cursor;
	behind = *range;
	behind.start = address;
	range->end = address;
	ranges_next(&ranges->list, &cursor);
	ranges_insert(&ranges->list, &cursor, &behind);
	return cursor;
}

/* Nothing is kept from start to end. The place where it was. */
static struct range_cursor clear(const struct teller *teller, uint64_t start, uint64_t end)
{
	struct page_ranges *ranges = teller->map->ranges;
	struct range_cursor cursor;
	const struct page_range *range;

	cut(ranges, end);
	cursor = cut(ranges, start);
	while ((range = ranges_get(&ranges->list, &cursor)) && range->start < end) {
		struct page_range gone = *range;

		ranges_remove(&ranges->list, &cursor);
		if (gone.committed)
			tell(teller, &gone.account, gone.start, gone.end, -1);
	}
	return cursor;
}

static void set(const struct teller *teller, const struct page_range *range)
{
	put(teller->map->ranges, clear(teller, range->start, range->end), range);
	if (range->committed)
		tell(teller, &range->account, range->start, range->end, 1);
}

/*
 * The part start to end of the range at the cursor becomes what `as` says. The usual part is its beginning,
 * and goes on as the range before it: then no range comes or goes.
 */
static void turn(const struct teller *teller, struct range_cursor cursor, uint64_t start,
		 uint64_t end, const struct page_range *as)
{
	struct page_ranges *ranges = teller->map->ranges;
	struct page_range *at = ranges_get(&ranges->list, &cursor);
	const struct page_range old = *at;
	struct page_range part = *as;

	part.start = start;
	part.end = end;
	if (start == old.start && end < old.end) {
		at->start = end;
		ranges_moved(&ranges->list, &cursor);
		put(ranges, cursor, &part);
	} else {
		cut(ranges, end);
		cursor = cut(ranges, start);
		ranges_remove(&ranges->list, &cursor);
		put(ranges, cursor, &part);
	}
	if (old.committed)
		tell(teller, &old.account, start, end, -1);
	if (part.committed)
		tell(teller, &part.account, start, end, 1);
}

/* All parts from start to end that are kept, and differ from `as` in being committed, become so. */
static void turn_parts(const struct teller *teller, uint64_t start, uint64_t end,
		       const struct page_range *as)
{
	struct page_ranges *ranges = teller->map->ranges;

	while (start < end) {
		struct range_cursor cursor = ranges_find(&ranges->list, start);
		const struct page_range *at = ranges_get(&ranges->list, &cursor);
		uint64_t from, to;

		if (!at || at->start >= end)
			return;
		from = at->start > start ? at->start : start;
		to = at->end < end ? at->end : end;
		if (at->committed != as->committed)
			turn(teller, cursor, from, to, as);
		start = to;
	}
}

static void put_gaps(const struct teller *teller, uint64_t start, uint64_t end,
		     const struct page_range *as)
{
	struct page_ranges *ranges = teller->map->ranges;

	while (start < end) {
		struct range_cursor cursor = ranges_find(&ranges->list, start);
		const struct page_range *at = ranges_get(&ranges->list, &cursor);
		struct page_range gap = *as;
		uint64_t behind = at ? at->end : end;

		gap.start = start;
		gap.end = at && at->start < end ? at->start : end;
		if (gap.start < gap.end) {
			put(ranges, cursor, &gap);
			tell(teller, &gap.account, gap.start, gap.end, 1);
		}
		start = behind;
	}
}

void page_map_reserve(struct page_map *map, uint64_t start, uint64_t length, page_change_fn *change,
		      void *data)
{
	struct teller teller = { map, change, data };
	struct page_range range = { .start = start, .end = end_of(start, length) };

	if (range.start >= range.end)
		return;
	unshare(map);
	set(&teller, &range);
}

void page_map_commit(struct page_map *map, uint64_t start, uint64_t length,
		     const struct page_account *account, page_change_fn *change, void *data)
{
	struct teller teller = { map, change, data };
	struct page_range range = { start, end_of(start, length), *account, true };

	if (range.start >= range.end)
		return;
	unshare(map);
	set(&teller, &range);
}

void page_map_allow(struct page_map *map, uint64_t start, uint64_t length,
		    const struct page_account *account, page_change_fn *change, void *data)
{
	struct teller teller = { map, change, data };
	struct page_range as = { 0, 0, *account, true };

	unshare(map);
	turn_parts(&teller, start, end_of(start, length), &as);
}

void page_map_fill(struct page_map *map, uint64_t start, uint64_t length,
		   const struct page_account *account, page_change_fn *change, void *data)
{
	struct teller teller = { map, change, data };
	struct page_range as = { 0, 0, *account, true };

	unshare(map);
	turn_parts(&teller, start, end_of(start, length), &as);
	put_gaps(&teller, start, end_of(start, length), &as);
}

void page_map_decommit(struct page_map *map, uint64_t start, uint64_t length,
		       page_change_fn *change, void *data)
{
	struct teller teller = { map, change, data };
	struct page_range as = { .committed = false };

	unshare(map);
	turn_parts(&teller, start, end_of(start, length), &as);
}

void page_map_release(struct page_map *map, uint64_t start, uint64_t length, page_change_fn *change,
		      void *data)
{
	struct teller teller = { map, change, data };
	uint64_t end = end_of(start, length);

	if (start >= end)
		return;
	unshare(map);
	clear(&teller, start, end);
}

/* What page_map_move() carries from one place to another. */
struct parts {
	struct page_range *v;
	size_t nr, alloc;
};

/* Take what is from start to end out of the map; nothing is told. */
static void lift(struct page_ranges *ranges, uint64_t start, uint64_t end, struct parts *parts)
{
	struct range_cursor cursor;
	const struct page_range *at;

	if (start >= end)
		return;
	cut(ranges, end);
	cursor = cut(ranges, start);
	while ((at = ranges_get(&ranges->list, &cursor)) && at->start < end) {
		ARRAY_GROW(parts->v, parts->nr + 1, parts->alloc);
		parts->v[parts->nr++] = *at;
		ranges_remove(&ranges->list, &cursor);
	}
}

/* The parts are where they were too: what was committed there is so anew, on `account`. */
static void lay_again(const struct teller *teller, const struct parts *parts,
		      const struct page_account *account)
{
	for (size_t i = 0; i < parts->nr; i++) {
		struct page_range range = parts->v[i];

		if (range.committed)
			range.account = *account;
		set(teller, &range);
	}
}

/* The parts, which were at `from`, come to `to`, where nothing is. */
static void lay(struct page_ranges *ranges, const struct parts *parts, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < parts->nr; i++) {
		struct page_range range = parts->v[i];

		range.start = to + (range.start - from);
		range.end = to + (range.end - from);
		put(ranges, ranges_find(&ranges->list, range.start), &range);
	}
}

/* The range that has the last byte before `end`, from `start` on. */
static bool find_last(const struct page_ranges *ranges, uint64_t start, uint64_t end,
		      struct page_range *last)
{
	struct range_cursor cursor;
	const struct page_range *at;

	if (start >= end)
		return false;
	cursor = ranges_find(&ranges->list, end - 1);
	at = ranges_get(&ranges->list, &cursor);
	if (!at || at->start >= end)
		return false;
	*last = *at;
	return true;
}

void page_map_move(struct page_map *map, uint64_t from, uint64_t from_length, uint64_t to,
		   uint64_t to_length, bool keep, const struct page_account *account,
		   page_change_fn *change, void *data)
{
	struct teller teller = { map, change, data };
	uint64_t from_end = end_of(from, from_length), to_end = end_of(to, to_length);
	uint64_t moved = from_end - from < to_end - to ? from_end - from : to_end - to;
	struct parts parts = { NULL, 0, 0 };
	struct page_range growth;
	bool grows;

	unshare(map);
	grows = to_end - to > moved && find_last(map->ranges, from, from_end, &growth);
	lift(map->ranges, from, from + moved, &parts);
	if (from + moved < from_end)
		clear(&teller, from + moved, from_end);
	if (keep)
		lay_again(&teller, &parts, account);
	if (to < to_end)
		clear(&teller, to, to_end);
	lay(map->ranges, &parts, from, to);
	if (grows) {
		growth.start = to + moved;
		growth.end = to_end;
		if (growth.committed)
			growth.account = *account;
		set(&teller, &growth);
	}
	free(parts.v);
}

void page_map_release_all(struct page_map *map, page_change_fn *change, void *data)
{
	struct teller teller = { map, change, data };
	struct range_cursor cursor = { 0, 0 };
	const struct page_range *at;

	for (; !map->inherited && (at = ranges_get(&map->ranges->list, &cursor));
	     ranges_next(&map->ranges->list, &cursor)) {
		if (at->committed)
			tell(&teller, &at->account, at->start, at->end, -1);
	}
	drop_ranges(map->ranges);
	map->ranges = new_ranges();
	map->inherited = false;
	map->copied = 0;
}

void page_map_each(const struct page_map *map, uint64_t start, uint64_t length, page_part_fn *part,
		   void *data)
{
	const struct ranges *list = &map->ranges->list;
	struct range_cursor cursor = ranges_find(list, start);
	uint64_t end = end_of(start, length);
	const struct page_range *at;

	for (; (at = ranges_get(list, &cursor)) && at->start < end; ranges_next(list, &cursor)) {
		const struct page_account *account = map->inherited ? &parents : &at->account;

		part(data, at->start > start ? at->start : start, at->end < end ? at->end : end,
		     at->committed ? account : NULL);
	}
}

int64_t page_map_committed(const struct page_map *map)
{
	return map->committed;
}

size_t page_map_ranges(const struct page_map *map)
{
	return map->ranges->list.nr;
}

size_t page_map_copied(const struct page_map *map)
{
	return map->copied;
}
