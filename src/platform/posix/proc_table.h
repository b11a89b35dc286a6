/*
 * The processes that are followed, by number: the living, and for a while the dead, whose last records may be late.
 */
#ifndef PLATFORM_POSIX_PROC_TABLE_H
#define PLATFORM_POSIX_PROC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proc_tracked {
	struct proc_tracked *next; /* in its bucket */
	int64_t pid;
	int64_t ppid;
	int64_t start_ns;
	int64_t scanned_ns; /* found by a look at /proc at this time, so older messages are known; 0: no */
	int64_t end_ns; /* of the last task seen to end; 0: none did */
	int64_t status; /* as from wait(), of the last task that did not end with 0, else of the leader */
	bool silent;       /* a root that is not part of the trace: its children are */
	bool ended;        /* PROC_EXIT is out */
	bool leader_ended; /* the first thread: others may go on */

	/* Tasks (threads, the first included): of this program, ended; in all, with a record of their end. */
	int64_t tasks;
	int64_t tasks_ended;
	int64_t tasks_ever;
	int64_t records;

	int64_t record_cpu_ns;  /* sum of the records */
	int64_t cpu_ns;         /* the most that any source said; -1: none did */
	int64_t peak_rss_bytes; /* likewise */
	int64_t told_cpu_ns;    /* as in the last PROC_USAGE */
	int64_t told_peak_rss_bytes;

	/* The last program it was seen to run. */
	bool has_run;
	bool unseen; /* it runs a program that could not be read yet */
	uint64_t image;
	int64_t arg_start;    /* polling */
	int64_t ran_ns;       /* when that was read */
	struct told *program; /* its last PROC_EXEC, where that is not handed out yet */
	int readers;          /* threads that read its command line */
	bool removed;         /* out of the table, for the last reader to free */

	int pidfd;          /* polling; -1: none */
	int64_t looked_ns;  /* polling: when its program was last compared */
	int64_t sampled_ns; /* when its usage was last looked up */
};

struct proc_table {
	struct proc_tracked **buckets;
	size_t size; /* a power of two; 0 before the first */
	size_t nr;
	size_t living;
};

void proc_table_release(struct proc_table *table);

/* NULL where it is not followed. */
struct proc_tracked *proc_table_find(const struct proc_table *table, int64_t pid);

/* A new entry for `pid`, which has none. */
struct proc_tracked *proc_table_add(struct proc_table *table, int64_t pid);

/* A reader is done. */
void proc_table_release_reader(struct proc_tracked *p);

/* Remove all for which `is_done` says so, after it has done with them. */
void proc_table_sweep(struct proc_table *table, bool (*is_done)(struct proc_tracked *p, void *data),
		      void *data);

#endif
