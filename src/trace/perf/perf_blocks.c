#include "trace/perf/perf_blocks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"

void perf_blocks_init(struct perf_blocks *blocks, const struct trace_input *input, unsigned shift,
		      size_t limit)
{
	*blocks = (struct perf_blocks){ .input = input, .shift = shift, .limit = limit };
}

void perf_blocks_release(struct perf_blocks *blocks)
{
	for (size_t i = 0; i < blocks->nr; i++)
		free(blocks->v[blocks->start + i].data);
	for (size_t i = 0; i < blocks->spare_nr; i++)
		free(blocks->spare[i]);
	scratch_file_close(blocks->scratch);
	free(blocks->slots);
	free(blocks->v);
	free(blocks->spare);
	*blocks = (struct perf_blocks){ .input = NULL };
}

static size_t size_of(const struct perf_blocks *blocks)
{
	return (size_t)1 << blocks->shift;
}

/* Free the bytes of a block. */
static void empty(struct perf_blocks *blocks, struct perf_block *block)
{
	if (!block->data)
		return;
	if (block->data == blocks->last)
		blocks->last_nr = 0;
	ARRAY_ADD(blocks->spare, blocks->spare_nr, blocks->spare_alloc, block->data);
	block->data = NULL;
	blocks->resident--;
}

static void give_back_slot(struct perf_blocks *blocks, struct perf_block *block)
{
	if (!block->slot)
		return;
	ARRAY_ADD(blocks->slots, blocks->slots_nr, blocks->slots_alloc, block->slot);
	block->slot = 0;
}

static bool is_dead(const struct perf_blocks *blocks, size_t i)
{
	const struct perf_block *block = &blocks->v[blocks->start + i];

	return !block->held && !block->pins &&
	       (blocks->first + i + 1) << blocks->shift <= blocks->passed;
}

/* Free the bytes of a block that is no longer needed, and start the window at the first block that is. */
static void bury(struct perf_blocks *blocks, uint64_t number)
{
	struct perf_block *block = &blocks->v[blocks->start + (number - blocks->first)];

	if (!is_dead(blocks, (size_t)(number - blocks->first)))
		return;
	empty(blocks, block);
	give_back_slot(blocks, block);
	while (blocks->nr && is_dead(blocks, 0)) {
		block = &blocks->v[blocks->start];
		empty(blocks, block);
		give_back_slot(blocks, block);
		blocks->start++;
		blocks->first++;
		blocks->nr--;
	}
}

/* Extend the window to block `number`. */
static void reach(struct perf_blocks *blocks, uint64_t number)
{
	if (!blocks->nr) {
		blocks->first = number;
		blocks->start = 0;
	}
	while (number >= blocks->first + blocks->nr) {
		if (blocks->start > blocks->nr && blocks->start > 64) {
			memmove(blocks->v, blocks->v + blocks->start,
				blocks->nr * sizeof(*blocks->v));
			blocks->start = 0;
		}
		ARRAY_GROW(blocks->v, blocks->start + blocks->nr + 1, blocks->alloc);
		blocks->v[blocks->start + blocks->nr++] =
			(struct perf_block){ NULL, 0, 0, 0, 0, 0, 0 };
	}
}

struct perf_block *perf_blocks_of(struct perf_blocks *blocks, uint64_t offset)
{
	uint64_t number = offset >> blocks->shift;

	/* New blocks are always after the window. */
	if (!blocks->nr || number >= blocks->first + blocks->nr)
		reach(blocks, number);
	assert(number >= blocks->first);
	return &blocks->v[blocks->start + (number - blocks->first)];
}

static int write_to_scratch(struct perf_blocks *blocks, struct perf_block *block, struct err *err)
{
	if (!blocks->scratch && scratch_file_open(&blocks->scratch, err))
		return -1;
	block->slot = blocks->slots_nr ? blocks->slots[--blocks->slots_nr] : ++blocks->slots_made;
	if (scratch_file_write(blocks->scratch, (uint64_t)(block->slot - 1) << blocks->shift,
			       block->data, block->nr, err)) {
		give_back_slot(blocks, block);
		return -1;
	}
	return 0;
}

/* Evict the block that was not used for longest; never the last one, to which bytes are appended. */
static int give_up_oldest(struct perf_blocks *blocks, struct err *err)
{
	size_t last = (size_t)((blocks->end >> blocks->shift) - blocks->first);
	struct perf_block *oldest = NULL;

	for (size_t i = 0; i < blocks->nr; i++) {
		struct perf_block *block = &blocks->v[blocks->start + i];

		if (block->data && !block->pins && (blocks->input || i != last) &&
		    (!oldest || block->used < oldest->used))
			oldest = block;
	}
	if (!oldest)
		return 0;
	if (!blocks->input && !oldest->slot && write_to_scratch(blocks, oldest, err))
		return -1;
	empty(blocks, oldest);
	return 0;
}

