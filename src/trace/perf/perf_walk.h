/*
 * Walks along the records of perf.data: counts them, decodes those that describe the file, and queues those that become
 * events, to be sorted by time.
 *
 * perf writes in rounds over all CPUs. At a FINISHED_ROUND all records that are older than the newest one of the previous
 * round have been written. Compressed records are one stream of bytes, which is walked in the same way; a record in it may
 * begin in one compressed record and end in the next.
 */
#ifndef TRACE_PERF_WALK_H
#define TRACE_PERF_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/linux_memory.h"
#include "trace/perf/perf_file.h"
#include "trace/perf/perf_queue.h"
#include "trace/perf/perf_stream.h"
#include "trace/trace_format.h"

/* Location of a record: whether it is in the decompressed bytes or in the file; the event of a sample; the offset. */
#define PERF_DECOMPRESSED     (UINT64_C(1) << 63)
#define PERF_OFFSET_BITS      48
#define PERF_OFFSET(location) ((location) & ((UINT64_C(1) << PERF_OFFSET_BITS) - 1))
#define PERF_EVENT(location)  ((uint32_t)((location) >> PERF_OFFSET_BITS) & 0x7fff)

/* Limits of memory; smaller in tests. */
struct perf_limits {
	unsigned block_shift; /* a block has 1 << block_shift bytes */
	size_t blocks; /* in memory, of the file; the same number of the decompressed bytes */
	/*
	 * Limits of records that wait for the end of a round; beyond them records are delivered out of order. A round
	 * can be as large as the profiler's buffers.
	 */
	uint64_t decompressed_bytes;
	size_t queued; /* records */
	size_t round;  /* with fewer records waiting nothing is delivered at the end of a round */
	size_t batch;  /* events */
	size_t batch_blocks; /* that a batch's events point into; there are PIPELINE_SLOTS batches */
};

extern const struct perf_limits perf_limits_usual;

/* Gets every record in the order of the file, aligned or not, valid during the call. `location` is as in the queue. */
struct perf_visitor {
	void *data;
	int (*visit)(void *data, uint64_t location, const unsigned char *record, size_t size,
		     struct err *err);
};

struct perf_walk {
	struct perf_file *file; /* borrowed */
	/* `visit` set: records are not queued. Set it before perf_walk_prepare(). */
	struct perf_visitor visitor;
	const struct perf_limits *limits;
	struct trace_options want;
	bool chosen; /* what each event is used for is known */
	struct linux_memory *memory;
	struct perf_stream streams[2];  /* of the file, of the decompressed bytes */
	struct perf_unpacker *unpacker; /* NULL: nothing compressed so far */
	uint64_t unpacked; /* location of the record whose bytes are appended; 0: none */
	struct perf_queue queue;
	size_t ready;            /* number of records in the queue that may be delivered */
	uint64_t oldest, newest; /* times; 0: no record had one */
	uint64_t round_newest;   /* at the end of the last round */
	uint64_t lost, lost_samples;
	bool ended;
};

/* `want`: which events are needed; NULL: none. `file` and `limits` are borrowed. */
void perf_walk_init(struct perf_walk *walk, struct perf_file *file,
		    const struct trace_options *want, const struct perf_limits *limits);
void perf_walk_release(struct perf_walk *walk);

/* Free the queue and all blocks; nothing may point into them. */
void perf_walk_free_buffers(struct perf_walk *walk);

/* Read up to the first sample: all events are known then. */
int perf_walk_prepare(struct perf_walk *walk, struct err *err);

/* Read until records are ready. Returns 1; 0: there are no more; -1: failure. */
int perf_walk_next(struct perf_walk *walk, struct err *err);

/*
 * A record of the queue, aligned to 8 bytes: in its block, valid while the block is pinned, or, with `*moved`, in a buffer,
 * valid until the next call. NULL: the file no longer has it or, if `err` is set, reading failed.
 */
const unsigned char *perf_walk_record(struct perf_walk *walk, uint64_t location, size_t *size,
				      bool *moved, struct err *err);

struct perf_stream *perf_walk_stream(struct perf_walk *walk, uint64_t location);

#endif
