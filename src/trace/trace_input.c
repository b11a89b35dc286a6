#include "trace/trace_input.h"

#include <string.h>

int trace_input_open(struct trace_input *input, const char *path, struct err *err)
{
	*input = (struct trace_input){ NULL, 0, NULL, 0 };
	return file_at_open(path, &input->file, err);
}

void trace_input_memory(struct trace_input *input, const void *memory, size_t nr)
{
	*input = (struct trace_input){ memory, nr, NULL, 0 };
}

void trace_input_close(struct trace_input *input)
{
	file_at_close(input->file);
	*input = (struct trace_input){ NULL, 0, NULL, 0 };
}

uint64_t trace_input_size(const struct trace_input *input)
{
	if (!input->file)
		return input->memory_nr;
	return (uint64_t)file_at_size(input->file);
}

uint64_t trace_input_compressed(const struct trace_input *input)
{
	uint64_t stored = input->file ? file_at_stored(input->file) : input->memory_nr;

	return input->compressed_bytes && input->compressed_bytes < stored ? input->compressed_bytes
									   : stored;
}

int64_t trace_input_read(const struct trace_input *input, uint64_t offset, void *to, size_t nr,
			 struct err *err)
{
	if (input->file)
		return file_at_read(input->file, offset, to, nr, err);
	if (offset >= input->memory_nr)
		return 0;
	if (nr > input->memory_nr - offset)
		nr = input->memory_nr - (size_t)offset;
	memcpy(to, input->memory + offset, nr);
	return (int64_t)nr;
}
