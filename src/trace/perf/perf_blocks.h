/*
 * A long run of bytes, of which a window is in memory, in blocks of one size.
 *
 * Any block that is not pinned can be given up: bytes of a file are read again, those that were appended
 * are set aside on disk, as long as somebody holds a place in their block or is before them.
 */
#ifndef TRACE_PERF_BLOCKS_H
#define TRACE_PERF_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/scratch_file.h"
#include "trace/trace_input.h"
#include "util/err.h"

struct perf_block {
	unsigned char *data; /* NULL: not in memory */
	size_t nr;           /* bytes there are */
	uint32_t held, pins;
	uint64_t used; /* when it was, last */
	uint64_t mark; /* for the user */
	size_t slot;   /* where it was set aside, from 1 on; 0: nowhere */
};

struct perf_blocks {
	const struct trace_input *input; /* NULL: bytes come by perf_blocks_append() */
	unsigned shift;                  /* a block has 1 << shift bytes */
	size_t limit;                    /* blocks in memory at most, but for pinned ones */
	uint64_t passed;                 /* what is before is needed only where it is held */
	uint64_t end;                    /* of the bytes there are; from a file: that may be read */
	uint64_t first;                  /* number of the block v[start] */
	struct perf_block *v;
	size_t start, nr, alloc;
	unsigned char **spare;
	size_t spare_nr, spare_alloc;
	size_t resident;
	uint64_t now;
	/* Of appended bytes: what is not in memory. */
	struct scratch_file *aside; /* NULL as long as all is */
	size_t *slots;              /* free ones */
	size_t slots_nr, slots_alloc, slots_made;
};

void perf_blocks_init(struct perf_blocks *blocks, const struct trace_input *input, unsigned shift,
		      size_t limit);
void perf_blocks_release(struct perf_blocks *blocks);

/*
 * `nr` bytes at `offset`, in place, or in `scratch` where they are in more than one block; good until
 * the next call, but for pinned blocks. 1; 0 where the bytes end before; -1.
 */
int perf_blocks_peek(struct perf_blocks *blocks, uint64_t offset, size_t nr, unsigned char *scratch,
		     const unsigned char **bytes, struct err *err);

/* The block that the byte at `offset` is in; it is not looked up in the file. */
struct perf_block *perf_blocks_of(struct perf_blocks *blocks, uint64_t offset);

/* Keep the blocks of `nr` bytes in the window. */
void perf_blocks_hold(struct perf_blocks *blocks, uint64_t offset, size_t nr);
void perf_blocks_drop(struct perf_blocks *blocks, uint64_t offset, size_t nr);

/* Keep its bytes in memory, where they are. */
void perf_blocks_pin(struct perf_blocks *blocks, uint64_t offset);
void perf_blocks_unpin(struct perf_blocks *blocks, uint64_t offset);

/* All before `offset` was looked at. */
void perf_blocks_pass(struct perf_blocks *blocks, uint64_t offset);

int perf_blocks_append(struct perf_blocks *blocks, const unsigned char *bytes, size_t nr,
		       struct err *err);

/* Bytes that are kept, in memory or set aside. */
uint64_t perf_blocks_kept(const struct perf_blocks *blocks);

#endif
