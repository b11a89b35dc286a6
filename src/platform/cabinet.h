/*
 * Unpacks cabinets, as which symbol servers keep compressed files (.pd_). Linux: by libmspack, which is loaded when it is
 * first needed. Windows: by its own cabinet.dll. No more is written than the cabinet says, whatever its data is.
 *
 * Format: Microsoft's [MS-CAB], "Cabinet File Format".
 */
#ifndef PLATFORM_CABINET_H
#define PLATFORM_CABINET_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* The size of the cabinet that begins with these CABINET_HEAD bytes, as they say; -1: it is no cabinet. */
#define CABINET_HEAD 36
int64_t cabinet_head_size(const void *head);

/* Whether cabinets can be unpacked here; ERR_UNSUPPORTED: there is no libmspack. */
int cabinet_check(struct err *err);

/* Gets the file in the cabinet. Each function returns 0, or -1 with `err` to stop. */
struct cabinet_sink {
	void *data;
	/* It begins, and has `total` bytes. */
	int (*begin)(void *data, uint64_t total, struct err *err);
	int (*write)(void *data, const void *bytes, size_t nr, struct err *err);
};

/*
 * Unpack the cabinet at `path`, in which is one file; its name there does not matter. ERR_UNSUPPORTED: as
 * cabinet_check(), or there are no or several files, or it is a part of a set; ERR_CORRUPT: no cabinet, or a damaged one;
 * or the sink's own errors.
 */
int cabinet_unpack(const char *path, const struct cabinet_sink *sink, struct err *err);

#endif
