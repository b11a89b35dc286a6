/*
 * The first look at a trace, buffer by buffer in no order: all that has to be known before its events can be told by time,
 * and what is told of the trace as a whole (etl_facts.h). It keeps what is different, not what is many.
 */
#ifndef TRACE_ETL_PRELUDE_H
#define TRACE_ETL_PRELUDE_H

#include <stddef.h>
#include <stdint.h>

#include "platform/helper.h"
#include "trace/etl/etl_counts.h"
#include "trace/etl/etl_file.h"
#include "trace/etl/etl_heaps.h"
#include "trace/etl/etl_keys.h"
#include "trace/etl/etl_rates.h"
#include "trace/etl/etl_timeline.h"
#include "util/err.h"

struct etl_mark {
	uint64_t time;
	char *text;
};

struct etl_prelude {
	struct etl_timeline *timeline;
	struct etl_keys *keys;
	struct etl_counts *counts;
	struct etl_heaps *heaps;
	struct etl_rates *rates;
	struct etl_mark *marks; /* by time */
	size_t marks_nr, marks_alloc;
	uint64_t span;                     /* of the window, in ticks: see etl_window.h */
	uint64_t first, last;              /* ticks of events; first > last: there are none */
	uint64_t idle, idle_busy;          /* samples of the idle thread; those in a DPC or ISR */
	uint64_t unordered;                /* behind a later one of their processor */
	uint64_t damaged;                  /* payloads that are not what they must be */
	struct strbuf first_damage;        /* empty: none */
	uint16_t first_damaged;            /* the file's number */
	char *computer, *cpu_name, *build; /* NULL: not told */
	uint16_t architecture;
	int64_t memory_bytes;  /* -1 */
	bool asked_for_memory; /* its events were to be recorded */
};

/* Look at all of the files, the helper loading next buffers. `prelude` is to be released in any case. */
int etl_prelude_read(struct etl_prelude *prelude, struct etl_file *const *files, size_t nr,
		     struct helper *helper, struct err *err);
void etl_prelude_release(struct etl_prelude *prelude);

#endif
