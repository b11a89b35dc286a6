/*
 * Where the buffers of an ETL file are, and what of it is damaged.
 *
 * Format: WMI_BUFFER_HEADER, see Geoff Chappell; ETW_BUFFER_HEADER.
 */
#ifndef TRACE_ETL_INDEX_H
#define TRACE_ETL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_header.h"
#include "trace/trace_input.h"
#include "util/err.h"
#include "util/strbuf.h"

#define ETL_BUFFER_HEADER 72
#define ETL_BUFFER_MAX    (16u << 20) /* larger ones are taken for damage */

enum etl_buffer_flag {
	ETL_BUFFER_EVENTS_LOST = 0x02,
	ETL_BUFFER_LOST = 0x04,
	ETL_BUFFER_WIDE_CPU = 0x20, /* the processor's index is 16 bits wide */
	ETL_BUFFER_PACKED = 0x40,
};

/* A buffer of the file. */
struct etl_extent {
	uint64_t place; /* bytes from the file's start */
	uint64_t sequence;
	uint32_t cpu;    /* the processor's index: buffers of one are in order */
	uint32_t size;   /* in the file, with its header */
	uint32_t filled; /* valid bytes with the header, unpacked */
	uint16_t flags;
};

struct etl_damage {
	uint64_t buffers, events;   /* that could not be read; of events those known to be there */
	uint64_t unknown;           /* headers of no known kind */
	uint64_t buffers_with_loss; /* flags 2 and 4 of a buffer */
	bool cut;                   /* the file ends within a buffer, or before buffers_written */
	uint64_t missing;           /* bytes; 0: not known */
	struct strbuf first;        /* in words, with its place; empty: none */
};

/* Count it; the first one is kept in words, with the place. */
void etl_damage_note(struct etl_damage *damage, uint64_t *count, uint64_t place, const char *fmt,
		     ...) PRINTF_LIKE(4, 5);

/*
 * The buffer at `place`, as its header of ETL_BUFFER_HEADER bytes tells it, and the low half of its state; false
 * where it can't be one.
 */
bool etl_extent_read(struct etl_extent *extent, uint64_t place, const unsigned char *header,
		     uint16_t *state);

struct etl_index {
	struct etl_extent *v;
	size_t nr, alloc;
};

/*
 * Find all buffers, `first` being the one at the begin, and sort them: by processor, then by sequence, or by place where
 * a processor has a sequence number twice. -1 where the file can't be read.
 */
int etl_index_build(struct etl_index *index, const struct trace_input *input,
		    const struct etl_extent *first, const struct etl_header *header,
		    struct etl_damage *damage, struct err *err);
void etl_index_release(struct etl_index *index);

#endif
