/*
 * The export's own: what of a process was told.
 */
#ifndef CONVERT_ETL_EXPORT_STATE_H
#define CONVERT_ETL_EXPORT_STATE_H

#include <stdbool.h>

#include "convert/etl_export.h"
#include "convert/etl_memory.h"
#include "util/intmap.h"

/* Images are told when a stack may be in them: most children run another program at once. */
enum shows {
	SHOWS_NOTHING,
	SHOWS_BEFORE, /* those of the program before, in `before`: the new one has not run yet */
	SHOWS_SPACE,  /* those in trace_process.space */
};

struct told_process {
	bool told, ended;
	enum shows shows;
	bool waits; /* it has images that were not told, and not of its parent alone */
	struct address_space before;
	struct etl_memory *memory; /* NULL: none yet, or over */
};

struct etl_export {
	struct machine *machine;
	struct etl_writer *writer;
	struct told_process *processes; /* by trace_process.index */
	size_t processes_nr;
	bool *threads; /* told; by trace_thread.index */
	size_t threads_nr;
	struct intmap told;      /* by pid: the last one told */
	struct intmap by_memory; /* by pid: the last one with memory */
	size_t copied;           /* ranges of memory that children have of their parents */
	struct etl_memory_calls calls;
	uint64_t *addresses; /* of a stack */
	size_t addresses_alloc;
	uint64_t *places; /* by module: where it was found last */
	size_t places_nr;
	uint64_t first_tick, tick;
	uint32_t cpu;
	bool stacked; /* the last event has a stack */
	uint32_t interval;
	struct etl_export_counts counts;
};

struct told_process *etl_export_told(struct etl_export *export,
				     const struct trace_process *process);

/* What is written next is later than what was. */
void etl_export_step(struct etl_export *export);

/* etl_export_images.c. A mapping of the process, or the kernel's (NULL), that has just come. */
void etl_export_mapping(struct etl_export *export, const struct trace_process *process,
			uint64_t address);
/* The process runs another program. */
void etl_export_exec_images(struct etl_export *export, const struct trace_process *process);
/* What a stack of the process may be in is told, what is over unloaded. `leaf` is its innermost place in the process. */
void etl_export_settle_images(struct etl_export *export, const struct trace_process *process,
			      uint64_t leaf);
/* What waits for a stack. */
void etl_export_end_images(struct etl_export *export, const struct trace_process *process);
/* Whether an image has the address, below what is mapped of its file. */
bool etl_export_reaches(const struct etl_export *export, const struct address_space *space,
			uint64_t address);

/*
 * etl_export_stack.c. The addresses of a stack in export->addresses, leaf first; how many. `process` may be NULL.
 */
size_t etl_export_addresses(struct etl_export *export, struct trace_process *process, int64_t tid,
			    const struct trace_stack *stack);

#endif
