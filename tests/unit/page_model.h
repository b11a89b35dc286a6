/*
 * A model of the private memory of a process, page by page: slow, and too simple to be wrong. page_map is compared with
 * it.
 */
#ifndef TESTS_UNIT_PAGE_MODEL_H
#define TESTS_UNIT_PAGE_MODEL_H

#include <stdint.h>
#include <string.h>

#include "analysis/page_map.h"
#include "util/alloc.h"

#define MODEL_PAGE  UINT64_C(4096)
#define MODEL_PAGES 600u

enum model_state { MODEL_NONE, MODEL_RESERVED, MODEL_COMMITTED };

struct model_page {
	enum model_state state;
	struct page_account account;
};

enum model_op {
	MODEL_RESERVE,
	MODEL_COMMIT,
	MODEL_COMMIT_RESERVED,
	MODEL_COMMIT_UNCOMMITTED,
	MODEL_DECOMMIT,
	MODEL_RELEASE,
	MODEL_MOVE,
	MODEL_OPS
};

/* The operation of a trace that has the same effect. */
static inline enum memory_op model_memory_op(enum model_op op)
{
	static const enum memory_op ops[] = {
		[MODEL_RESERVE] = MEMORY_RESERVE,
		[MODEL_COMMIT] = MEMORY_COMMIT,
		[MODEL_COMMIT_RESERVED] = MEMORY_COMMIT_RESERVED,
		[MODEL_COMMIT_UNCOMMITTED] = MEMORY_COMMIT_UNCOMMITTED,
		[MODEL_DECOMMIT] = MEMORY_DECOMMIT,
		[MODEL_RELEASE] = MEMORY_RELEASE,
		[MODEL_MOVE] = MEMORY_MOVE,
	};

	return ops[op];
}

struct model_call {
	enum model_op op;
	unsigned start, length, to, to_length; /* pages */
	bool keep;
	struct page_account account;
};

struct model_map {
	struct model_page v[MODEL_PAGES];
};

/* xorshift64*: the same numbers on every system. */
static inline uint64_t model_random(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(2685821657736338717) >> 16;
}

static inline struct model_call model_random_call(uint64_t *seed, unsigned longest)
{
	struct model_call call = { .op = (enum model_op)(model_random(seed) % MODEL_OPS) };

	call.start = (unsigned)(model_random(seed) % (MODEL_PAGES / 2));
	call.length = (unsigned)(model_random(seed) % longest);
	call.to = (unsigned)(model_random(seed) % (MODEL_PAGES / 2));
	call.to_length = (unsigned)(model_random(seed) % longest);
	if (model_random(seed) % 4 == 0)
		call.to = call.start;
	call.keep = model_random(seed) % 4 == 0;
	call.account.key = (uint32_t)(model_random(seed) % 3);
	call.account.weight = 1;
	return call;
}

static inline void model_page_set(struct model_map *map, unsigned i, enum model_state state,
				  const struct page_account *account, page_change_fn *change,
				  void *data)
{
	struct model_page *page = &map->v[i];

	if (page->state == MODEL_COMMITTED && !page->account.inherited)
		change(data, &page->account, i * MODEL_PAGE, -(int64_t)MODEL_PAGE);
	memset(page, 0, sizeof(*page));
	page->state = state;
	if (state != MODEL_COMMITTED)
		return;
	page->account = *account;
	change(data, account, i * MODEL_PAGE, (int64_t)MODEL_PAGE);
}

static inline void model_move(struct model_map *map, const struct model_call *call,
			      page_change_fn *change, void *data)
{
	struct model_page *old = xcalloc(MODEL_PAGES, sizeof(*old)), last = { 0 };

	memcpy(old, &map->v[call->start], call->length * sizeof(*old));
	if (call->length)
		last = old[call->length - 1];
	for (unsigned i = 0; i < call->length; i++) {
		struct model_page *page = &map->v[call->start + i];

		if (i >= call->to_length)
			model_page_set(map, call->start + i, MODEL_NONE, NULL, change, data);
		memset(page, 0, sizeof(*page));
		if (call->keep && i < call->to_length)
			model_page_set(map, call->start + i, old[i].state, &call->account, change,
				       data);
	}
	for (unsigned i = 0; i < call->to_length; i++) {
		struct model_page *page = &map->v[call->to + i];

		model_page_set(map, call->to + i, MODEL_NONE, NULL, change, data);
		if (i < call->length)
			*page = old[i];
		else
			model_page_set(map, call->to + i, last.state, &call->account, change, data);
	}
	free(old);
}

