/*
 * What the file of a compiler shows of how its stacks and names will be. One body for each format of executables:
 * the build takes that of its system.
 */
#ifndef RECORD_COMPILER_FILE_H
#define RECORD_COMPILER_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct compiler_file {
	bool symbols;                         /* names for all functions */
	bool lines;                           /* and lines */
	size_t functions, with_frame_pointer; /* of a sample; 0 where none is needed */
	const char *good;                     /* what it has, where nothing is missing */
};

/* False where the file cannot be read. */
bool compiler_file_read(const char *path, struct compiler_file *result);

#endif
