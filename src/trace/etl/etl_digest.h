/*
 * What views without stacks need of the events of a trace, a few bytes of each. The scan collects it, so that the files
 * need not be read again.
 */
#ifndef TRACE_ETL_DIGEST_H
#define TRACE_ETL_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

struct etl_digest;

/* It has at most so many bytes: more events make it useless. */
struct etl_digest *etl_digest_new(size_t bytes_max);
void etl_digest_free(struct etl_digest *digest); /* accepts NULL */

/* Begin the next stream: the events of one processor of a file, in their order. */
void etl_digest_begin(struct etl_digest *digest, uint32_t cpu);

/*
 * Give up the memory, as more is needed than the digest has. It takes no events from then on.
 */
void etl_digest_drop(struct etl_digest *digest);
bool etl_digest_is_dropped(const struct etl_digest *digest);

/* An event: of memory in whole pages, or a CPU sample. */
struct etl_brief {
	uint64_t time; /* ticks */
	uint32_t cpu;
	bool sample;
	enum memory_op op;
	uint32_t id;              /* of a sample the thread, of memory the process that owns it */
	uint64_t address, length; /* of memory */
	uint64_t count;           /* of a sample: intervals that it stands for; 0 is 1 */
};

/*
 * Add an event of the current stream, whose processor is that of the stream. `latest` is the latest time of all events of
 * the stream so far, this one included.
 */
void etl_digest_add(struct etl_digest *digest, const struct etl_brief *event, uint64_t latest);

struct etl_digest_reader;

/*
 * Read the events of all streams by time, in the order of etl_merge.h. The digest is borrowed, and must not change.
 */
struct etl_digest_reader *etl_digest_reader_new(const struct etl_digest *digest);
void etl_digest_reader_free(struct etl_digest_reader *reader); /* accepts NULL */

/* The current event, and the one after it, which becomes the current one; NULL: there is none. */
const struct etl_brief *etl_digest_reader_first(const struct etl_digest_reader *reader);
const struct etl_brief *etl_digest_reader_next(struct etl_digest_reader *reader);

#endif
