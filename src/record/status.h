/*
 * The status line of a recording: rewritten in place on a terminal; otherwise printed every 30 seconds.
 */
#ifndef RECORD_STATUS_H
#define RECORD_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/tracker.h"
#include "util/printf_like.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct status {
	FILE *out;
	bool tty;
	bool shown;       /* the terminal shows a line, to be wiped */
	int64_t next_ns;  /* when the next line is due */
	const char *step; /* of status_step(), and its start */
	int64_t step_ns;
	int interrupts; /* before the steps */
};

struct status_facts {
	const char *what; /* "stage 1", "stage 2", "saving the trace" */
	int64_t elapsed_ns;
	int64_t trace_bytes;             /* -1: none */
	int64_t lost;                    /* events; -1: unknown */
	const struct tracker_live *live; /* NULL: not tracked */
};

void status_init(struct status *status, FILE *out);

/* Is a new line due? */
bool status_due(const struct status *status);

void status_show(struct status *status, const struct status_facts *facts);

/* Steps follow, which stop at the next interrupt, not at earlier ones: Ctrl-C may have ended the recording. */
void status_begin_steps(struct status *status);

/*
 * Show how far a step is, on a terminal only. To be called often: struct progress (util/progress.h) has it as `show`, with
 * the status as its `data`. False: the user has interrupted the steps.
 */
bool status_step(void *status, const char *step, int64_t done, int64_t total);

/* Wipe the line from the terminal, so that other text can be printed. */
void status_wipe(struct status *status);

/* Print a warning above the line and add it to `warnings` (of the manifest). */
void status_warn(struct status *status, struct strvec *warnings, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/*
 * Append the line, without a newline. Parts that do not fit `width` columns (0: no limit) are left out, the least
 * important first.
 */
void status_add_line(const struct status_facts *facts, size_t width, struct strbuf *sb);

#endif
