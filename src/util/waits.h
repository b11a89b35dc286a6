/*
 * How long a thread or a process could have gone on, but waited; nanoseconds, -1: unknown. Of a process it is the sum
 * over its threads. Waiting for others (locks, pipes, children, tokens of a jobserver) is in none of them.
 */
#ifndef UTIL_WAITS_H
#define UTIL_WAITS_H

#include <stdint.h>

struct waits {
	int64_t cpu_ns;    /* for a processor, while others ran there */
	int64_t io_ns;     /* for the disk */
	int64_t memory_ns; /* until pages were swapped in, reclaimed or compacted */
};

#define WAITS_UNKNOWN \
	{ \
		-1, -1, -1 \
	}

#endif
