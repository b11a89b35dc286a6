/*
 * The processes that the watch follows, each with a handle that was opened when it was first seen and is kept until
 * its end is told, and the events that they make.
 *
 * An end closes the handle: while one is open, the system may not let the program's file be replaced.
 */
#ifndef PLATFORM_WINDOWS_FOLLOWED_H
#define PLATFORM_WINDOWS_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/proc_queue.h"
#include "platform/windows/process_params.h"
#include "platform/windows/system_processes.h"
#include "util/intmap.h"

struct followed {
	int64_t pid, ppid;
	void *handle;            /* NULL: not ours to open, or its end is told */
	int64_t created, exited; /* FILETIME; 0: not known, or it lives */
	int64_t joined; /* FILETIME from which on what it starts is in the job; INT64_MAX: it is not in it */
	int64_t start_ns;
	int64_t cpu_ns, peak_resident_bytes, peak_commit_bytes; /* highest seen; -1: not known */
	size_t live_at;
	struct process_params params; /* what was read of it while it is pending */
	bool readable;                /* its memory is */
	bool silent;                  /* only what it starts is followed */
	bool pending;                 /* its program is still to be told */
	bool ending; /* its end was told to us, but its handle does not say so yet */
	bool ended;
};

struct followed_table {
	struct intmap by_pid; /* the latest of each number */
	/* All, owned: the dead are known as parents of those who are found late. */
	struct followed **v;
	size_t nr, alloc;
	struct followed **live;
	size_t live_nr, live_alloc;
	size_t pending_nr, ending_nr;
	struct strvec env_names; /* globs */
	bool by_list;            /* CPU time and peaks come from the list of processes */
	int64_t argv_lost;
	struct proc_queue events; /* to be taken */
};

void followed_init(struct followed_table *table, const char *const *env_names);
void followed_release(struct followed_table *table);

/* NULL: none of this number lives. */
struct followed *followed_find(const struct followed_table *table, int64_t pid);

/* A process that exists, or existed a moment ago; `seen_ns` is now, or when it was told of. */
struct followed *followed_add(struct followed_table *table, int64_t pid, bool silent,
			      int64_t seen_ns);

/* Read the programs of those that had not told theirs. */
void followed_read_pending(struct followed_table *table);

/* Tell the ends of all that are over; the handles know. */
void followed_take_ends(struct followed_table *table);

/* Told of its end: tell of it as soon as its handle says so too, at once where there is none. */
void followed_end(struct followed_table *table, struct followed *f);

/* Learn of CPU times and peaks from the list. */
void followed_take_list(struct followed_table *table, const struct system_processes *list);

/* Is it new, and the child of one that is followed, or was? NULL: it is not. */
struct followed *followed_parent(const struct followed_table *table,
				 const struct system_process *process);

/* Nothing comes any more: what still runs tells what it has used up to now. */
void followed_finish(struct followed_table *table);

#endif
