/*
 * A failed build: which process failed first, and what its exit code and the log of the build say of memory. Pure functions
 * of the list of processes and of the log. What follows from them: analysis/failure_cause.h.
 */
#ifndef ANALYSIS_FAILURE_H
#define ANALYSIS_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/process.h"
#include "util/strbuf.h"

/*
 * Processes whose failure made the build fail: their parents failed too, up to the first one, and none of their children
 * did. By end; borrowed. The caller frees the array.
 */
const struct process **failure_find(const struct process_list *list, size_t *nr);

/*
 * The processes that lived when another one of the list ended, without those that ran only their parent's program; the
 * largest by resident memory first. None if its end is unknown. Borrowed; the caller frees the array.
 */
const struct process **failure_alive(const struct process_list *list, const struct process *ended,
				     size_t *nr);

/* What an exit code says: "SIGKILL", "STATUS_NO_MEMORY". NULL: it has no name. */
const char *failure_code_name(int64_t exit_code);

/* Whether the code itself says that memory was not there: STATUS_NO_MEMORY and others. */
bool failure_code_is_memory(int64_t exit_code);

/* Something else ended the process: SIGKILL. */
bool failure_code_is_kill(int64_t exit_code);

/* It ended itself, as a failed allocation makes it do: SIGABRT, STATUS_STACK_BUFFER_OVERRUN (abort()). */
bool failure_code_is_abort(int64_t exit_code);

/* A line of a log. */
struct failure_line {
	size_t number;    /* from 1 */
	const char *text; /* borrowed from the log */
	size_t len;
};

/* Append the first `max` bytes of a line, without the escape sequences by which tools colour it. */
void failure_line_add(const struct failure_line *line, size_t max, struct strbuf *sb);

/*
 * The first line of the `nr` bytes of a log that says that memory was not there, as compilers and linkers write it. False:
 * none does.
 */
bool failure_find_memory(const char *log, size_t nr, struct failure_line *line);

/* The first line that reports an error, as compilers, linkers and cargo write it, coloured or not. */
bool failure_find_error(const char *log, size_t nr, struct failure_line *line);

/*
 * The first line in which cargo says that a program ended by a signal or a code of Windows, as in "(signal: 9, SIGKILL:
 * kill)" and "(exit code: 0xc0000017, ...)"; and that exit code.
 */
bool failure_find_code(const char *log, size_t nr, struct failure_line *line, int64_t *code);

#endif
