#include "convert/etl_memory.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analysis/page_map.h"
#include "util/array.h"

/* Index in `shifts`, which is the key of a page's account. Address in the file = address of the page - shift. */
#define NOT_SHIFTED 0u

struct part {
	uint64_t start, end;
	uint32_t key;
};

struct parts {
	struct part *v;
	size_t nr, alloc;
};

struct etl_memory {
	struct page_map *pages;
	struct page_map *old_addresses; /* old addresses of moved pages: reserved */
	uint64_t *shifts;
	size_t shifts_nr, shifts_alloc;
	uint64_t elsewhere;
	struct parts commits, moved; /* of the current event */
	struct etl_memory_calls *calls;
};

static struct etl_memory *new_memory(struct page_map *pages)
{
	struct etl_memory *memory = xcalloc(1, sizeof(*memory));

	memory->pages = pages;
	memory->old_addresses = page_map_new();
	memory->elsewhere = ETL_MEMORY_ELSEWHERE;
	ARRAY_GROW(memory->shifts, 1, memory->shifts_alloc);
	memory->shifts[memory->shifts_nr++] = 0;
	return memory;
}

struct etl_memory *etl_memory_new(void)
{
	return new_memory(page_map_new());
}

struct etl_memory *etl_memory_copy(const struct etl_memory *from)
{
	return new_memory(page_map_copy(from->pages));
}

void etl_memory_free(struct etl_memory *memory)
{
	if (!memory)
		return;
	page_map_free(memory->pages);
	page_map_free(memory->old_addresses);
	free(memory->shifts);
	free(memory->commits.v);
	free(memory->moved.v);
	free(memory);
}

size_t etl_memory_copied(const struct etl_memory *memory)
{
	return page_map_copied(memory->pages);
}

size_t etl_memory_ranges(const struct etl_memory *memory)
{
	return page_map_ranges(memory->pages);
}

uint64_t etl_memory_take_steps(struct etl_memory *memory)
{
	return page_map_take_steps(memory->pages) + page_map_take_steps(memory->old_addresses);
}

static void add_part(struct parts *parts, uint64_t start, uint64_t end, uint32_t key)
{
	ARRAY_GROW(parts->v, parts->nr + 1, parts->alloc);
	parts->v[parts->nr++] = (struct part){ start, end, key };
}

static void add_call(struct etl_memory *memory, enum etl_memory_what what, uint64_t start,
		     uint64_t end)
{
	struct etl_memory_calls *calls = memory->calls;

	ARRAY_GROW(calls->v, calls->nr + 1, calls->alloc);
	calls->v[calls->nr++] = (struct etl_memory_call){ what, start, end };
}

/* Frees become calls at once; commits are collected, as their addresses are known only after all frees. */
static void convert_change(void *data, const struct page_account *account, uint64_t start,
			   int64_t bytes)
{
	struct etl_memory *memory = data;
	uint64_t shift = memory->shifts[account->key];

	if (bytes > 0)
		add_part(&memory->commits, start, start + (uint64_t)bytes, NOT_SHIFTED);
	else
		add_call(memory, ETL_MEMORY_FREE, start - shift, start - shift + (uint64_t)-bytes);
}

static void ignore_change(void *data, const struct page_account *account, uint64_t start,
			  int64_t bytes)
{
	(void)data;
	(void)account;
	(void)start;
	(void)bytes;
}

static void shift_pages(struct etl_memory *memory, uint64_t start, uint64_t end, uint64_t shift)
{
	struct page_account account = { .key = NOT_SHIFTED };

	if (shift && memory->shifts[memory->shifts_nr - 1] != shift) {
		ARRAY_GROW(memory->shifts, memory->shifts_nr + 1, memory->shifts_alloc);
		memory->shifts[memory->shifts_nr++] = shift;
	}
	if (shift)
		account.key = (uint32_t)(memory->shifts_nr - 1);
	page_map_commit(memory->pages, start, end - start, &account, ignore_change, NULL);
}

static void see_part(void *data, uint64_t start, uint64_t end, const struct page_account *account)
{
	(void)start;
	(void)end;
	(void)account;
	*(bool *)data = true;
}

