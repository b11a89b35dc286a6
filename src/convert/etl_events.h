/*
 * Writes the events of the Windows kernel, and those that merging a trace adds, to an ETL file. Time and processor of an
 * event are set with etl_writer_at() before.
 *
 * Format: the MOF classes of the kernel's events and of KernelTraceControl, in their newest documented versions.
 */
#ifndef CONVERT_ETL_EVENTS_H
#define CONVERT_ETL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/etl_writer.h"

/* Opcodes of process, thread and image events. */
enum etl_event_life {
	ETL_EVENT_START = 1,
	ETL_EVENT_END = 2,
	ETL_EVENT_DC_START = 3, /* rundown: existed when the session began */
	ETL_EVENT_DC_END = 4,   /* rundown: existed when the session ended */
	ETL_EVENT_LOAD = 10,    /* images have this instead of ETL_EVENT_START */
};

struct etl_writer_process {
	uint32_t pid, parent, session;
	uint32_t exit_status; /* for ETL_EVENT_END */
	const char *image;    /* file name */
	const char *command_line;
};

/* Write a process event. True: the command line does not fit into an event, and was truncated. */
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
/* Events that merging adds for an image: `name` is its original file name, or that of its PDB. */
void etl_write_image_id(struct etl_writer *writer, const struct etl_writer_image *image,
			const char *name);
void etl_write_pdb(struct etl_writer *writer, uint64_t base, uint32_t pid, const uint8_t *guid,
		   uint32_t age, const char *name);

void etl_write_sample(struct etl_writer *writer, uint64_t address, uint32_t tid);

enum etl_event_interval {
	ETL_EVENT_INTERVAL_SET = 72,
	ETL_EVENT_INTERVAL_START,
	ETL_EVENT_INTERVAL_END
};

/* The sampling interval of the timer, and the one before, in units of 100 ns. */
void etl_write_interval(struct etl_writer *writer, enum etl_event_interval what, uint32_t interval,
			uint32_t before);

/* The stack of the event at time stamp `tick`, leaf first. */
void etl_write_stack(struct etl_writer *writer, uint64_t tick, uint32_t pid, uint32_t tid,
		     const uint64_t *addresses, size_t nr);

/* The same by key, for the kernel or the user part of the stack. A later definition gives the addresses of the key. */
enum etl_event_key { ETL_EVENT_KERNEL_KEY = 37, ETL_EVENT_USER_KEY = 38 };
enum etl_event_definition {
	ETL_EVENT_KEY_CREATED = 34,
	ETL_EVENT_KEY_DELETED = 35,
	ETL_EVENT_KEY_RUNDOWN = 36
};

void etl_write_stack_key(struct etl_writer *writer, enum etl_event_key part, uint64_t tick,
			 uint32_t pid, uint32_t tid, uint64_t key);
void etl_write_stack_definition(struct etl_writer *writer, enum etl_event_definition what,
				uint64_t key, const uint64_t *addresses, size_t nr);

enum { ETL_CALL_COMMIT = 0x1000, ETL_CALL_RESERVE = 0x2000 };
enum { ETL_CALL_DECOMMIT = 0x4000, ETL_CALL_RELEASE = 0x8000 };

/* VirtualFree if the flags are DECOMMIT or RELEASE, else VirtualAlloc. */
void etl_write_virtual(struct etl_writer *writer, uint64_t address, uint64_t length, uint32_t pid,
		       uint32_t flags);

void etl_write_mark(struct etl_writer *writer, const char *text);

/* The drive of a volume: "\Device\HarddiskVolume3\" is "C:\". */
void etl_write_volume(struct etl_writer *writer, const char *device, const char *drive);
void etl_write_build(struct etl_writer *writer, const char *lab, const char *product);

#endif
