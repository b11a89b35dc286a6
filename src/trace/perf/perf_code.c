#include "trace/perf/perf_code.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/ranges.h"

#define BLOCK_SHIFT 16
#define KNOWN       4096 /* blocks; those that a build uses at one time are fewer */

struct span {
	/* `end` is exclusive, and after the return address of a call at the end. */
	uint64_t start, end;
};

struct perf_code {
	struct ranges spans; /* disjoint */
	/* By the block's lowest bits: its number plus one, and whether it has code; 0: none. */
	uint64_t known[KNOWN];
	bool looked_up; /* `known` is not empty */
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
	if (code->looked_up)
		memset(code->known, 0, sizeof(code->known));
	code->looked_up = false;
}

static bool has_code(const struct perf_code *code, uint64_t block)
{
	uint64_t first = block << BLOCK_SHIFT;
	struct range_cursor cursor = ranges_find(&code->spans, first);
	const struct span *span = ranges_get(&code->spans, &cursor);

	return span && span->start >> BLOCK_SHIFT <= block;
}

bool perf_code_is_near(struct perf_code *code, uint64_t address)
{
	uint64_t block = address >> BLOCK_SHIFT;
	uint64_t *known = &code->known[block % KNOWN];

	if (*known >> 1 != block + 1) {
		*known = (block + 1) << 1 | has_code(code, block);
		code->looked_up = true;
	}
	return *known & 1;
}

uint64_t perf_code_none(const struct perf_code *code)
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
