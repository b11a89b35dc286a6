/*
 * Decodes the records of perf.data.
 *
 * Format: include/uapi/linux/perf_event.h of Linux, enum perf_event_type.
 */
#ifndef TRACE_PERF_DECODE_H
#define TRACE_PERF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/perf/perf_events.h"

/* A decoded sample; the sample_type of its event says which fields it has. Pointers are into the record. */
struct perf_sample {
	uint32_t event; /* index of its event in the file's list */
	int32_t pid, tid;
	int32_t cpu;  /* -1: unknown */
	int64_t time; /* on the trace's clock */
	uint64_t period;
	/* The call chain; `stack.copy` is set to `copy` if the sample has registers and stack bytes. */
	struct trace_stack stack;
	struct trace_stack_copy copy; /* undefined otherwise */
	const unsigned char *raw;     /* tracepoint fields */
	uint32_t raw_nr;
};

/*
 * Decode a sample of `event` from its record, except for the field `event`. The record is aligned to 8 bytes. False: its
 * fields reach beyond the record. Frames of virtual machine guests are left out of the call chain.
 */
bool perf_decode_sample(const struct perf_event *event, const unsigned char *record, size_t size,
			struct perf_sample *sample);

/*
 * The kind of the addresses that follow in a call chain: PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER or another marker; 0: not
 * known. The first addresses, which may lack a marker, are of the kind of the sample, whose PERF_MISC_CPUMODE is `mode`.
 * The user part is the last one: what looks like a marker in it is memory of the program, to which invalid frame
 * pointers led.
 */
int64_t perf_chain_begin(const uint64_t *chain, uint64_t nr, int mode);
int64_t perf_chain_next(int64_t kind, uint64_t marker);

/* Parts of a sample, as offsets from the start of its record; one that the event does not have is empty. */
struct perf_sample_parts {
	size_t chain, chain_end; /* the call chain */
	size_t raw, raw_end;     /* u32 size and fields of a tracepoint */
	size_t copy, copy_end;   /* registers and stack bytes */
	bool has_copy; /* false: of a thread of the kernel, or the stack could not be read */
};

/* perf_decode_sample(), which also locates the sample's parts. */
bool perf_sample_locate(const struct perf_event *event, const unsigned char *record, size_t size,
			struct perf_sample *sample, struct perf_sample_parts *parts);

/*
 * Decode MMAP, MMAP2, COMM, FORK and EXIT. Time and CPU are in the trailer, the last `trailer` bytes, which is not decoded
 * here. Returns NULL, or what is wrong with the record.
 */
const char *perf_decode_event(const unsigned char *record, size_t size, size_t trailer,
			      struct trace_event *event);

#endif