static inline void model_apply(struct model_map *map, const struct model_call *call,
			       page_change_fn *change, void *data)
{
	static const enum model_state becomes[][3] = {
		[MODEL_RESERVE] = { MODEL_RESERVED, MODEL_RESERVED, MODEL_RESERVED },
		[MODEL_COMMIT] = { MODEL_COMMITTED, MODEL_COMMITTED, MODEL_COMMITTED },
		[MODEL_COMMIT_RESERVED] = { MODEL_NONE, MODEL_COMMITTED, MODEL_COMMITTED },
		[MODEL_COMMIT_UNCOMMITTED] = { MODEL_COMMITTED, MODEL_COMMITTED, MODEL_COMMITTED },
		[MODEL_DECOMMIT] = { MODEL_NONE, MODEL_RESERVED, MODEL_RESERVED },
		[MODEL_RELEASE] = { MODEL_NONE, MODEL_NONE, MODEL_NONE },
	};

	if (call->op == MODEL_MOVE) {
		model_move(map, call, change, data);
		return;
	}
	for (unsigned i = call->start; i < call->start + call->length; i++) {
		enum model_state state = becomes[call->op][map->v[i].state];
		bool again = call->op == MODEL_COMMIT;

		if (state != map->v[i].state || again)
			model_page_set(map, i, state, &call->account, change, data);
	}
}

static inline void model_fork(struct model_map *map, const struct model_map *from)
{
	*map = *from;
	for (unsigned i = 0; i < MODEL_PAGES; i++) {
		if (map->v[i].state == MODEL_COMMITTED) {
			memset(&map->v[i].account, 0, sizeof(map->v[i].account));
			map->v[i].account.inherited = true;
		}
	}
}

static inline void model_release_all(struct model_map *map, page_change_fn *change, void *data)
{
	for (unsigned i = 0; i < MODEL_PAGES; i++)
		model_page_set(map, i, MODEL_NONE, NULL, change, data);
}

/* The smallest number of ranges that describe the model. */
static inline size_t model_ranges(const struct model_map *map)
{
	size_t nr = 0;

	for (unsigned i = 0; i < MODEL_PAGES; i++) {
		const struct model_page *at = &map->v[i], *before = i ? at - 1 : NULL;

		if (at->state != MODEL_NONE && (!before || before->state != at->state ||
						before->account.key != at->account.key ||
						before->account.inside != at->account.inside ||
						before->account.inherited != at->account.inherited))
			nr++;
	}
	return nr;
}

/* Apply the same call to the page_map. */
static inline void model_call_map(struct page_map *map, const struct model_call *call,
				  page_change_fn *change, void *data)
{
	uint64_t start = call->start * MODEL_PAGE, length = call->length * MODEL_PAGE;

	switch (call->op) {
	case MODEL_RESERVE:
		page_map_reserve(map, start, length, change, data);
		break;
	case MODEL_COMMIT:
		page_map_commit(map, start, length, &call->account, change, data);
		break;
	case MODEL_COMMIT_RESERVED:
		page_map_commit_reserved(map, start, length, &call->account, change, data);
		break;
	case MODEL_COMMIT_UNCOMMITTED:
		page_map_commit_uncommitted(map, start, length, &call->account, change, data);
		break;
	case MODEL_DECOMMIT:
		page_map_decommit(map, start, length, change, data);
		break;
	case MODEL_RELEASE:
		page_map_release(map, start, length, change, data);
		break;
	default:
		page_map_move(map, start, length, call->to * MODEL_PAGE,
			      call->to_length * MODEL_PAGE, call->keep, &call->account, change,
			      data);
		break;
	}
}

#endif
