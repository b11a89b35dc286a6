/*
 * The TRACING_DATA of perf.data: the layouts of the tracepoints, as format texts of the kernel.
 *
 * Format, as tools/perf/util/trace-event-info.c of Linux writes it: 23 8 68 "tracing", version text, u8 1 for
 * big endian, u8 bytes of a long, u32 page size; "header_page" and "header_event", each with a u64 size and
 * text; u32 count of ftrace's formats, each a u64 size and text; u32 count of systems, each a name, a u32
 * count, and formats. What follows (kallsyms, printk, command lines) is not read. Texts end in NUL.
 *
 * The layout of a tracepoint's raw data, from a format text: Documentation/trace/events.rst of Linux, "Event formats":
 * lines like "field:unsigned long addr;	offset:16;	size:8;	signed:0;".
 */
#ifndef TRACE_PERF_TRACING_H
#define TRACE_PERF_TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/intmap.h"
#include "util/strbuf.h"

enum tracepoint_field_kind {
	TRACEPOINT_NUMBERS, /* one of 1, 2, 4 or 8 bytes, or an array of longs */
	TRACEPOINT_TEXT,    /* "char comm[16]" */
	TRACEPOINT_LOCATION, /* "__data_loc char[] filename": u16 offset and u16 size of a text in the raw data */
	TRACEPOINT_RELATIVE, /* "__rel_loc char[] filename": the same, the offset from the end of the field */
	TRACEPOINT_OTHER,
};

struct tracepoint_field {
	char *name; /* "len", of "field:size_t len;" */
	uint32_t offset, size;
	bool is_signed;
	enum tracepoint_field_kind kind;
};

struct tracepoint_format {
	char *name; /* "sys_enter_mmap" */
	int64_t id;
	struct tracepoint_field *fields;
	size_t nr, alloc;
};

/* Parse `text` (`nr` bytes, need not end in NUL). ERR_CORRUPT: it is no format, and `format` is empty. */
int tracepoint_format_parse(const char *text, size_t nr, struct tracepoint_format *format,
			    struct err *err);
void tracepoint_format_release(struct tracepoint_format *format);

/* The field of this name; NULL: there is none. */
const struct tracepoint_field *tracepoint_format_field(const struct tracepoint_format *format,
						       const char *name);

/*
 * Get a field's value from raw data: 1, 2, 4 or 8 bytes, sign-extended if it is signed. False: the data lacks a part of it.
 */
bool tracepoint_field_get(const struct tracepoint_field *field, const unsigned char *raw,
			  size_t raw_nr, uint64_t *value);

/* Whether an event is of a tracepoint, both without system: perf may append terms or modifiers, "/call-graph=fp/", ":u". */
bool tracepoint_is_named(const char *event, const char *name);

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

/*
 * Append TRACING_DATA with the formats of systems that every kernel has, as they are, and leave out all others, such as
 * probes that users defined, and names of kernel functions and of processes. `*left_out` is the number of formats left
 * out. False: it is damaged.
 */
bool perf_tracing_add_common(const unsigned char *data, size_t nr, struct strbuf *to,
			     uint64_t *left_out);

/* Whether every kernel has the system. */
bool perf_tracing_is_common(const char *system, size_t nr);

/* The tracepoint with this attr.config; NULL: unknown. */
const struct perf_tracepoint *perf_tracing_find(const struct perf_tracing *tracing, uint64_t id);

#endif
