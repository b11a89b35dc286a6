/*
 * The events of a perf.data file: what each measures, and the offsets of the fields in its samples and in the trailers of
 * other records.
 *
 * Format: struct perf_event_attr and `struct sample_id` of include/uapi/linux/perf_event.h of Linux.
 */
#ifndef TRACE_PERF_EVENTS_H
#define TRACE_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/linux_touches.h"
#include "util/intmap.h"

#define PERF_EVENTS_MAX 32767
#define PERF_NO_EVENT   UINT32_C(32767)

#define PERF_ATTR_MIN 64   /* bytes of the first version of struct perf_event_attr */
#define PERF_ATTR_MAX 4096 /* the kernel's limit: a page */

enum perf_use {
	PERF_UNUSED, /* only counted */
	PERF_CPU,
	PERF_MEMORY,
	PERF_TOUCH,
};

struct perf_event {
	char *name; /* NULL: not known yet */
	uint32_t type;
	uint64_t config;
	uint64_t period; /* events between two samples; with `frequency`, samples per second */
	bool frequency;
	bool trailers;   /* other records have a trailer */
	bool user_chain; /* call chains have a user part, found by frame pointers */
	bool distilled;  /* call chains have what was unwound from stack copies: perf_rewrite.h */
	bool use_clockid;
	int32_t clockid;
	uint64_t sample_type, read_format, branch_type;
	uint64_t regs_user;  /* mask of the registers in a stack copy */
	uint32_t stack_user; /* bytes of a stack copy */
	/* Offsets from the start of a sample, or from the end of another record; 0: no such field. */
	uint32_t sample_time, sample_id;
	uint32_t trailer, trailer_time, trailer_cpu, trailer_id;
	/* What the reader does with its samples. */
	enum perf_use use;
	int64_t weight_ns; /* PERF_CPU: weight of each sample; 0: its period */
	uint64_t samples;  /* number of samples so far */
	uint64_t lost; /* samples that were lost, as far as the file says of which event they are */
	bool stack_only;                /* PERF_CPU: its samples count for nothing, see trace_cpu */
	struct linux_touch_event touch; /* PERF_TOUCH */
	bool paired; /* one of several events of the same tracepoint, with and without copies */
};

struct perf_events {
	struct perf_event *v;
	size_t nr, alloc;
	bool timed;        /* an event has samples with a time */
	struct intmap ids; /* by id of a sample: the event's index + 1 */
	size_t ids_nr;     /* number of added ids, repeated ones too */
	uint64_t last_id;
	uint32_t last_event;
};

void perf_events_init(struct perf_events *events);
void perf_events_release(struct perf_events *events);

/* Add the event of a struct perf_event_attr of any version. Returns its index; PERF_NO_EVENT: it is invalid. */
uint32_t perf_events_add(struct perf_events *events, const unsigned char *attr, size_t nr);
void perf_events_add_id(struct perf_events *events, uint64_t id, uint32_t event);

/* The event of an id; PERF_NO_EVENT: unknown. */
uint32_t perf_events_by_id(struct perf_events *events, uint64_t id);

/* The event of a sample record, by its id. */
uint32_t perf_events_of_sample(struct perf_events *events, const unsigned char *record,
			       size_t size);

/* The event that defines the trailer of a record other than a sample; NULL: it has no trailer. */
const struct perf_event *perf_events_of_trailer(struct perf_events *events,
						const unsigned char *record, size_t size);

/* A name by type and config; the caller frees it. */
char *perf_event_default_name(const struct perf_event *event);

/* Whether its samples have user registers and stack bytes, or had them before they were distilled. */
bool perf_event_has_copies(const struct perf_event *event);

#endif
