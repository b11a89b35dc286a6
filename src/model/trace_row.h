/*
 * The row of a process that only the trace knows: what its events tell is put together as they come.
 *
 * A trace of Linux has no command line: the image is the main executable's, by its mapping, and argv is its
 * name alone, said to be lost. The tag is what can be told from that and the parent.
 */
#ifndef MODEL_TRACE_ROW_H
#define MODEL_TRACE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/process.h"
#include "model/trace_event.h"

struct trace_row {
	struct process *process;      /* borrowed */
	const struct process *parent; /* borrowed; NULL: not known, to be set where it is */
	struct tag before;            /* of the program before the last exec */
	bool has_before;
	char *command; /* of the last exec, as the trace names it; NULL */
	bool exe_is_sure;
};

/* `process` is new. */
struct trace_row *trace_row_new(struct process *process);
void trace_row_free(struct trace_row *row);

/* The process was started as this; see trace_start. A fork runs the parent's program. */
void trace_row_start(struct trace_row *row, const struct trace_start *start);

/* It runs another program, whose name is `command`, cut to 15 bytes. */
void trace_row_exec(struct trace_row *row, const char *command);

/* It was there before, under this name. */
void trace_row_name(struct trace_row *row, const char *command);

/*
 * A file's code was mapped. The first file after an exec that is no library is the executable, unless one comes
 * whose name is the command's.
 */
void trace_row_map(struct trace_row *row, const char *path);

#endif
