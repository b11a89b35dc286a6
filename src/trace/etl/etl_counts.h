/*
 * Counts events by provider and opcode; manifest events by provider and id.
 */
#ifndef TRACE_ETL_COUNTS_H
#define TRACE_ETL_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/trace_facts.h"
#include "trace/etl/etl_record.h"

struct etl_counts;

struct etl_counts *etl_counts_new(void);
void etl_counts_free(struct etl_counts *counts);

void etl_counts_add(struct etl_counts *counts, const struct etl_record *record);
/* Count a kernel event of a group. */
void etl_counts_add_kernel(struct etl_counts *counts, uint8_t group, uint8_t opcode);

/* The number of a kernel event. */
uint64_t etl_counts_get(const struct etl_counts *counts, enum etl_provider provider,
			uint8_t opcode);

/*
 * Append the counts, in the same order for every file: "PerfInfo/SampledProfile", "Process/77" if the opcode has no name
 * here, "DiskIo/Read", "{22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716}/1" for a provider outside the kernel.
 */
void etl_counts_report(const struct etl_counts *counts, struct trace_facts *facts);

#endif
