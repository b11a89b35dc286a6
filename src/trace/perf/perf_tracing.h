/*
 * The TRACING_DATA of perf.data: the layouts of the tracepoints, as format texts of the kernel.
 *
 * Format, as tools/perf/util/trace-event-info.c of Linux writes it: 23 8 68 "tracing", version text, u8 1 for
 * big endian, u8 bytes of a long, u32 page size; "header_page" and "header_event", each with a u64 size and
 * text; u32 count of ftrace's formats, each a u64 size and text; u32 count of systems, each a name, a u32
 * count, and formats. What follows (kallsyms, printk, command lines) is not read. Texts end in NUL.
 */
#ifndef TRACE_PERF_TRACING_H
#define TRACE_PERF_TRACING_H

#include <stddef.h>
#include <stdint.h>

#include "trace/perf/tracepoint_format.h"
#include "util/intmap.h"

struct perf_tracepoint {
	char *system; /* "syscalls" */
	struct tracepoint_format format;
};

struct perf_tracing {
	struct perf_tracepoint *v;
	size_t nr, alloc;
	struct intmap by_id; /* index + 1 of the first format of an id */
};

void perf_tracing_init(struct perf_tracing *tracing);
void perf_tracing_release(struct perf_tracing *tracing);

/* Add all valid formats. -1: one is damaged; `err` has the reason. */
int perf_tracing_parse(struct perf_tracing *tracing, const unsigned char *data, size_t nr,
		       struct err *err);

/* The tracepoint with this attr.config; NULL: unknown. */
const struct perf_tracepoint *perf_tracing_find(const struct perf_tracing *tracing, uint64_t id);

#endif
