/*
 * Parts of view_report.c: what the trace has of each kind of value, and the overview.
 */
#ifndef CLI_VIEW_REPORT_PARTS_H
#define CLI_VIEW_REPORT_PARTS_H

#include <stdint.h>

#include "util/err.h"
#include "util/strbuf.h"

struct trace_facts;
struct view_report;

/* Choose the steps of time, and play the trace for each kind of value: their stacks, what the crates had. */
int view_report_take_kinds(struct view_report *report, struct err *err);

/* Facts that a bare trace has of the machine and of its profiler: the overview shows them after all others. */
void view_report_add_trace(struct view_report *report, const struct trace_facts *facts);

/* The facts of the overview, when all else is known. */
void view_report_add_facts(struct view_report *report);

/* A fact, with its text, which it takes; a problem; and one for each line, released. Empty ones are none. */
void view_report_add_fact(struct view_report *report, const char *label, char *text);
void view_report_add_problem(struct view_report *report, const char *text);
void view_report_add_problems(struct view_report *report, struct strbuf *lines);

#endif
