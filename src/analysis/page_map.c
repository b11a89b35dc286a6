#include "analysis/page_map.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/ranges.h"

struct page_range {
	uint64_t start, end; /* end: after the last byte */
	struct page_account account;
	bool committed; /* false: reserved, the account is zero */
};

struct page_ranges {
	struct ranges list;
	unsigned refs;
};

struct page_map {
	struct page_ranges *ranges; /* shared with other maps until one of them changes it */
	bool inherited;             /* all that is committed in the shared ranges is inherited */
	size_t copied;
	uint64_t steps; /* see page_map_take_steps() */
};

/* A change of the map, and what to call for each part that changes. */
struct change {
	struct page_map *map;
	page_change_fn *call;
	void *data;
};

/* See ranges_skip(). */
enum { RANGE_COMMITTED = RANGES_GAP << 1, RANGE_RESERVED = RANGES_GAP << 2 };

static const struct page_account parents = { .inherited = true };

static unsigned bits_of(const void *range)
{
	const struct page_range *pages = range;

	return pages->committed ? RANGE_COMMITTED : RANGE_RESERVED;
}

static struct page_ranges *new_ranges(void)
{
	struct page_ranges *ranges = xcalloc(1, sizeof(*ranges));

	ranges_init(&ranges->list, sizeof(struct page_range), bits_of);
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
	return a->key == b->key && a->weight == b->weight && a->life == b->life &&
	       a->rest == b->rest && a->inside == b->inside && a->inherited == b->inherited;
}

/* Whether b directly follows a and is equal to it otherwise. */
static bool joins(const struct page_range *a, const struct page_range *b)
{
	return a->end == b->start && a->committed == b->committed &&
	       same_account(&a->account, &b->account);
}

