/*
 * Writes small trace files as a session does, of one processor, with time stamps in ticks of 100 ns; merges such files.
 */
#ifndef WPT_ETL_H
#define WPT_ETL_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/etl_writer.h"
#include "util/strbuf.h"

struct etl_header {
	const char *session; /* "Relogger" for a merged file */
	const char *file;    /* "[multiple files]" if several were merged */
	uint32_t build;      /* of Windows: 26100 */
	uint32_t mode;       /* LogFileMode */
	uint32_t events_lost;
	int64_t start_ticks;
	int64_t start_filetime, end_filetime;
};

struct etl_event;

struct etl {
	struct strbuf data;
	struct etl_writer *writer;
	int64_t end_ticks;
	struct etl_event *events; /* events of the files to merge */
	size_t events_nr, events_alloc;
};

#define ETL_PROCESS_START 1
#define ETL_PROCESS_END   2
#define ETL_PROCESS_THERE 3 /* existed when the session began */
#define ETL_PROCESS_LEFT  4 /* existed when the session ended */

#define ETL_INTERVAL_START 73
#define ETL_INTERVAL_END   74

void etl_begin(struct etl *etl, const struct etl_header *header);
void etl_mark(struct etl *etl, int64_t ticks, const char *text);
void etl_process(struct etl *etl, int64_t ticks, int opcode, uint32_t pid, uint32_t parent,
		 const char *image, const char *command_line);
/* Add the sampling interval, in 100 ns. */
void etl_interval(struct etl *etl, int64_t ticks, int opcode, uint32_t interval);
/*
 * Add calls of the heap of a process, as ntdll does if it is traced: 448 KB in three blocks, one of which is freed,
 * that of 64 KB.
 */
void etl_heap_calls(struct etl *etl, int64_t ticks, uint32_t pid);
/* Add a heap snapshot, `number` of the process, in two parts of unknown bytes. */
void etl_heap_snapshot(struct etl *etl, int64_t ticks, uint32_t pid, uint32_t number);
/* Add the events of another such file; -1: it is not one. */
int etl_append(struct etl *etl, const void *data, size_t len);
/* Complete the file, which is then in `data`. The events of merged files are sorted by time. Release `data`. */
void etl_end(struct etl *etl);

/* Whether it begins like a trace file. */
bool etl_check(const void *data, size_t len);

/* Read start, end and lost events of the file's session; zeros if it is not a trace. */
void etl_read_times(const void *data, size_t len, struct etl_header *header);

#endif
