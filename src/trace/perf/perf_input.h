/*
 * The bytes of a perf.data file: of a file, or in memory.
 */
#ifndef TRACE_PERF_INPUT_H
#define TRACE_PERF_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "platform/file_at.h"
#include "util/err.h"

struct perf_input {
	const unsigned char *memory; /* borrowed; NULL: the file's */
	size_t memory_nr;
	struct file_at *file; /* owned; NULL */
};

int perf_input_open(struct perf_input *input, const char *path, struct err *err);
void perf_input_memory(struct perf_input *input, const void *memory, size_t nr);
void perf_input_close(struct perf_input *input);

uint64_t perf_input_size(const struct perf_input *input);

/* As file_at_read(). */
int64_t perf_input_read(const struct perf_input *input, uint64_t offset, void *to, size_t nr,
			struct err *err);

#endif
