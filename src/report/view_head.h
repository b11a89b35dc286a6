/*
 * The lines above the rows of a view in text: what the numbers cover, and how far they can be trusted.
 */
#ifndef REPORT_VIEW_HEAD_H
#define REPORT_VIEW_HEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/account.h"
#include "util/strbuf.h"

struct view_head {
	const struct trace_facts *facts;
	const struct results *results; /* NULL: only range and losses */
	int64_t from_ns, to_ns;        /* the range of time; to_ns INT64_MAX: to the end */
	int64_t last_ns;               /* the last event of the recording; -1: unknown */
	bool filtered;                 /* some processes were left out */
	uint64_t stacks_truncated;     /* shown if results->stacks has no samples */
	const char *more;              /* lines of the view itself; NULL: none */
};

/* Print the lines and an empty one after them. */
void view_head_print(const struct view_head *head, FILE *out);

/* Start a line: `label` and the gap after it; an empty label continues the subject of the line above. */
void view_head_label(struct strbuf *sb, const char *label);

#endif