/* Does the range contain old addresses of moved pages? */
static bool was_moved_from(const struct etl_memory *memory, uint64_t start, uint64_t end)
{
	bool found = false;

	page_map_each(memory->old_addresses, start, end - start, see_part, &found);
	return found;
}

static void count_own(void *data, uint64_t start, uint64_t end, const struct page_account *account)
{
	if (account && !account->inherited && account->key == NOT_SHIFTED)
		*(uint64_t *)data += end - start;
}

/* Is the whole range committed? Then a commit that also covers it changes nothing there. */
static bool is_committed(const struct etl_memory *memory, uint64_t start, uint64_t end)
{
	uint64_t own = 0;

	if (start < end)
		page_map_each(memory->pages, start, end - start, count_own, &own);
	return start <= end && own == end - start;
}

static void add_commit(struct etl_memory *memory, const struct part *part)
{
	struct etl_memory_calls *calls = memory->calls;
	struct etl_memory_call *last = calls->nr ? &calls->v[calls->nr - 1] : NULL;

	if (was_moved_from(memory, part->start, part->end)) {
		uint64_t at = memory->elsewhere;

		memory->elsewhere += part->end - part->start;
		shift_pages(memory, part->start, part->end, part->start - at);
		add_call(memory, ETL_MEMORY_COMMIT, at, memory->elsewhere);
	} else if (last && last->what == ETL_MEMORY_COMMIT &&
		   is_committed(memory, last->end, part->start)) {
		last->end = part->end;
	} else {
		add_call(memory, ETL_MEMORY_COMMIT, part->start, part->end);
	}
}

static void add_moved(void *data, uint64_t start, uint64_t end, const struct page_account *account)
{
	struct etl_memory *memory = data;

	if (account && !account->inherited)
		add_part(&memory->moved, start, end, account->key);
}

static void move(struct etl_memory *memory, const struct trace_memory *event,
		 const struct page_account *account)
{
	uint64_t length = event->length < event->to_length ? event->length : event->to_length;
	uint64_t way = event->to - event->address;

	memory->moved.nr = 0;
	if (way)
		page_map_each(memory->pages, event->address, length, add_moved, memory);
	page_map_apply(memory->pages, event, account, convert_change, memory);
	for (size_t i = 0; i < memory->moved.nr; i++) {
		const struct part *part = &memory->moved.v[i];

		if (part->key == NOT_SHIFTED)
			page_map_reserve(memory->old_addresses, part->start,
					 part->end - part->start, ignore_change, NULL);
		shift_pages(memory, part->start + way, part->end + way,
			    memory->shifts[part->key] + way);
	}
}

static void change_pages(struct etl_memory *memory, const struct trace_memory *event)
{
	static const struct page_account account = { .key = NOT_SHIFTED };
	uint64_t start = event->address, end = start + event->length;

	if (event->op == MEMORY_MOVE) {
		move(memory, event, &account);
		return;
	}
	page_map_apply(memory->pages, event, &account, convert_change, memory);
	if (event->op == MEMORY_RESERVE && !was_moved_from(memory, start, end))
		add_call(memory, ETL_MEMORY_RESERVE, start, end);
}

static int by_start(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

static void begin(struct etl_memory *memory, struct etl_memory_calls *calls)
{
	calls->nr = 0;
	memory->calls = calls;
	memory->commits.nr = 0;
}

void etl_memory_apply(struct etl_memory *memory, const struct trace_memory *event,
		      struct etl_memory_calls *calls)
{
	begin(memory, calls);
	change_pages(memory, event);
	if (memory->commits.nr > 1)
		qsort(memory->commits.v, memory->commits.nr, sizeof(*memory->commits.v), by_start);
	for (size_t i = 0; i < memory->commits.nr; i++)
		add_commit(memory, &memory->commits.v[i]);
}

void etl_memory_clear(struct etl_memory *memory, struct etl_memory_calls *calls)
{
	begin(memory, calls);
	page_map_release_all(memory->pages, convert_change, memory);
	page_map_release_all(memory->old_addresses, ignore_change, NULL);
	memory->shifts_nr = 1;
	memory->elsewhere = ETL_MEMORY_ELSEWHERE;
}
