/*
 * Properties of a compiler's executable that decide how complete its stacks and names will be. There is one
 * implementation for each executable format; the Makefile compiles the one for the target system.
 */
#ifndef RECORD_COMPILER_FILE_H
#define RECORD_COMPILER_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct compiler_file {
	bool symbols; /* names for all functions */
	bool lines;   /* line numbers */
	size_t functions,
		with_frame_pointer; /* among sampled functions; 0: frame pointers are not needed */
	const char *good;           /* text of the finding if nothing is missing */
};

/* False: the file cannot be read. */
bool compiler_file_read(const char *path, struct compiler_file *result);

#endif
