/*
 * How much memory the whole machine used over time: events that the kernel writes twice a second if they are requested
 * (keyword MemoryInfo of WPR, flag MEMINFO of xperf).
 *
 * Format: PERFINFO_MEMORY_INFORMATION and the counts that follow it, as winsiderss/phnt has them; event 1 of the manifest
 * of Microsoft-Windows-Kernel-Memory, as repnz/etw-providers-docs has it. No file with such events could be had: see
 * docs/etl.md.
 */
#ifndef TRACE_ETL_MACHINE_MEMORY_H
#define TRACE_ETL_MACHINE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/trace_facts.h"
#include "trace/etl/etl_clock.h"
#include "trace/etl/etl_record.h"

#define ETL_MEMORY_INFO 112 /* of ETL_PAGE_FAULT */

struct etl_machine_memory;

struct etl_machine_memory *etl_machine_memory_new(void);
void etl_machine_memory_free(struct etl_machine_memory *memory); /* accepts NULL */

/*
 * Add an event of ETL_PAGE_FAULT or ETL_KERNEL_MEMORY; those of other opcodes or ids are ignored. False: it lacks fields,
 * or has more memory than there can be.
 */
bool etl_machine_memory_add(struct etl_machine_memory *memory, const struct etl_record *record);

/* Call it once, after the last event: it sorts them by time. */
void etl_machine_memory_make(struct etl_machine_memory *memory);

/* Append them, without times; set their times. `page_size` is that of the machine; 0: unknown. */
void etl_machine_memory_report(const struct etl_machine_memory *memory, uint32_t page_size,
			       struct trace_facts *facts);
void etl_machine_memory_set_times(const struct etl_machine_memory *memory,
				  const struct etl_clock_base *base, struct trace_facts *facts);

#endif
