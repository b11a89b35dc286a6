/*
 * Checks an existing stage 1 compiler (--skip-stage1): is it present, and does it have symbols, lines and frame pointers?
 * Its file is read by compiler_file_elf.c or compiler_file_pdb.c.
 */
#ifndef RECORD_COMPILER_CHECK_H
#define RECORD_COMPILER_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "profiler/finding.h"

/* Add findings about the compiler in the directory in which x.py builds. */
void compiler_check(const char *build_dir, struct finding_list *findings);

/* Properties of an executable that decide how complete its stacks and names will be. */
struct compiler_file {
	bool symbols; /* names for all functions */
	bool lines;   /* line numbers */
	/* Among sampled functions; 0: frame pointers are not needed. */
	size_t functions, with_frame_pointer;
	const char *good; /* text of the finding if nothing is missing */
};

/*
 * False: the file cannot be read. There is one implementation for each executable format; the Makefile compiles the one
 * for the target system.
 */
bool compiler_file_read(const char *path, struct compiler_file *result);

#endif
