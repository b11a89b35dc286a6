/*
 * The line that tells how a recording is coming along: rewritten in place on a terminal, a plain line now and
 * then elsewhere. It goes to stderr.
 */
#ifndef RECORD_STATUS_H
#define RECORD_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/tracker.h"
#include "util/strbuf.h"

struct status {
	FILE *out;
	bool tty;
	bool shown;      /* a line stands on the terminal, to be wiped */
	int64_t next_ns; /* when the next line is due */
};

struct status_facts {
	const char *what; /* "stage 1", "stage 2", "saving the trace" */
	int64_t elapsed_ns;
	int64_t trace_bytes;             /* -1: none */
	int64_t lost;                    /* events; -1: not known */
	const struct tracker_live *live; /* NULL: not tracked */
};

void status_init(struct status *status, FILE *out);

/* Is a new line due? Facts are gathered only then. */
bool status_due(const struct status *status);

void status_show(struct status *status, const struct status_facts *facts);

/* Wipe the line from the terminal, so that other text can be printed. */
void status_wipe(struct status *status);

/*
 * The line itself, without an end of line. What does not fit `width` columns (0: any) is left out, the least
 * important first.
 */
void status_add_line(const struct status_facts *facts, size_t width, struct strbuf *sb);

#endif