/* Give a block memory, `data` or, if that is NULL, other; its bytes are not read yet. */
static int fill(struct perf_blocks *blocks, struct perf_block *block, unsigned char *data,
		struct err *err)
{
	if (blocks->resident >= blocks->limit && give_up_oldest(blocks, err))
		return -1;
	if (!data)
		data = blocks->spare_nr ? blocks->spare[--blocks->spare_nr]
					: xmalloc(size_of(blocks));
	block->data = data;
	blocks->resident++;
	return 0;
}

static int load(struct perf_blocks *blocks, struct perf_block *block, uint64_t number,
		struct err *err)
{
	uint64_t at = number << blocks->shift;
	size_t size = size_of(blocks);
	int64_t got;

	if (fill(blocks, block, NULL, err))
		return -1;
	if (block->slot) {
		got = scratch_file_read(blocks->scratch,
					(uint64_t)(block->slot - 1) << blocks->shift, block->data,
					block->nr, err);
	} else {
		if (blocks->end - at < size)
			size = (size_t)(blocks->end - at);
		got = trace_input_read(blocks->input, at, block->data, size, err);
		if (got >= 0)
			block->nr = (size_t)got;
	}
	if (got >= 0)
		return 0;
	empty(blocks, block);
	return -1;
}

int perf_blocks_look_far(struct perf_blocks *blocks, uint64_t offset, const unsigned char **bytes,
			 size_t *nr, struct err *err)
{
	size_t within = (size_t)offset & (size_of(blocks) - 1);
	struct perf_block *block;

	*nr = 0;
	if (offset >= blocks->end)
		return 0;
	block = perf_blocks_of(blocks, offset);
	if (!block->data && (blocks->input || block->slot) &&
	    load(blocks, block, offset >> blocks->shift, err))
		return -1;
	block->used = ++blocks->now;
	if (!block->data || block->nr <= within)
		return 0;
	*nr = block->nr - within;
	*bytes = block->data + within;
	blocks->last = block->data;
	blocks->last_at = offset - within;
	blocks->last_nr = block->nr;
	return 0;
}

int perf_blocks_peek(struct perf_blocks *blocks, uint64_t offset, size_t nr, unsigned char *scratch,
		     const unsigned char **bytes, struct err *err)
{
	size_t done = 0, got;

	if (offset > blocks->end || nr > blocks->end - offset)
		return 0;
	if (perf_blocks_look(blocks, offset, bytes, &got, err))
		return -1;
	if (got >= nr)
		return 1;
	for (;;) {
		size_t part = got < nr - done ? got : nr - done;

		if (!part)
			return 0;
		memcpy(scratch + done, *bytes, part);
		done += part;
		if (done == nr)
			break;
		if (perf_blocks_look(blocks, offset + done, bytes, &got, err))
			return -1;
	}
	*bytes = scratch;
	return 1;
}

void perf_blocks_hold(struct perf_blocks *blocks, uint64_t offset, size_t nr)
{
	uint64_t last = (offset + nr - 1) >> blocks->shift;

	for (uint64_t number = offset >> blocks->shift; number <= last; number++)
		perf_blocks_of(blocks, number << blocks->shift)->held++;
}

void perf_blocks_drop(struct perf_blocks *blocks, uint64_t offset, size_t nr)
{
	uint64_t last = (offset + nr - 1) >> blocks->shift;

	for (uint64_t number = offset >> blocks->shift; number <= last; number++) {
		struct perf_block *block = perf_blocks_of(blocks, number << blocks->shift);

		if (block->held && !--block->held)
			bury(blocks, number);
	}
}

void perf_blocks_pin(struct perf_blocks *blocks, uint64_t offset)
{
	perf_blocks_of(blocks, offset)->pins++;
}

void perf_blocks_unpin(struct perf_blocks *blocks, uint64_t offset)
{
	struct perf_block *block = perf_blocks_of(blocks, offset);

	if (!--block->pins)
		bury(blocks, offset >> blocks->shift);
}

void perf_blocks_pass(struct perf_blocks *blocks, uint64_t offset)
{
	uint64_t was = blocks->passed;

	blocks->passed = offset;
	for (uint64_t number = was >> blocks->shift; number < offset >> blocks->shift; number++) {
		/* Blocks of a skipped payload were never in the window. */
		if (!blocks->nr || number >= blocks->first + blocks->nr)
			return;
		if (number >= blocks->first)
			bury(blocks, number);
	}
}

int perf_blocks_give(struct perf_blocks *blocks, unsigned char **data, struct err *err)
{
	struct perf_block *block = perf_blocks_of(blocks, blocks->end);

	assert(!block->data);
	if (fill(blocks, block, *data, err))
		return -1;
	*data = blocks->spare_nr ? blocks->spare[--blocks->spare_nr] : NULL;
	return 0;
}

void perf_blocks_extend(struct perf_blocks *blocks, size_t nr)
{
	struct perf_block *block = perf_blocks_of(blocks, blocks->end);

	block->used = ++blocks->now;
	block->nr += nr;
	blocks->end += nr;
}

uint64_t perf_blocks_kept(const struct perf_blocks *blocks)
{
	return (uint64_t)(blocks->resident + blocks->slots_made - blocks->slots_nr)
	       << blocks->shift;
}
