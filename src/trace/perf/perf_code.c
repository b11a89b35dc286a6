#include "trace/perf/perf_code.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/ranges.h"

/* What is known of a block of addresses: most are in libraries, and need no search. */
#define BLOCK_SHIFT   16
#define BLOCKS_CACHED 4096 /* those that a build uses at one time are fewer */
enum block_code { BLOCK_NONE, BLOCK_PART, BLOCK_ALL, BLOCK_BITS = 2 };

struct span {
	/* `end` is exclusive, and after the return address of a call at the end. */
	uint64_t start, end;
};

struct perf_code {
	struct ranges spans; /* disjoint */
	/* By the block's lowest bits: its number plus one, and an enum block_code; 0: none. */
	uint64_t cached[BLOCKS_CACHED];
	bool has_cached;
};

struct perf_code *perf_code_new(void)
{
	struct perf_code *code = xcalloc(1, sizeof(*code));

	ranges_init(&code->spans, sizeof(struct span), NULL);
	return code;
}

void perf_code_free(struct perf_code *code)
{
	if (!code)
		return;
	ranges_release(&code->spans);
	free(code);
}

void perf_code_see(struct perf_code *code, const struct trace_event *event)
{
	const struct trace_map *map = &event->map;
	struct range_cursor cursor;
	struct span span, *other;

	if (event->kind != TRACE_MAP || map->kernel || !map->code || !map->length)
		return;
	span.start = map->address;
	span.end = map->length < UINT64_MAX - map->address ? map->address + map->length + 1
							   : UINT64_MAX;
	cursor = ranges_find(&code->spans, span.start);
	while ((other = ranges_get(&code->spans, &cursor)) && other->start <= span.end) {
		span.start = other->start < span.start ? other->start : span.start;
		span.end = other->end > span.end ? other->end : span.end;
		ranges_remove(&code->spans, &cursor);
	}
	ranges_insert(&code->spans, &cursor, &span);
	if (code->has_cached)
		memset(code->cached, 0, sizeof(code->cached));
	code->has_cached = false;
}

static enum block_code find_block(const struct perf_code *code, uint64_t block)
{
	uint64_t first = block << BLOCK_SHIFT;
	struct range_cursor cursor = ranges_find(&code->spans, first);
	const struct span *span = ranges_get(&code->spans, &cursor);

	if (!span || span->start >> BLOCK_SHIFT > block)
		return BLOCK_NONE;
	return span->start <= first && span->end - first > (1 << BLOCK_SHIFT) - 1 ? BLOCK_ALL
										  : BLOCK_PART;
}

bool perf_code_has(struct perf_code *code, uint64_t address)
{
	uint64_t block = address >> BLOCK_SHIFT;
	uint64_t *cached = &code->cached[block % BLOCKS_CACHED];
	struct range_cursor cursor;
	const struct span *span;

	if (*cached >> BLOCK_BITS != block + 1) {
		*cached = (block + 1) << BLOCK_BITS | find_block(code, block);
		code->has_cached = true;
	}
	if ((*cached & BLOCK_PART) == 0)
		return *cached & BLOCK_ALL;
	cursor = ranges_find(&code->spans, address);
	span = ranges_get(&code->spans, &cursor);
	return span && span->start <= address;
}

uint64_t perf_code_free_address(const struct perf_code *code)
{
	struct range_cursor cursor = ranges_find(&code->spans, 0);
	const struct span *span;
	uint64_t address = 1;

	while ((span = ranges_get(&code->spans, &cursor)) && span->start <= address) {
		address = span->end > address ? span->end : address;
		ranges_next(&code->spans, &cursor);
	}
	return address;
}
