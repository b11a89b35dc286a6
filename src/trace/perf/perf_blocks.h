/*
 * A window of a long sequence of bytes, in blocks of equal size. The bytes are those of a file, or are appended.
 *
 * At most `limit` blocks, plus pinned ones, are in memory. The others are evicted: blocks of a file are read again when
 * needed. Appended blocks are written to a scratch file if they are held, or not yet passed by perf_blocks_pass().
 */
#ifndef TRACE_PERF_BLOCKS_H
#define TRACE_PERF_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/file.h"
#include "trace/trace_input.h"
#include "util/err.h"

struct perf_block {
	unsigned char *data; /* NULL: not in memory */
	size_t nr;           /* bytes in it */
	uint32_t held, pins; /* numbers of calls that hold it, that pin it */
	uint64_t used;       /* time of the last use */
	uint64_t mark;       /* for the user of the window */
	size_t slot;         /* in the scratch file, from 1 on; 0: none */
};

struct perf_blocks {
	const struct trace_input *input; /* NULL: bytes are appended */
	unsigned shift;                  /* a block has 1 << shift bytes */
	size_t limit;                    /* maximum of blocks in memory, pinned ones not counted */
	uint64_t passed;                 /* bytes before it are needed only if they are held */
	uint64_t end;   /* end of the bytes; of a file, of those that may be read */
	uint64_t first; /* number of the block v[start] */
	struct perf_block *v;
	size_t start, nr, alloc;
	unsigned char **spare;
	size_t spare_nr, spare_alloc;
	size_t resident;
	uint64_t now;
	/* Of the block that was used last, while it is in memory: where its bytes begin, and how many there are. */
	const unsigned char *last;
	uint64_t last_at;
	size_t last_nr;
	/* Appended bytes that are not in memory. */
	struct scratch_file *scratch; /* NULL: all are in memory */
	size_t *slots;                /* free ones */
	size_t slots_nr, slots_alloc, slots_made;
};

void perf_blocks_init(struct perf_blocks *blocks, const struct trace_input *input, unsigned shift,
		      size_t limit);
void perf_blocks_release(struct perf_blocks *blocks);

/*
 * Get `nr` bytes at `offset`: in their block, or copied to `scratch` if they span blocks. They are valid until the next
 * call, in a pinned block until it is unpinned. Returns 1; 0: there are fewer bytes; -1: failure.
 */
int perf_blocks_peek(struct perf_blocks *blocks, uint64_t offset, size_t nr, unsigned char *scratch,
		     const unsigned char **bytes, struct err *err);

/* Another block than the one that was used last. */
int perf_blocks_look_far(struct perf_blocks *blocks, uint64_t offset, const unsigned char **bytes,
			 size_t *nr, struct err *err);

/* Get the bytes from `offset` to the end of its block, without a copy. `*nr` is 0 where the bytes end. */
static inline int perf_blocks_look(struct perf_blocks *blocks, uint64_t offset,
				   const unsigned char **bytes, size_t *nr, struct err *err)
{
	uint64_t within = offset - blocks->last_at;

	if (within >= blocks->last_nr)
		return perf_blocks_look_far(blocks, offset, bytes, nr, err);
	*bytes = blocks->last + within;
	*nr = blocks->last_nr - (size_t)within;
	return 0;
}

/* The block of the byte at `offset`; nothing is read. */
struct perf_block *perf_blocks_of(struct perf_blocks *blocks, uint64_t offset);

/* Keep the blocks of `nr` bytes in the window, until perf_blocks_drop() with the same range. */
void perf_blocks_hold(struct perf_blocks *blocks, uint64_t offset, size_t nr);
void perf_blocks_drop(struct perf_blocks *blocks, uint64_t offset, size_t nr);

/* Keep a block in memory, at its address, until it is unpinned. */
void perf_blocks_pin(struct perf_blocks *blocks, uint64_t offset);
void perf_blocks_unpin(struct perf_blocks *blocks, uint64_t offset);

/* Bytes before `offset` are no longer needed, unless they are held. */
void perf_blocks_pass(struct perf_blocks *blocks, uint64_t offset);

/*
 * Append bytes without a copy: `*data`, xmalloc'ed with 1 << shift bytes, becomes the next block, whose bytes are there
 * once the window is extended to them. The last block must be full; `*data` is then another such memory, or NULL.
 */
int perf_blocks_give(struct perf_blocks *blocks, unsigned char **data, struct err *err);
void perf_blocks_extend(struct perf_blocks *blocks, size_t nr);

/* The number of bytes in memory and in the scratch file. */
uint64_t perf_blocks_kept(const struct perf_blocks *blocks);

#endif
