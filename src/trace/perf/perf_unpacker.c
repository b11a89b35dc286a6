#include "trace/perf/perf_unpacker.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "platform/pipeline.h"
#include "trace/perf/perf_format.h"
#include "trace/perf/perf_stream.h"
#include "util/alloc.h"
#include "util/array.h"

/* Of the file; the records are read in order. */
#define FILE_SHIFT  18
#define FILE_BLOCKS 4

/*
 * Decompress so many bytes at once, or all that there are, wherever they go: it decides how many are found before damage. A
 * block rarely has less room.
 */
#define OUT_BYTES ((size_t)32 << 10)

/* What a block has of a record; none spans two blocks. */
struct part {
	uint64_t location; /* of the record */
	size_t nr;         /* bytes */
	const char *why;   /* the rest of it cannot be decompressed; NULL */
};

/* So many blocks are handed over at once: each time a thread may have to wake the other. */
#define BATCH_BLOCKS 4

/* Decompressed bytes. Only the last block of the last batch is not full. */
struct batch {
	unsigned char *blocks[BATCH_BLOCKS]; /* NULL: not needed yet, or given away */
	size_t nr;                           /* bytes in them */
	struct part *parts;
	size_t parts_nr, parts_alloc;
};

/* What makes the batches. */
struct maker {
	struct perf_stream file;
	ZSTD_DCtx *context;
	uint64_t location; /* of the record that is decompressed */
	ZSTD_inBuffer
		in; /* valid until all of it is decompressed: the file is not read further before */
	bool full;  /* there may be more output without further input */
	bool ended;
	unsigned char out[OUT_BYTES]; /* for what may not fit into a block */
	size_t out_at, out_nr;        /* from out_at on it waits for the next block */
};

struct perf_unpacker {
	struct maker maker;
	size_t block_size;
	struct batch batches[PIPELINE_SLOTS];
	struct pipeline *pipeline;
	struct batch *current; /* NULL: there is none */
	size_t part, block;    /* the next ones in it */
	bool ended;
};

static struct part *part_of(struct batch *batch, uint64_t location)
{
	struct part *last = batch->parts_nr ? &batch->parts[batch->parts_nr - 1] : NULL;

	if (last && last->location == location)
		return last;
	ARRAY_ADD(batch->parts, batch->parts_nr, batch->parts_alloc,
		  (struct part){ location, 0, NULL });
	return &batch->parts[batch->parts_nr - 1];
}

/* The room in the current block of a batch that is not full. */
static unsigned char *room(struct batch *batch, size_t block_size, size_t *nr)
{
	unsigned char **block = &batch->blocks[batch->nr / block_size];

	if (!*block)
		*block = xmalloc(block_size);
	*nr = block_size - batch->nr % block_size;
	return *block + batch->nr % block_size;
}

static void count(struct batch *batch, size_t block_size, uint64_t location, size_t nr)
{
	struct part *part;

	if (!nr)
		return;
	part = part_of(batch, location);
	if (part->nr && batch->nr % block_size == 0) {
		ARRAY_ADD(batch->parts, batch->parts_nr, batch->parts_alloc,
			  (struct part){ location, 0, NULL });
		part = &batch->parts[batch->parts_nr - 1];
	}
	part->nr += nr;
	batch->nr += nr;
}

/* Find the next compressed record. Returns 1; 0: there is none; -1: failure. */
static int find_record(struct maker *maker, struct err *err)
{
	struct perf_stream *file = &maker->file;
	bool found = false;

	while (!found) {
		const unsigned char *record, *bytes = NULL;
		uint64_t at = file->at, left;
		size_t size, nr = 0;
		int rc;

		perf_blocks_pass(&file->blocks, at);
		rc = perf_stream_record(file, at, &record, &size, err);
		if (rc <= 0)
			return rc;
		found = perf_record_compressed(record, size, &bytes, &nr);
		left = file->blocks.end - at - size;
		file->at += size;
		file->at += perf_record_payload(record, size) < left
				    ? perf_record_payload(record, size)
				    : left;
		if (found) {
			maker->location = at;
			maker->in = (ZSTD_inBuffer){ bytes, nr, 0 };
		}
	}
	return 1;
}

/* Move what waits to the block. */
static void take_waiting(struct maker *maker, size_t block_size, struct batch *batch)
{
	size_t nr = maker->out_nr - maker->out_at, most;
	unsigned char *to = room(batch, block_size, &most);

	if (nr > most)
		nr = most;
	memcpy(to, maker->out + maker->out_at, nr);
	count(batch, block_size, maker->location, nr);
	maker->out_at += nr;
}

