/*
 * The layout of a tracepoint's raw data, from the kernel's format text, which perf.data contains.
 *
 * Format: Documentation/trace/events.rst of Linux, "Event formats": lines like
 * "field:unsigned long addr;	offset:16;	size:8;	signed:0;".
 */
#ifndef TRACE_TRACEPOINT_FORMAT_H
#define TRACE_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct tracepoint_field {
	char *name; /* "len", of "field:size_t len;" */
	uint32_t offset, size;
	bool is_signed;
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

#endif
