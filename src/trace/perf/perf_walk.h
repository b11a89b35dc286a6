/*
 * The walk along the records of perf.data: it counts them, takes in what is about the file, and puts those
 * that become events into a queue, from where they come by time.
 *
 * perf writes in rounds, over all CPUs: at a FINISHED_ROUND nothing is outstanding that is older than the
 * newest record of the round before. Compressed records are one stream of bytes, which is walked as the
 * file's are; records in it may begin in one and end in the next.
 */
#ifndef TRACE_PERF_WALK_H
#define TRACE_PERF_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/linux_memory.h"
#include "trace/perf/perf_blocks.h"
#include "trace/perf/perf_file.h"
#include "trace/perf/perf_queue.h"
#include "trace/perf/perf_unpack.h"

#define PERF_RECORD_MAX 65535

/* Where a record is: PERF_UNPACKED, or in the file itself; its event, if it is a sample; its offset. */
#define PERF_UNPACKED      (UINT64_C(1) << 63)
#define PERF_OFFSET_BITS   48
#define PERF_OFFSET(place) ((place) & ((UINT64_C(1) << PERF_OFFSET_BITS) - 1))
#define PERF_EVENT(place)  ((uint32_t)((place) >> PERF_OFFSET_BITS) & 0x7fff)

/* What is kept at most; smaller in tests. */
struct perf_limits {
	unsigned block_shift; /* blocks of 1 << block_shift bytes */
	size_t blocks;        /* in memory, of the file; as many of the unpacked bytes */
	/*
	 * What waits for the end of a round: beyond that, records are told out of order. A round can be all that
	 * the recorder's buffers hold.
	 */
	uint64_t unpacked_bytes;
	size_t queued;       /* records */
	size_t round;        /* records in a round that are worth telling */
	size_t batch;        /* events */
	size_t batch_blocks; /* that a batch's events point into */
};

extern const struct perf_limits perf_limits_usual;

/* The file's bytes, or the unpacked ones. */
struct perf_stream {
	struct perf_blocks blocks;
	uint64_t at;             /* the next record */
	unsigned char header[8]; /* of the record looked at */
	_Alignas(8) unsigned char scratch[PERF_RECORD_MAX + 1];
};

struct perf_walk {
	struct perf_file *file; /* borrowed */
	const struct perf_limits *limits;
	bool want_cpu, want_memory;
	bool chosen; /* what events are used for */
	struct linux_memory *memory;
	struct perf_stream streams[2]; /* the file's, the unpacked one */
	struct perf_unpack *unpack;
	struct perf_queue queue;
	size_t ready;            /* of the queue's first, that may be told */
	uint64_t oldest, newest; /* times; 0: there were none */
	uint64_t round_newest;   /* at the end of the last round */
	uint64_t lost, lost_samples;
	bool ended;
};

/* All borrowed. */
void perf_walk_init(struct perf_walk *walk, struct perf_file *file, bool want_cpu, bool want_memory,
		    const struct perf_limits *limits);
void perf_walk_release(struct perf_walk *walk);

/* Give back the bytes and records that are kept, and any that were lent, where nothing more is to come. */
void perf_walk_rest(struct perf_walk *walk);

/* On to where the events are known: to the first sample. */
int perf_walk_prepare(struct perf_walk *walk, struct err *err);

/* On until records are ready: 1; 0: there are no more; -1. */
int perf_walk_on(struct perf_walk *walk, struct err *err);

/*
 * A record that was put into the queue, at a multiple of 8: in its block, good as long as that is pinned, or
 * (`*moved`) good until the next call. NULL where it is gone from the file; reading failed where err is set.
 */
const unsigned char *perf_walk_record(struct perf_walk *walk, uint64_t place, size_t *size,
				      bool *moved, struct err *err);

struct perf_stream *perf_walk_stream(struct perf_walk *walk, uint64_t place);

#endif