/* Insert a range before the cursor, merged with equal neighbours. The cursor is invalid then. */
static void put(struct page_ranges *ranges, struct range_cursor cursor,
		const struct page_range *range)
{
	struct range_cursor before = cursor;
	struct page_range *next = ranges_get(&ranges->list, &cursor), *previous;

	previous =
		ranges_previous(&ranges->list, &before) ? ranges_get(&ranges->list, &before) : NULL;
	if (previous && joins(previous, range)) {
		previous->end = range->end;
		ranges_moved(&ranges->list, &before);
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

/* Give the map its own ranges, a copy of the shared ones. */
static void copy_ranges(struct page_map *map)
{
	struct page_ranges *from = map->ranges, *own = new_ranges();
	struct range_cursor cursor = { 0, 0 };
	const struct page_range *at;

	map->steps += from->list.nr;
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

/* Mostly they are its own. */
static inline void unshare(struct page_map *map)
{
	if (map->ranges->refs != 1 || map->inherited)
		copy_ranges(map);
}

/* The end of a range from `start` on. */
static uint64_t end_of(uint64_t start, uint64_t length)
{
	if (start >= PAGE_MAP_END)
		return start;
	return length < PAGE_MAP_END - start ? start + length : PAGE_MAP_END;
}

static void report_change(const struct change *change, const struct page_account *account,
			  uint64_t start, uint64_t end, int sign)
{
	int64_t bytes = sign * (int64_t)(end - start);

	if (account->inherited)
		return;
	change->call(change->data, account, start, bytes);
}

/* Split a range that contains `address`. Returns the first range at or after it. */
static struct range_cursor split(struct page_ranges *ranges, uint64_t address)
{
	struct range_cursor cursor = ranges_find(&ranges->list, address);
	struct page_range *range = ranges_get(&ranges->list, &cursor), second;

	if (!range || range->start >= address)
		return cursor;
	second = *range;
	second.start = address;
	range->end = address;
	ranges_moved(&ranges->list, &cursor);
	ranges_next(&ranges->list, &cursor);
	ranges_insert(&ranges->list, &cursor, &second);
	return cursor;
}

/* Release everything from start to end. Returns a cursor to that position. */
static struct range_cursor clear(const struct change *change, uint64_t start, uint64_t end)
{
	struct page_ranges *ranges = change->map->ranges;
	struct range_cursor cursor = split(ranges, start);
	struct page_range *range;

	while ((range = ranges_get(&ranges->list, &cursor)) && range->start < end) {
		struct page_range gone = *range;

		if (gone.end > end) {
			gone.end = range->start = end;
			ranges_moved(&ranges->list, &cursor);
		} else {
			ranges_remove(&ranges->list, &cursor);
		}
		change->map->steps++;
		if (gone.committed)
			report_change(change, &gone.account, gone.start, gone.end, -1);
	}
	return cursor;
}

static void set(const struct change *change, const struct page_range *range)
{
	put(change->map->ranges, clear(change, range->start, range->end), range);
	if (range->committed)
		report_change(change, &range->account, range->start, range->end, 1);
}

/*
 * Change a part of the range at the cursor, start to end, to the state `as`. Mostly it is the beginning of the range
 * and then equals the range before it: no range is inserted or removed.
 */
static void change_part(const struct change *change, struct range_cursor cursor, uint64_t start,
			uint64_t end, const struct page_range *as)
{
	struct page_ranges *ranges = change->map->ranges;
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
		split(ranges, end);
		cursor = split(ranges, start);
		ranges_remove(&ranges->list, &cursor);
		put(ranges, cursor, &part);
	}
	if (old.committed)
		report_change(change, &old.account, start, end, -1);
	if (part.committed)
		report_change(change, &part.account, start, end, 1);
}

/*
 * Give ranges from start to end the state `as`: if that is committed, the reserved ones; if it is reserved, the
 * committed ones.
 */
static void change_parts(const struct change *change, uint64_t start, uint64_t end,
			 const struct page_range *as)
{
	struct page_ranges *ranges = change->map->ranges;

	while (start < end) {
		struct range_cursor cursor = ranges_find(&ranges->list, start);
		const struct page_range *at;
		uint64_t from, to;

		change->map->steps +=
			1 + ranges_skip(&ranges->list, &cursor,
					as->committed ? RANGE_RESERVED : RANGE_COMMITTED, end);
		at = ranges_get(&ranges->list, &cursor);
		if (!at || at->start >= end)
			return;
		from = at->start > start ? at->start : start;
		to = at->end < end ? at->end : end;
		if (at->committed != as->committed)
			change_part(change, cursor, from, to, as);
		start = to;
	}
}

/* The end of the ranges that follow the one at the cursor without a gap, or an earlier one. */
static uint64_t end_of_row(struct page_map *map, struct range_cursor cursor, uint64_t end)
{
	const struct page_ranges *ranges = map->ranges;
	struct range_cursor at = cursor;

	map->steps += 1 + ranges_skip(&ranges->list, &at, RANGES_GAP, end);
	if (at.chunk != cursor.chunk) {
		cursor = at;
		ranges_previous(&ranges->list, &cursor);
	}
	return ((const struct page_range *)ranges_get(&ranges->list, &cursor))->end;
}

static void put_gaps(const struct change *change, uint64_t start, uint64_t end,
		     const struct page_range *as)
{
	struct page_ranges *ranges = change->map->ranges;

	while (start < end) {
		struct range_cursor cursor = ranges_find(&ranges->list, start);
		const struct page_range *at = ranges_get(&ranges->list, &cursor);
		struct page_range gap = *as;

		if (at && at->start <= start) {
			start = end_of_row(change->map, cursor, end);
			continue;
		}
		gap.start = start;
		gap.end = at && at->start < end ? at->start : end;
		put(ranges, cursor, &gap);
		report_change(change, &gap.account, gap.start, gap.end, 1);
		start = gap.end;
	}
}

/* Commit all from start to end, if nothing is there, as mostly: it takes one search. */
static bool put_alone(const struct change *change, uint64_t start, uint64_t end,
		      const struct page_range *as)
{
	struct page_ranges *ranges = change->map->ranges;
	struct range_cursor cursor = ranges_find(&ranges->list, start);
	const struct page_range *at = ranges_get(&ranges->list, &cursor);
	struct page_range range = *as;

	if (start >= end || (at && at->start < end))
		return false;
	change->map->steps++;
	range.start = start;
	range.end = end;
	put(ranges, cursor, &range);
	report_change(change, &range.account, start, end, 1);
	return true;
}

void page_map_reserve(struct page_map *map, uint64_t start, uint64_t length, page_change_fn *change,
		      void *data)
{
	struct change request = { map, change, data };
	struct page_range range = { .start = start, .end = end_of(start, length) };

	if (range.start >= range.end)
		return;
	unshare(map);
	set(&request, &range);
}

void page_map_commit(struct page_map *map, uint64_t start, uint64_t length,
		     const struct page_account *account, page_change_fn *change, void *data)
{
	struct change request = { map, change, data };
	struct page_range range = { start, end_of(start, length), *account, true };

	if (range.start >= range.end)
		return;
	unshare(map);
	set(&request, &range);
}

void page_map_commit_reserved(struct page_map *map, uint64_t start, uint64_t length,
			      const struct page_account *account, page_change_fn *change,
			      void *data)
{
	struct change request = { map, change, data };
	struct page_range as = { 0, 0, *account, true };

	unshare(map);
	change_parts(&request, start, end_of(start, length), &as);
}

void page_map_commit_uncommitted(struct page_map *map, uint64_t start, uint64_t length,
				 const struct page_account *account, page_change_fn *change,
				 void *data)
{
	struct change request = { map, change, data };
	struct page_range as = { 0, 0, *account, true };

	unshare(map);
	if (put_alone(&request, start, end_of(start, length), &as))
		return;
	change_parts(&request, start, end_of(start, length), &as);
	put_gaps(&request, start, end_of(start, length), &as);
}

void page_map_decommit(struct page_map *map, uint64_t start, uint64_t length,
		       page_change_fn *change, void *data)
{
	struct change request = { map, change, data };
	struct page_range as = { .committed = false };

	unshare(map);
	change_parts(&request, start, end_of(start, length), &as);
}

void page_map_release(struct page_map *map, uint64_t start, uint64_t length, page_change_fn *change,
		      void *data)
{
	struct change request = { map, change, data };
	uint64_t end = end_of(start, length);

	if (start >= end)
		return;
	unshare(map);
	clear(&request, start, end);
}

/* The ranges that page_map_move() moves. */
struct parts {
	struct page_range *v;
	size_t nr, alloc;
};

/* Remove the ranges from start to end from the map, without calling the change function. */
static void take_out(struct page_map *map, uint64_t start, uint64_t end, struct parts *parts)
{
	struct page_ranges *ranges = map->ranges;
	struct range_cursor cursor;
	const struct page_range *at;

	if (start >= end)
		return;
	split(ranges, end);
	cursor = split(ranges, start);
	while ((at = ranges_get(&ranges->list, &cursor)) && at->start < end) {
		ARRAY_GROW(parts->v, parts->nr + 1, parts->alloc);
		parts->v[parts->nr++] = *at;
		ranges_remove(&ranges->list, &cursor);
	}
	map->steps += parts->nr;
}

/* Insert the parts at their old position again; committed bytes are counted for `account`. */
static void commit_again(const struct change *change, const struct parts *parts,
			 const struct page_account *account)
{
	change->map->steps += parts->nr;
	for (size_t i = 0; i < parts->nr; i++) {
		struct page_range range = parts->v[i];

		if (range.committed)
			range.account = *account;
		set(change, &range);
	}
}

/* Insert the parts, which were at `from`, at `to`, where the map is empty. */
static void put_moved(struct page_map *map, const struct parts *parts, uint64_t from, uint64_t to)
{
	struct page_ranges *ranges = map->ranges;

	map->steps += parts->nr;
	for (size_t i = 0; i < parts->nr; i++) {
		struct page_range range = parts->v[i];

		range.start = to + (range.start - from);
		range.end = to + (range.end - from);
		put(ranges, ranges_find(&ranges->list, range.start), &range);
	}
}

/* The range with the last byte before `end`, not before `start`. */
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
	struct change request = { map, change, data };
	uint64_t from_end = end_of(from, from_length), to_end = end_of(to, to_length);
	uint64_t moved = from_end - from < to_end - to ? from_end - from : to_end - to;
	struct parts parts = { NULL, 0, 0 };
	struct page_range growth;
	bool grows;

	unshare(map);
	grows = to_end - to > moved && find_last(map->ranges, from, from_end, &growth);
	take_out(map, from, from + moved, &parts);
	if (from + moved < from_end)
		clear(&request, from + moved, from_end);
	if (keep)
		commit_again(&request, &parts, account);
	if (to < to_end)
		clear(&request, to, to_end);
	put_moved(map, &parts, from, to);
	if (grows) {
		growth.start = to + moved;
		growth.end = to_end;
		if (growth.committed)
			growth.account = *account;
		set(&request, &growth);
	}
	free(parts.v);
}

void page_map_apply(struct page_map *map, const struct trace_memory *event,
		    const struct page_account *account, page_change_fn *change, void *data)
{
	uint64_t start = event->address, length = event->length;

	switch (event->op) {
	case MEMORY_RESERVE:
		page_map_reserve(map, start, length, change, data);
		break;
	case MEMORY_COMMIT:
		page_map_commit(map, start, length, account, change, data);
		break;
	case MEMORY_COMMIT_RESERVED:
		page_map_commit_reserved(map, start, length, account, change, data);
		break;
	case MEMORY_COMMIT_UNCOMMITTED:
		page_map_commit_uncommitted(map, start, length, account, change, data);
		break;
	case MEMORY_DECOMMIT:
		page_map_decommit(map, start, length, change, data);
		break;
	case MEMORY_UNCOUNTED:
	case MEMORY_RELEASE:
		page_map_release(map, start, length, change, data);
		break;
	case MEMORY_MOVE:
		page_map_move(map, start, length, event->to, event->to_length, event->keep, account,
			      change, data);
		break;
	case MEMORY_PURGE:
		break;
	}
}

void page_map_release_all(struct page_map *map, page_change_fn *change, void *data)
{
	struct change request = { map, change, data };
	struct range_cursor cursor = { 0, 0 };
	const struct page_range *at;

	for (; !map->inherited && (at = ranges_get(&map->ranges->list, &cursor));
	     ranges_next(&map->ranges->list, &cursor)) {
		map->steps++;
		if (at->committed)
			report_change(&request, &at->account, at->start, at->end, -1);
	}
	drop_ranges(map->ranges);
	map->ranges = new_ranges();
	map->inherited = false;
	map->copied = 0;
}

void page_map_each(struct page_map *map, uint64_t start, uint64_t length, page_part_fn *part,
		   void *data)
{
	const struct ranges *list = &map->ranges->list;
	struct range_cursor cursor = ranges_find(list, start);
	uint64_t end = end_of(start, length);
	const struct page_range *at;

	for (; (at = ranges_get(list, &cursor)) && at->start < end; ranges_next(list, &cursor)) {
		const struct page_account *account = map->inherited ? &parents : &at->account;

		map->steps++;
		part(data, at->start > start ? at->start : start, at->end < end ? at->end : end,
		     at->committed ? account : NULL);
	}
}

int64_t page_map_committed_in(struct page_map *map, uint64_t start, uint64_t length)
{
	const struct ranges *list = &map->ranges->list;
	struct range_cursor cursor = ranges_find(list, start);
	uint64_t end = end_of(start, length);
	const struct page_range *at;
	int64_t bytes = 0;

	for (; !map->inherited && (at = ranges_get(list, &cursor)) && at->start < end;
	     ranges_next(list, &cursor)) {
		map->steps++;
		if (at->committed && !at->account.inherited)
			bytes += (int64_t)((at->end < end ? at->end : end) -
					   (at->start > start ? at->start : start));
	}
	return bytes;
}

size_t page_map_ranges(const struct page_map *map)
{
	return map->ranges->list.nr;
}

size_t page_map_copied(const struct page_map *map)
{
	return map->copied;
}

uint64_t page_map_take_steps(struct page_map *map)
{
	uint64_t steps = map->steps;

	map->steps = 0;
	return steps;
}
