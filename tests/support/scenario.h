/*
 * A made-up build, as an ETL file and as a perf.data: both have the same facts as far as they can, so that their tables are
 * equal. Half a second on two processors: a process that existed before, one that is only in the rundown at the end,
 * a compiler with a second thread, a linker; samples, commits, a reservation that is committed in pieces, parts that are
 * freed and decommitted, and committed again.
 */
#ifndef TESTS_SUPPORT_SCENARIO_H
#define TESTS_SUPPORT_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/etl_writer.h"
#include "support/perf_writer.h"
#include "util/strbuf.h"

enum scenario_stacks {
	SCENARIO_WHOLE, /* kernel and process in one record */
	SCENARIO_SPLIT, /* the process's part comes later, as when a thread leaves the kernel */
	SCENARIO_KEYS,  /* it is a key, of few that are used again */
};

/* How the ETL file is made; 0 is what is usual. The tables are the same. */
struct scenario_options {
	enum etl_packing packing;
	enum scenario_stacks stacks;
	uint32_t buffer_size;
	uint64_t frequency; /* ticks a second, 0: 10 MHz; times of the scenario are whole 100 us */
	bool devices; /* paths begin with the device of the drive C:, where they are "C:\rust\..." */
	/* What perf can't say: the tables differ by this. */
	bool commands;       /* command lines, and with them crates */
	bool parent_commits; /* the compiler gets 1 MB by its parent, which the parent's stack is of */
	uint32_t lost_events, lost_buffers;
};

void scenario_write_etl(const struct scenario_options *options, struct strbuf *file);

/* A writer with the scenario in it, not finished. */
struct perf_writer *scenario_perf(enum perf_writer_form form);

#endif
