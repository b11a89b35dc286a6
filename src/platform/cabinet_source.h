/*
 * What unpacks the data of a cabinet, one implementation for each system, for platform/cabinet.c.
 */
#ifndef PLATFORM_CABINET_SOURCE_H
#define PLATFORM_CABINET_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

struct cabinet_sink;

/* One file on its way out of a cabinet. */
struct cabinet_output {
	const struct cabinet_sink *sink;
	uint64_t left; /* bytes that may still come */
	bool stopped;  /* by the sink, or as more came than the cabinet says */
	struct err *err;
};

/* Pass bytes on; false: stop. In platform/cabinet.c. */
bool cabinet_output_write(struct cabinet_output *output, const void *bytes, size_t nr);

/* As cabinet_check(). */
int cabinet_source_check(struct err *err);

/*
 * Unpack the only file in the cabinet at `path`. -1: ERR_UNSUPPORTED or ERR_CORRUPT in `output->err`, unless the output has
 * stopped.
 */
int cabinet_source_unpack(const char *path, struct cabinet_output *output);

#endif
