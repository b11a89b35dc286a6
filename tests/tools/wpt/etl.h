/*
 * Small trace files as a session writes them, of one processor, with time stamps in 100 ns ticks; and how such files are
 * merged.
 */
#ifndef WPT_ETL_H
#define WPT_ETL_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/etl_writer.h"
#include "util/strbuf.h"

struct etl_header {
	const char *session; /* "Relogger" where it was merged */
	const char *file;    /* "[multiple files]" where it was merged of several */
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
	struct etl_event *events; /* of files that are merged */
	size_t events_nr, events_alloc;
};

#define ETL_PROCESS_START 1
#define ETL_PROCESS_END   2
#define ETL_PROCESS_THERE 3 /* when the session began */
#define ETL_PROCESS_LEFT  4 /* when it ended */

#define ETL_INTERVAL_START 73
#define ETL_INTERVAL_END   74

void etl_begin(struct etl *etl, const struct etl_header *header);
void etl_mark(struct etl *etl, int64_t ticks, const char *text);
void etl_process(struct etl *etl, int64_t ticks, int opcode, uint32_t pid, uint32_t parent,
		 const char *image, const char *command_line);
/* The interval of sampling, in 100 ns. */
void etl_interval(struct etl *etl, int64_t ticks, int opcode, uint32_t interval);
/* The events of another file of this kind; -1 where it is none. */
int etl_append(struct etl *etl, const void *data, size_t len);
/* All events of merged files come by time. `data` is the whole file then. Released with strbuf_release(). */
void etl_end(struct etl *etl);

/* Whether the file begins as one does. */
bool etl_check(const void *data, size_t len);

/* When the file's session began and ended, and what it lost; zeros where it is no trace. */
void etl_read_times(const void *data, size_t len, struct etl_header *header);

#endif
