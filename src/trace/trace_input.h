/*
 * Random access to the bytes of a trace, in a file or in memory.
 */
#ifndef TRACE_TRACE_INPUT_H
#define TRACE_TRACE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "platform/file.h"
#include "util/err.h"

struct trace_input {
	const unsigned char *memory; /* borrowed; NULL: use `file` */
	size_t memory_nr;
	struct file_at *file;      /* owned; NULL */
	uint64_t compressed_bytes; /* see trace_options; may be set once it is open */
};

int trace_input_open(struct trace_input *input, const char *path, struct err *err);
void trace_input_memory(struct trace_input *input, const void *memory, size_t nr);
void trace_input_close(struct trace_input *input);

uint64_t trace_input_size(const struct trace_input *input);

/* What is stored of the file or memory, or `compressed_bytes` if that is set and smaller. */
uint64_t trace_input_compressed(const struct trace_input *input);

/* See file_at_read(). */
int64_t trace_input_read(const struct trace_input *input, uint64_t offset, void *to, size_t nr,
			 struct err *err);

#endif