/* Decompress more of the record. */
static void decompress(struct maker *maker, size_t block_size, struct batch *batch)
{
	size_t most, rc;
	unsigned char *to = room(batch, block_size, &most);
	bool direct = most >= OUT_BYTES;
	ZSTD_outBuffer out = { direct ? to : maker->out, OUT_BYTES, 0 };

	rc = ZSTD_decompressStream(maker->context, &out, &maker->in);
	if (ZSTD_isError(rc)) {
		part_of(batch, maker->location)->why = ZSTD_getErrorName(rc);
		maker->ended = true;
		return;
	}
	maker->full = out.pos == out.size;
	maker->out_at = 0;
	maker->out_nr = direct ? 0 : out.pos;
	if (direct)
		count(batch, block_size, maker->location, out.pos);
}

static int make(void *data, size_t slot, struct err *err)
{
	struct perf_unpacker *unpacker = data;
	struct batch *batch = &unpacker->batches[slot];
	struct maker *maker = &unpacker->maker;
	size_t block_size = unpacker->block_size;

	batch->nr = batch->parts_nr = 0;
	while (batch->nr < BATCH_BLOCKS * block_size) {
		if (maker->out_at < maker->out_nr) {
			take_waiting(maker, block_size, batch);
		} else if (maker->ended) {
			break;
		} else if (maker->full || maker->in.pos < maker->in.size) {
			decompress(maker, block_size, batch);
		} else {
			int rc = find_record(maker, err);

			if (rc < 0)
				return -1;
			maker->ended = !rc;
		}
	}
	return batch->parts_nr > 0;
}

struct perf_unpacker *perf_unpacker_new(const struct trace_input *input, uint64_t from,
					uint64_t end, unsigned block_shift, int threads)
{
	struct perf_unpacker *unpacker = xcalloc(1, sizeof(*unpacker));
	struct perf_blocks *blocks = &unpacker->maker.file.blocks;

	perf_blocks_init(blocks, input, FILE_SHIFT, FILE_BLOCKS);
	blocks->end = end;
	perf_blocks_pass(blocks, from);
	unpacker->maker.file.at = from;
	unpacker->maker.context = ZSTD_createDCtx();
	unpacker->block_size = (size_t)1 << block_shift;
	unpacker->pipeline = pipeline_new(make, NULL, unpacker, threads);
	return unpacker;
}

void perf_unpacker_free(struct perf_unpacker *unpacker)
{
	if (!unpacker)
		return;
	pipeline_free(unpacker->pipeline);
	for (size_t i = 0; i < PIPELINE_SLOTS; i++) {
		for (size_t k = 0; k < BATCH_BLOCKS; k++)
			free(unpacker->batches[i].blocks[k]);
		free(unpacker->batches[i].parts);
	}
	perf_blocks_release(&unpacker->maker.file.blocks);
	ZSTD_freeDCtx(unpacker->maker.context);
	free(unpacker);
}

/* Returns 1; 0: there is none; -1: failure. */
static int next_batch(struct perf_unpacker *unpacker, struct err *err)
{
	size_t slot;
	int rc;

	unpacker->current = NULL;
	if (unpacker->ended)
		return 0;
	rc = pipeline_next(unpacker->pipeline, &slot, err);
	unpacker->ended = rc <= 0;
	unpacker->part = unpacker->block = 0;
	if (rc > 0)
		unpacker->current = &unpacker->batches[slot];
	return rc;
}

/* Append the bytes of a part; the first one of a block hands the block over. */
static int append(struct perf_unpacker *unpacker, const struct part *part,
		  struct perf_blocks *blocks, struct err *err)
{
	if (part->nr && blocks->end % unpacker->block_size == 0 &&
	    perf_blocks_give(blocks, &unpacker->current->blocks[unpacker->block++], err))
		return -1;
	perf_blocks_extend(blocks, part->nr);
	return 1;
}

int perf_unpacker_next(struct perf_unpacker *unpacker, uint64_t location,
		       struct perf_blocks *blocks, const char **why, struct err *err)
{
	const struct part *part;

	*why = NULL;
	if (!unpacker->current || unpacker->part == unpacker->current->parts_nr) {
		int rc = next_batch(unpacker, err);

		if (rc <= 0)
			return rc;
	}
	part = &unpacker->current->parts[unpacker->part];
	if (part->location > location)
		return 0;
	if (part->location < location) {
		*why = "the file has changed";
		unpacker->ended = true;
		return 1;
	}
	*why = part->why;
	unpacker->part++;
	return append(unpacker, part, blocks, err);
}
