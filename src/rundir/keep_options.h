/*
 * What a recording keeps at its end in addition to the names of its frames.
 */
#ifndef RUNDIR_KEEP_OPTIONS_H
#define RUNDIR_KEEP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* PDBs and debug files that are copied into the run. */
enum keep_files {
	KEEP_FILES_AUTO, /* KEEP_FILES_BUILD for an ETL trace, which other programs read with them; else none */
	KEEP_FILES_NONE,
	KEEP_FILES_BUILD, /* of the build's own programs and libraries */
	KEEP_FILES_ALL,
};

struct keep_options {
	bool copies; /* the trace with its stack copies too */
	enum keep_files files;
	int64_t bytes_max; /* of the whole run: files that would exceed it are left out */
};

#endif
