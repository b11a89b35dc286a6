/*
 * A made-up build, as an ETL file and as a perf.data: both have the same facts as far as they can, so that their tables are
 * equal. Half a second on two processors: a process that existed before, one that is only in the rundown at the end,
 * a compiler with a second thread, a linker; samples, commits, some of large pages, a reservation that is committed in
 * pieces, parts that are freed and decommitted, and committed again, advice to purge.
 */
#ifndef TESTS_SUPPORT_SCENARIO_H
#define TESTS_SUPPORT_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/etl_writer.h"
#include "support/perf_writer.h"
#include "util/strbuf.h"

enum scenario_stacks {
	SCENARIO_WHOLE, /* kernel and user part in one record */
	SCENARIO_SPLIT, /* the user part is written later, as when a thread leaves the kernel */
	SCENARIO_KEYS,  /* stacks are keys, few of which are reused */
};

/* Options of the ETL file; 0 is the usual value. They do not change the tables, except for the last ones. */
struct scenario_options {
	enum etl_compression compression;
	enum scenario_stacks stacks;
	uint32_t buffer_size;
	uint64_t frequency; /* ticks a second, 0: 10 MHz; times of the scenario are whole 100 us */
	bool devices; /* paths that are "C:\rust\..." begin with the device of the drive instead */
	/* Facts that perf.data cannot have: the tables differ by these. */
	bool commands;       /* command lines, and so crates */
	bool parent_commits; /* the parent commits 1 MB in the compiler, with its own stack */
	uint32_t lost_events, lost_buffers;
};

void scenario_write_etl(const struct scenario_options *options, struct strbuf *file);

/* A writer with the records of the scenario, not finished. */
struct perf_writer *scenario_perf(enum perf_writer_form form);

#endif
