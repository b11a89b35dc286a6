/*
 * Writes events of a trace as lines of text, for comparison.
 */
#ifndef TESTS_SUPPORT_TRACE_TEXT_H
#define TESTS_SUPPORT_TRACE_TEXT_H

#include "model/trace_event.h"
#include "util/strbuf.h"

/* "1500 11/11@0 start of 10 copied", "2000 11/12@1 cpu 1000000ns k:81000000 u:4010 4110": time, who, CPU, what. */
void trace_text_add(struct strbuf *sb, const struct trace_event *event);

#endif
