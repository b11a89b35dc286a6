/*
 * Events of the kernel and of what is added when a trace is merged, for an ETL file: at the time and on the processor
 * that etl_writer_at() said.
 *
 * Format: the MOF classes of the kernel's events, and KernelTraceControl's; the newest layouts that are documented.
 */
#ifndef CONVERT_ETL_EVENTS_H
#define CONVERT_ETL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/etl_writer.h"

/* What happened to a process, a thread, an image. */
enum etl_event_life {
	ETL_EVENT_STARTS = 1,
	ETL_EVENT_ENDS = 2,
	ETL_EVENT_WAS_THERE = 3, /* when the session began */
	ETL_EVENT_IS_LEFT = 4,   /* when it ended */
	ETL_EVENT_LOADS = 10,    /* images have it in place of ETL_EVENT_STARTS */
};

struct etl_writer_process {
	uint32_t pid, parent, session;
	uint32_t exit_status; /* of one that ends */
	const char *image;    /* file name */
	const char *command_line;
};

/* True: the command line was longer than an event can be, and is cut. */
bool etl_write_process(struct etl_writer *writer, enum etl_event_life life,
		       const struct etl_writer_process *process);

void etl_write_thread(struct etl_writer *writer, enum etl_event_life life, uint32_t pid,
		      uint32_t tid, const char *name);
void etl_write_thread_name(struct etl_writer *writer, uint32_t pid, uint32_t tid, const char *name);

struct etl_writer_image {
	uint64_t base, size;
	uint32_t pid; /* 0: the kernel's */
	uint32_t checksum, timestamp;
	const char *path; /* as the kernel names it: \Device\HarddiskVolume3\... */
};

void etl_write_image(struct etl_writer *writer, enum etl_event_life life,
		     const struct etl_writer_image *image);
/* What a merge tells of an image: `name` is the original file's; of its PDB. */
void etl_write_image_id(struct etl_writer *writer, const struct etl_writer_image *image,
			const char *name);
void etl_write_pdb(struct etl_writer *writer, uint64_t base, uint32_t pid, const uint8_t *guid,
		   uint32_t age, const char *name);

void etl_write_sample(struct etl_writer *writer, uint64_t address, uint32_t tid);

enum etl_event_interval {
	ETL_EVENT_INTERVAL_CHANGES = 72,
	ETL_EVENT_INTERVAL_STARTS,
	ETL_EVENT_INTERVAL_ENDS
};

/* Of samples of the timer, in units of 100 ns. */
void etl_write_interval(struct etl_writer *writer, enum etl_event_interval what, uint32_t interval,
			uint32_t before);

/* The stack of the event with this tick, leaf first. */
void etl_write_stack(struct etl_writer *writer, uint64_t tick, uint32_t pid, uint32_t tid,
		     const uint64_t *addresses, size_t nr);

/* The same by a key, for its kernel or its user part; the addresses follow in a definition. */
enum etl_event_key { ETL_EVENT_KERNEL_KEY = 37, ETL_EVENT_USER_KEY = 38 };
enum etl_event_definition {
	ETL_EVENT_KEY_CREATED = 34,
	ETL_EVENT_KEY_DELETED = 35,
	ETL_EVENT_KEY_LEFT = 36
};

void etl_write_stack_key(struct etl_writer *writer, enum etl_event_key part, uint64_t tick,
			 uint32_t pid, uint32_t tid, uint64_t key);
void etl_write_stack_definition(struct etl_writer *writer, enum etl_event_definition what,
				uint64_t key, const uint64_t *addresses, size_t nr);

enum { ETL_CALL_COMMIT = 0x1000, ETL_CALL_RESERVE = 0x2000 };
enum { ETL_CALL_DECOMMIT = 0x4000, ETL_CALL_RELEASE = 0x8000 };

void etl_write_alloc(struct etl_writer *writer, uint64_t address, uint64_t length, uint32_t pid,
		     uint32_t flags);
void etl_write_free(struct etl_writer *writer, uint64_t address, uint64_t length, uint32_t pid,
		    uint32_t flags);

void etl_write_mark(struct etl_writer *writer, const char *text);

/* Where a volume is: "\Device\HarddiskVolume3\" is "C:\". */
void etl_write_volume(struct etl_writer *writer, const char *device, const char *drive);
void etl_write_build(struct etl_writer *writer, const char *lab, const char *product);

#endif
