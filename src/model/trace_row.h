/*
 * Builds the row of a process that is in the trace, but not in the recording's list of processes, from its events.
 *
 * A Linux trace has no command lines: the executable is found by its mapping, argv has only its name, and argv_lost is set.
 * The tag is derived from these and the parent.
 */
#ifndef MODEL_TRACE_ROW_H
#define MODEL_TRACE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/process.h"
#include "model/trace_event.h"

struct trace_row {
	struct process *process;      /* borrowed */
	const struct process *parent; /* borrowed, set by the caller; NULL: not known */
	struct tag before;            /* of the program before the last exec */
	bool has_before;
	char *command; /* name of the program of the last exec; NULL */
	bool exe_is_sure;
};

/* `process` is new. */
struct trace_row *trace_row_new(struct process *process);
void trace_row_free(struct trace_row *row);

/* The process started; a fork runs the parent's program. */
void trace_row_start(struct trace_row *row, const struct trace_start *start);

/* The process runs another program; `command` is its name, at most 15 bytes of it. */
void trace_row_exec(struct trace_row *row, const char *command);

/* The process existed before the recording; `command` is its name. */
void trace_row_name(struct trace_row *row, const char *command);

/*
 * Code of a file was mapped. The executable is the file with the name of the command or, before such a file is mapped, the
 * first one after an exec that is not a library. `pe`: it is an image of Windows, of which only an .exe is a program.
 */
void trace_row_map(struct trace_row *row, const char *path, bool pe);

#endif
