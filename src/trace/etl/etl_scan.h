/*
 * The first pass over a trace, buffer by buffer, in no order of time. It collects what must be known before events can be
 * delivered by time, and the facts of the trace. Its memory grows with distinct things (stacks, processes, images, parts of
 * heap snapshots), not with the number of events.
 */
#ifndef TRACE_ETL_SCAN_H
#define TRACE_ETL_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_facts.h"
#include "platform/helper.h"
#include "trace/etl/etl_clock.h"
#include "trace/etl/etl_config.h"
#include "trace/etl/etl_counts.h"
#include "trace/etl/etl_digest.h"
#include "trace/etl/etl_file.h"
#include "trace/etl/etl_heap.h"
#include "trace/etl/etl_machine_memory.h"
#include "trace/etl/etl_rates.h"
#include "trace/etl/etl_snapshots.h"
#include "trace/etl/etl_timeline.h"
#include "trace/etl/etl_window.h"
#include "trace/trace_format.h"
#include "util/err.h"

struct etl_mark {
	uint64_t time;
	char *text;
};

struct etl_scan {
	struct etl_timeline *timeline;
	struct etl_keys *keys;
	struct etl_counts *counts;
	struct etl_heaps *heaps;
	struct etl_snapshots *snapshots;
	struct etl_machine_memory *machine_memory;
	struct etl_config *config;
	struct etl_rates *rates;
	/* The events that etl_scan_has_digest() asks for; NULL: none were requested. */
	struct etl_digest *digest;
	unsigned digest_kinds;   /* bits of enum etl_kinds */
	bool digest_no_switches; /* it is of no use if the trace has context switches */
	struct etl_mark *marks;  /* by time */
	size_t marks_nr, marks_alloc;
	uint64_t span;            /* of the window, in ticks: see etl_window.h */
	uint64_t first, last;     /* ticks of events; first > last: there are none */
	uint64_t idle, idle_busy; /* samples of the idle thread; those in a DPC or ISR */
	uint64_t unordered;       /* events earlier than their predecessor on the same processor */
	uint64_t damaged;         /* invalid payloads */
	struct strbuf first_damage;        /* empty: none */
	uint16_t first_damaged;            /* the file's number */
	char *computer, *cpu_name, *build; /* NULL: unknown */
	uint16_t architecture;
	uint32_t page_size;    /* 0: unknown */
	int64_t memory_bytes;  /* -1 */
	bool asked_for_memory; /* the session requested memory events */
	bool threads_known;    /* each sample is after the start of its thread */
};

/*
 * Scan all files; the helper prefetches buffers. If the options, or those of the next time, need no stacks, there is a
 * digest of the events that they need. The caller releases `scan`, also after a failure.
 */
int etl_scan_files(struct etl_scan *scan, struct etl_file *const *files, size_t nr,
		   const struct trace_options *options, struct helper *helper, struct err *err);
void etl_scan_release(struct etl_scan *scan);

/* Whether the digest has all events that the options need. */
bool etl_scan_has_digest(const struct etl_scan *scan, const struct trace_options *options);

/* Set all facts except times; to be called once, with at least one file. */
void etl_scan_set_facts(const struct etl_scan *scan, struct etl_file *const *files, size_t nr,
			struct trace_facts *facts);

/* Set the times in the facts, relative to `base`; may be called again with another base. */
void etl_scan_set_times(const struct etl_scan *scan, const struct etl_clock_base *base,
			struct trace_facts *facts);

#endif
